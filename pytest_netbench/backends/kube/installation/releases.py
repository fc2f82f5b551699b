"""The programs as their projects release them."""

from __future__ import annotations

import platform
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_netbench.backends.kube.binaries import KUBERNETES
from pytest_netbench.backends.kube.installation import downloads
from pytest_netbench.errors import RequirementMissing

ETCD: Final = "3.6.8"
"""Of which any release of Kubernetes since 1.30 makes use."""
_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x"}


@dataclass(frozen=True)
class Sources:
    """Where releases are.

    Attributes:
        kubernetes: Has ``vX.Y.Z/bin/linux/ARCHITECTURE/NAME`` and ``NAME.sha256``.
        etcd: Has ``vX.Y.Z/etcd-vX.Y.Z-linux-ARCHITECTURE.tar.gz`` and ``SHA256SUMS``.
    """

    kubernetes: str = "https://dl.k8s.io/release"
    etcd: str = "https://github.com/etcd-io/etcd/releases/download"


def bring(version: str, folder: Path, sources: Sources, *, say: downloads.Say) -> None:
    """Write the programs of a release into a folder.

    Raises:
        Unreachable: A server does not answer.
        RequirementMissing: There is no such release, or a checksum is wrong.
    """
    architecture = _architecture()
    for name in KUBERNETES:
        url = f"{sources.kubernetes}/v{version}/bin/linux/{architecture}/{name}"
        words = downloads.text(f"{url}.sha256").split()
        say(f"loading {name} {version}")
        downloads.fetch(url, folder / name, sha256=words[0] if words else "none", say=say)
        (folder / name).chmod(0o755)
    _bring_etcd(folder, f"{sources.etcd}/v{ETCD}", f"etcd-v{ETCD}-linux-{architecture}", say)


def _bring_etcd(folder: Path, place: str, name: str, say: downloads.Say) -> None:
    archive = folder / f"{name}.tar.gz"
    lines = [line.split() for line in downloads.text(f"{place}/SHA256SUMS").splitlines()]
    sums = {words[1]: words[0] for words in lines if len(words) == 2}
    say(f"loading etcd {ETCD}")
    downloads.fetch(f"{place}/{archive.name}", archive, sha256=sums.get(archive.name, "none"), say=say)
    try:
        with tarfile.open(archive) as tar:
            member = tar.extractfile(f"{name}/etcd")
            assert member is not None
            with member, (folder / "etcd").open("wb") as file:
                while chunk := member.read(1 << 20):
                    file.write(chunk)
    except (tarfile.TarError, KeyError, AssertionError) as error:
        raise RequirementMissing(f"{place}/{archive.name} has no {name}/etcd: {error}") from error
    (folder / "etcd").chmod(0o755)
    archive.unlink()


def _architecture() -> str:
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise RequirementMissing(f"Kubernetes is not released for {machine}", "build it: --from modules")
    return _ARCHITECTURES[machine]
