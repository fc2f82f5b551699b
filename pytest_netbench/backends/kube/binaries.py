"""Where the programs of a control plane are, and whether they fit together."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.native.build import cache_dir

OWN_VARIABLE: Final = "NETBENCH_KUBE_ASSETS"
"""Environment variable with the folder of the programs, which then is the only place."""
VARIABLE: Final = "KUBEBUILDER_ASSETS"
"""Environment variable of other tools with such a folder; those often leave out some of the programs."""
KUBERNETES: Final = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
NAMES: Final = ("etcd", *KUBERNETES)
INSTALL: Final = "netbench kube install"
COMPLETE: Final = ".complete"
"""A file in the folder of an installation that was not interrupted."""
_ASK_S: Final = 20


@dataclass(frozen=True)
class Binaries:
    """The programs of a control plane.

    Attributes:
        folder: Where they are; ``None`` for the PATH.
        version: The release of the API server, e.g. ``1.36.3``.
    """

    folder: Path | None
    etcd: Path
    apiserver: Path
    controller_manager: Path
    scheduler: Path
    kubectl: Path
    version: str


def find(assets: Path | None = None) -> Binaries:
    """Return the programs of the first place that has all of them.

    The places are the folder that ``KUBEBUILDER_ASSETS`` names, the newest installation of ``netbench kube install``,
    and the PATH. A folder that ``NETBENCH_KUBE_ASSETS`` names is the only place.

    Args:
        assets: Stands for the value of that variable.

    Raises:
        RequirementMissing: No place has all, or a program there cannot be run, or does not fit the others.
    """
    seen = []
    for folder, where in _places(assets):
        found = {name: path for name in NAMES if (path := _program(folder, name)) is not None}
        missing = ", ".join(name for name in NAMES if name not in found)
        if not missing:
            return _fitting(folder, where, found)
        seen.append(f"{where} lacks {missing}")
    raise RequirementMissing(f"no Kubernetes control plane: {'; '.join(seen)}", INSTALL)


def installations() -> Path:
    """Return the folder of installations, each in a folder that is named as its release; it may not exist."""
    return cache_dir() / "kube"


def installed() -> list[Path]:
    """Return the folders of complete installations, newest release first."""
    try:
        found = [path.parent for path in installations().glob(f"*/{COMPLETE}")]
    except OSError:
        return []
    return sorted(found, key=lambda path: _numbers(path.name), reverse=True)


def _places(assets: Path | None) -> Iterator[tuple[Path | None, str]]:
    if assets is None and (own := os.environ.get(OWN_VARIABLE)):
        assets = Path(own)
    if assets is not None:
        yield assets, str(assets)
        return
    if named := os.environ.get(VARIABLE):
        yield Path(named), f"{named} ({VARIABLE})"
    for folder in installed():
        yield folder, str(folder)
    yield None, "the PATH"


def _program(folder: Path | None, name: str) -> Path | None:
    found = shutil.which(name, path=None if folder is None else str(folder))
    return None if found is None else Path(found).absolute()


def _fitting(folder: Path | None, where: str, found: dict[str, Path]) -> Binaries:
    releases = _releases(found)
    release = releases["kube-apiserver"]
    for name in KUBERNETES[1:]:
        other = releases[name]
        if abs(_numbers(other)[1] - _numbers(release)[1]) > 1 or _numbers(other)[0] != _numbers(release)[0]:
            raise RequirementMissing(
                f"{where} has kube-apiserver {release} and {name} {other}, which are more than one minor release apart",
                INSTALL,
            )
    return Binaries(
        folder=folder,
        etcd=found["etcd"],
        apiserver=found["kube-apiserver"],
        controller_manager=found["kube-controller-manager"],
        scheduler=found["kube-scheduler"],
        kubectl=found["kubectl"],
        version=release,
    )


def _releases(found: dict[str, Path]) -> dict[str, str]:
    """The release of each program. All are asked at once; of several names of one file only one."""
    asked = {
        name: next(other for other in NAMES if (other == "etcd") == (name == "etcd") and found[other].samefile(path))
        for name, path in found.items()
    }
    with ThreadPoolExecutor(len(NAMES)) as pool:
        answers = {name: pool.submit(version_of, found[name]) for name in dict.fromkeys(asked.values())}
    return {name: answers[asked[name]].result() for name in (*KUBERNETES, "etcd")}


def version_of(program: Path) -> str:
    """Return the release that a program says it is, e.g. ``1.36.3``.

    Raises:
        RequirementMissing: It cannot be run, or names no release.
    """
    status = program.stat()
    return _version(program, status.st_size, status.st_mtime_ns)


@functools.cache
def _version(program: Path, _size: int, _changed: int) -> str:
    words = ("version", "--client") if program.name == "kubectl" else ("--version",)
    try:
        done = subprocess.run(
            [str(program), *words],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RequirementMissing(f"{program} cannot be run: {error}", INSTALL) from error
    if match := re.search(r"\bv?(\d+\.\d+\.\d+)\b", done.stdout):
        return match[1]
    said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing"]
    raise RequirementMissing(f"{program} names no release; it said: {said[0]}", INSTALL)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"\d+", release)) or (0,)
