"""What of a lab could be left on the host: processes, namespaces, mounts, sockets, files."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

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


def command_line(pid: int) -> bytes:
    """A process's arguments; empty for one that is gone."""
    return _read(f"/proc/{pid}/cmdline")


def status(pid: int) -> dict[str, str]:
    """What the kernel says of a process."""
    lines = _read(f"/proc/{pid}/status").decode().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def descriptors(pid: int) -> dict[str, str]:
    """What a process holds open."""
    found = {}
    for name in _list(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            found[name] = str(Path(f"/proc/{pid}/fd/{name}").readlink())
    return found


@dataclass(frozen=True)
class Lab:
    """What a lab has on the host while it runs.

    The kernel reuses process and namespace numbers, also for other labs. So a process is identified by its number and
    its start time, and only a process that started before this check can still hold one of these namespaces.
    """

    processes: frozenset[tuple[int, int]]
    namespaces: frozenset[str]
    newest: int

    @classmethod
    def of(cls, supervisor: int) -> Lab:
        pids = {supervisor, *below(supervisor)}
        processes = frozenset((pid, start) for pid in pids if (start := _start(pid)) is not None)
        own = _namespaces([os.getpid()])
        return cls(
            processes=processes,
            namespaces=frozenset(_namespaces(pids) - own),
            newest=max((start for _, start in processes), default=0),
        )

    def __or__(self, other: Lab) -> Lab:
        return Lab(
            processes=self.processes | other.processes,
            namespaces=self.namespaces | other.namespaces,
            newest=max(self.newest, other.newest),
        )

    def left(self) -> list[str]:
        """What of it is still there."""
        alive = [f"process {pid} {command_line(pid)!r}" for pid, start in self.processes if _start(pid) == start]
        old = [
            pid
            for name in _list("/proc")
            if name.isdigit()
            if (_start(pid := int(name)) or self.newest + 1) <= self.newest
        ]
        return alive + [f"namespace {name}" for name in self.namespaces & _namespaces(old)]

    def left_after(self, seconds: float) -> list[str]:
        """What is still there when nothing is left, or ``seconds`` have passed."""
        deadline = time.monotonic() + seconds
        while (left := self.left()) and time.monotonic() < deadline:
            os.sched_yield()
        return left


def _start(pid: int) -> int | None:
    """When a process started, in ticks; ``None`` for one that is gone or only waits to be collected."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[19]) if fields and fields[0] not in (b"Z", b"X") else None


def abstract_sockets(owner: int) -> set[str]:
    """Names of the abstract sockets that a process made for its labs."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    return {line.split()[-1] for line in lines if f"@netbench-{owner}-" in line}


def _namespaces(pids: Iterable[int]) -> set[str]:
    found = set()
    for pid in pids:
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
