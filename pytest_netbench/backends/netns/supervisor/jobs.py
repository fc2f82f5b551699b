"""Running processes: their output, deadlines, memory and end. Standard library only."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest_netbench.backends.netns.supervisor import roots

_WATCH_S = 0.05


@dataclass(eq=False)
class Job:
    """One process whose output is collected until it ends."""

    pid: int
    outputs: dict[int, str]
    done: Callable[[dict[str, Any]], None]
    deadline: float
    limit: int
    memory_bytes: int | None = None
    stdin: int | None = None
    stdin_data: bytes = b""
    collected: dict[str, bytearray] = field(default_factory=lambda: {"stdout": bytearray(), "stderr": bytearray()})
    status: int | None = None
    truncated: bool = False
    timed_out: bool = False
    note: str = ""


class Jobs:
    """All processes that somebody waits for. Reaps every child: the supervisor is the lab's init."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._by_pid: dict[int, Job] = {}
        self._next_watch = 0.0
        self.daemons: dict[int, str] = {}
        self.ended_daemons: list[tuple[str, int]] = []

    def add(self, job: Job) -> None:
        """Follow ``job`` to its end; its descriptors belong to this object from now on."""
        self._by_pid[job.pid] = job
        for fd in job.outputs:
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, lambda fd=fd, job=job: self._read(job, fd))
        if job.stdin is not None:
            os.set_blocking(job.stdin, False)
            self._selector.register(job.stdin, selectors.EVENT_WRITE, lambda job=job: self._feed(job))

    def watch(self, pid: int, *, memory_bytes: int) -> None:
        """End a process that nobody waits for, and its descendants, if they hold more memory than this."""
        self.add(Job(pid, outputs={}, done=_nobody_asks, deadline=math.inf, limit=0, memory_bytes=memory_bytes))

    def reap(self) -> None:
        """Collect every child that ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            job = self._by_pid.get(pid)
            if job is not None:
                job.status = code
                self._finish(job)
            elif pid in self.daemons:
                self.ended_daemons.append((self.daemons.pop(pid), code))

    def tick(self) -> None:
        """Enforce deadlines and memory."""
        now = time.monotonic()
        watch = now >= self._next_watch
        if watch:
            self._next_watch = now + _WATCH_S
        for job in list(self._by_pid.values()):
            if now >= job.deadline and not job.timed_out:
                job.timed_out = True
                self._kill(job)
            elif watch and job.memory_bytes is not None and _resident_bytes(job.pid) > job.memory_bytes:
                job.note = f"killed: more than {job.memory_bytes >> 20} MiB of memory"
                self._kill(job)

    def wait_s(self) -> float | None:
        """Seconds until something has to be looked at, or ``None``."""
        if not self._by_pid:
            return None
        now = time.monotonic()
        nearest = min(job.deadline for job in self._by_pid.values()) - now
        if any(job.memory_bytes is not None for job in self._by_pid.values()):
            nearest = min(nearest, _WATCH_S)
        return max(nearest, 0.001)

    def _read(self, job: Job, fd: int) -> None:
        try:
            chunk = os.read(fd, 65536)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._close(job, fd)
            self._finish(job)
            return
        buffer = job.collected[job.outputs[fd]]
        room = job.limit - len(buffer)
        buffer += chunk[: max(room, 0)]
        if len(chunk) > room and not job.truncated:
            job.truncated = True
            self._kill(job)

    def _feed(self, job: Job) -> None:
        assert job.stdin is not None
        try:
            written = os.write(job.stdin, job.stdin_data[:65536])
            job.stdin_data = job.stdin_data[written:]
        except BlockingIOError:
            return
        except OSError:
            job.stdin_data = b""
        if not job.stdin_data:
            self._selector.unregister(job.stdin)
            os.close(job.stdin)
            job.stdin = None

    def _close(self, job: Job, fd: int) -> None:
        self._selector.unregister(fd)
        os.close(fd)
        del job.outputs[fd]

    def _kill(self, job: Job) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(job.pid, signal.SIGKILL)

    def _finish(self, job: Job) -> None:
        """Answer once the process ended; what it wrote before is in the pipes, a process it left behind may hold them."""
        if job.status is None or job.pid not in self._by_pid:
            return
        del self._by_pid[job.pid]
        for fd in list(job.outputs):
            self._drain(job, fd)
            self._close(job, fd)
        if job.stdin is not None:
            self._selector.unregister(job.stdin)
            os.close(job.stdin)
            job.stdin = None
        stderr = job.collected["stderr"].decode("utf-8", "replace")
        job.done(
            {
                "stdout": job.collected["stdout"].decode("utf-8", "replace"),
                "stderr": f"{stderr}{job.note}" if job.note else stderr,
                "returncode": job.status,
                "truncated": job.truncated,
                "timed_out": job.timed_out,
            }
        )

    def _drain(self, job: Job, fd: int) -> None:
        buffer = job.collected[job.outputs[fd]]
        while len(buffer) < job.limit:
            try:
                chunk = os.read(fd, min(65536, job.limit - len(buffer)))
            except OSError:
                return
            if not chunk:
                return
            buffer += chunk


def _nobody_asks(_result: dict[str, Any]) -> None:
    """The owner sees the end of the pseudo-terminal."""


def _resident_bytes(pid: int) -> int:
    """Resident memory of a process and all its descendants; 0 for those that ended meanwhile."""
    total, waiting = 0, [pid]
    while waiting:
        current = waiting.pop()
        try:
            with open(f"{roots.PROC}/{current}/statm") as file:
                total += int(file.read().split()[1]) * 4096
            for thread in os.listdir(f"{roots.PROC}/{current}/task"):
                with open(f"{roots.PROC}/{current}/task/{thread}/children") as file:
                    waiting += [int(child) for child in file.read().split()]
        except (OSError, ValueError, IndexError):
            continue
    return total
