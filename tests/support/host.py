"""What of a lab could be left on the host: processes, namespaces, mounts, sockets, files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MARK = b"pytest_netbench.backends.netns.supervisor"
_KINDS = ("user", "pid", "net", "mnt", "uts", "ipc")


@dataclass(frozen=True)
class Host:
    """The host's mounts, addresses and routes, and this run's sockets in the file system's place."""

    mounts: str
    links: str
    routes: str
    host_name: str

    @classmethod
    def now(cls) -> Host:
        return cls(
            mounts=Path("/proc/self/mounts").read_text(),
            links="\n".join(sorted(line.split(":")[0] for line in Path("/proc/net/dev").read_text().splitlines())),
            routes=Path("/proc/net/route").read_text(),
            host_name=os.uname().nodename,
        )

    @staticmethod
    def descendants(pid: int) -> int:
        """How many processes are below ``pid``."""
        return len(list(below(pid)))


def below(pid: int) -> Iterator[int]:
    """The processes below ``pid``."""
    for task in _list(f"/proc/{pid}/task"):
        for child in _read(f"/proc/{pid}/task/{task}/children").split():
            yield int(child)
            yield from below(int(child))


def supervisors() -> set[int]:
    """The outer and inner processes of all labs on this host."""
    return {int(pid) for pid in _list("/proc") if pid.isdigit() and _MARK in _read(f"/proc/{pid}/cmdline")}


@dataclass(frozen=True)
class Lab:
    """What a lab has on the host while it runs."""

    processes: frozenset[int]
    namespaces: frozenset[str]

    @classmethod
    def of(cls, supervisor: int) -> Lab:
        pids = frozenset({supervisor, *below(supervisor)})
        own = _namespaces([os.getpid()])
        return cls(processes=pids, namespaces=frozenset(_namespaces(pids) - own))

    def left(self) -> list[str]:
        """What of it is still there."""
        alive = [f"process {pid}" for pid in self.processes if _read(f"/proc/{pid}/cmdline")]
        everywhere = _namespaces(int(pid) for pid in _list("/proc") if pid.isdigit())
        return alive + [f"namespace {name}" for name in self.namespaces & everywhere]

    def left_after(self, seconds: float) -> list[str]:
        """What is still there when nothing is left, or ``seconds`` have passed."""
        deadline = time.monotonic() + seconds
        while (left := self.left()) and time.monotonic() < deadline:
            os.sched_yield()
        return left


def abstract_sockets() -> set[str]:
    """Names of this package's abstract sockets."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    return {line.split()[-1] for line in lines if "@netbench" in line}


def _namespaces(pids: object) -> set[str]:
    found = set()
    for pid in pids:  # type: ignore[attr-defined]
        for kind in _KINDS:
            try:
                found.add(str(Path(f"/proc/{pid}/ns/{kind}").readlink()))
            except OSError:
                continue
    return found


def _list(path: str) -> list[str]:
    try:
        return [entry.name for entry in Path(path).iterdir()]
    except OSError:
        return []


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
