"""The helper of a lab: a process of root, or a container that enters the others for an owner who is not root."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import tarfile
import threading
from pathlib import Path
from typing import Final

from pytest_netbench.backends.containerlab import authorities, commands
from pytest_netbench.backends.containerlab.authorities import Authority, Forking, Helper
from pytest_netbench.backends.containerlab.helper import READY
from pytest_netbench.backends.containerlab.topology import OWNER
from pytest_netbench.errors import LabError

IMAGE: Final = "netbench-helper:1"
"""Has links into the files of this machine, and no file of its own."""
_MACHINE = "host"
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "usr")
_CAPABILITIES = {
    "CHOWN": 0,
    "DAC_OVERRIDE": 1,
    "DAC_READ_SEARCH": 2,
    "FOWNER": 3,
    "FSETID": 4,
    "KILL": 5,
    "SETGID": 6,
    "SETUID": 7,
    "SETPCAP": 8,
    "NET_BIND_SERVICE": 10,
    "NET_ADMIN": 12,
    "NET_RAW": 13,
    "IPC_LOCK": 14,
    "SYS_CHROOT": 18,
    "SYS_PTRACE": 19,
    "SYS_ADMIN": 21,
    "SYS_NICE": 23,
    "SYS_RESOURCE": 24,
}
_START_S = 60.0


class LabHelper:
    """Begins at once, and has begun when ``ready`` returns. It ends with this process.

    Args:
        folder: Of the lab; the helper serves there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_root = authorities.is_root()
        if not self._is_root:
            _make_image()
        command = authorities.module("helper", str(folder), "0") if self._is_root else _command(folder)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

    def ready(self) -> Authority:
        """Wait until it serves.

        Raises:
            LabError: It did not begin.
        """
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        timer = threading.Timer(_START_S, self._process.kill)
        timer.start()
        said = self._process.stdout.read(len(READY))
        timer.cancel()
        if said != READY:
            self._process.kill()
            why = _reason(self._process.stderr.read().decode(errors="replace"))
            self.close()
            raise LabError(f"the helper that enters containers cannot be started: {why or 'it does not answer'}")
        return Forking(self._folder) if self._is_root else Helper(self._folder)

    def close(self) -> None:
        """End it. Idempotent."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()


def _reason(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("Run 'docker run --help'")]
    return commands.reason("\n".join(lines))


def _command(folder: Path) -> list[str]:
    return [
        *(
            "docker",
            "run",
            "--rm",
            "--interactive",
            "--name",
            f"{folder.name}-helper",
            "--label",
            f"{OWNER}={folder.name}",
        ),
        *("--pid", "host", "--cgroupns", "host", "--network", "none", "--volume", f"/:/{_MACHINE}"),
        *("--cap-drop", "ALL", *(word for name in _capabilities() for word in ("--cap-add", name))),
        *(word for module in ("apparmor", "seccomp") for word in ("--security-opt", f"{module}=unconfined")),
        *("--security-opt", "label=disable", IMAGE),
        *("chroot", f"/{_MACHINE}", *authorities.module("helper", str(folder), str(os.getuid()))),
    ]


def _capabilities() -> list[str]:
    """Those that this machine has: an engine starts no container with one that it lacks."""
    (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("CapBnd:"))
    bounding = int(line.split()[1], 16)
    return [name for name, number in _CAPABILITIES.items() if bounding >> number & 1]


def _make_image() -> None:
    """Import the image unless it is there.

    Raises:
        LabError: The engine refuses it.
    """
    with contextlib.suppress(commands.Failed):
        commands.engine("image", "inspect", IMAGE)
        return
    commands.engine("import", "--change", "ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin", "-", IMAGE, given=_archive())


def _archive() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in (_MACHINE, "tmp"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
        for name in _LINKS:
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, f"{_MACHINE}/{name}"
            archive.addfile(link)
    return file.getvalue()
