"""Small programs that say which release they are, as those of a control plane do; and a server of releases."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_netbench.backends.kube.binaries import KUBERNETES
from pytest_netbench.backends.kube.installation import releases

Handle = Callable[[http.server.SimpleHTTPRequestHandler], bool]


def script(name: str, release: str) -> bytes:
    words = f"etcd Version: {release}" if name == "etcd" else f"Kubernetes v{release}"
    return f"#!/bin/sh\necho '{words}'\n".encode()


def write(folder: Path, release: str, *, kubectl: str | None = None) -> None:
    """Write all programs of a release into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {name: script(name, release) for name in KUBERNETES} | {"etcd": script("etcd", "3.6.8")}
    if kubectl is not None:
        found["kubectl"] = script("kubectl", kubectl)
    for name, text in found.items():
        (folder / name).write_bytes(text)
        (folder / name).chmod(0o755)


def publish(root: Path, release: str) -> None:
    """Write a release as the servers have it."""
    architecture = releases._architecture()
    place = root / f"kubernetes/v{release}/bin/linux/{architecture}"
    place.mkdir(parents=True)
    for name in KUBERNETES:
        text = script(name, release)
        (place / name).write_bytes(text)
        (place / f"{name}.sha256").write_text(hashlib.sha256(text).hexdigest())
    place = root / f"etcd/v{releases.ETCD}"
    place.mkdir(parents=True, exist_ok=True)
    name = f"etcd-v{releases.ETCD}-linux-{architecture}"
    archive, text = io.BytesIO(), script("etcd", releases.ETCD)
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        member = tarfile.TarInfo(f"{name}/etcd")
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
    (place / f"{name}.tar.gz").write_bytes(archive.getvalue())
    (place / "SHA256SUMS").write_text(f"{hashlib.sha256(archive.getvalue()).hexdigest()}  {name}.tar.gz\n")


@contextlib.contextmanager
def served(root: Path, before: Handle = lambda _handler: False) -> Iterator[releases.Sources]:
    """Serve a folder on loopback. ``before`` may answer a request itself."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(root))  # type: ignore[arg-type]

        def do_GET(self) -> None:
            if not before(self):
                super().do_GET()

        def log_message(self, *_arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.server_port}"
        try:
            yield releases.Sources(kubernetes=f"{base}/kubernetes", etcd=f"{base}/etcd")
        finally:
            server.shutdown()
            thread.join()
