"""Running processes: their output, deadlines, memory and end. Standard library only."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any

from pytest_netbench.backends.netns.supervisor import processes
from pytest_netbench.backends.netns.supervisor.pipes import Pipes
from pytest_netbench.backends.netns.supervisor.resource_counts import Growth
from pytest_netbench.backends.netns.supervisor.spawn import Stdio

Done = Callable[[dict[str, Any]], None]

_WATCH_S = 0.05
_COUNT_S = 0.25
_LONGEST_OUTPUT = 64 * 2**20


def _nobody_asks(_result: dict[str, Any]) -> None:
    """The owner sees the end of the pseudo-terminal."""


class _Job:
    """One process whose output is collected until it ends."""

    def __init__(
        self,
        pid: int,
        done: Done,
        *,
        deadline: float,
        output_bytes: int = 0,
        memory_bytes: int | None = None,
        growth: Growth | None = None,
        outputs: Mapping[int, str] | None = None,
        stdin: int | None = None,
        stdin_data: bytes = b"",
    ) -> None:
        self.pid = pid
        self.done = done
        self.deadline = deadline
        self.output_bytes = output_bytes
        self.memory_bytes = memory_bytes
        self.growth = growth
        self.outputs = dict(outputs or {})
        self.stdin = stdin
        self.stdin_data = stdin_data
        self.collected = {"stdout": bytearray(), "stderr": bytearray()}
        self.status: int | None = None
        self.truncated = False
        self.timed_out = False
        self.note = ""


class Jobs:
    """All processes that somebody waits for. Reaps every child: the supervisor is the lab's init.

    Args:
        selector: What tells of output.
        daemons: Pid and description of what already runs and nobody waits for.
    """

    def __init__(self, selector: selectors.BaseSelector, *, daemons: Mapping[int, str]) -> None:
        self._selector = selector
        self._by_pid: dict[int, _Job] = {}
        self._next_watch = self._next_count = 0.0
        self.daemons = dict(daemons)
        self.ended_daemons: list[tuple[str, int]] = []

    def start(
        self,
        spawn: Callable[[Stdio], int],
        done: Done,
        *,
        timeout_s: float,
        output_bytes: int = _LONGEST_OUTPUT,
        memory_bytes: int | None = None,
        growth: Growth | None = None,
        stdin: bytes | None = None,
    ) -> None:
        """Start a process and follow it to its end.

        Args:
            spawn: Starts it with these descriptors as 0, 1 and 2, and returns its pid.
            done: Takes its output and status.
            timeout_s: How long it may run.
            output_bytes: How much it may write, to either output.
            memory_bytes: How much memory it and its descendants may hold.
            growth: What it may make its node hold; it is ended when it is too much.
            stdin: What it is given to read.

        Raises:
            OSError: It could not be started.
        """
        with Pipes(stdin=stdin is not None) as pipes:
            pid = spawn(pipes.theirs)
            self._add(
                _Job(
                    pid,
                    done,
                    deadline=time.monotonic() + timeout_s,
                    output_bytes=output_bytes,
                    memory_bytes=memory_bytes,
                    growth=growth,
                    outputs=pipes.ours,
                    stdin=pipes.stdin,
                    stdin_data=stdin or b"",
                )
            )

    def _add(self, job: _Job) -> None:
        self._by_pid[job.pid] = job
        for fd in job.outputs:
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ, lambda fd=fd, job=job: self._read(job, fd))
        if job.stdin is not None:
            os.set_blocking(job.stdin, False)
            self._selector.register(job.stdin, selectors.EVENT_WRITE, lambda job=job: self._feed(job))

    def watch(
        self,
        pid: int,
        *,
        memory_bytes: int,
        growth: Growth | None,
        done: Done = _nobody_asks,
        timeout_s: float = math.inf,
    ) -> None:
        """End a process and its descendants if they or its node hold more than they may, or after ``timeout_s``.

        Its output is not collected. ``done`` takes its status.
        """
        deadline = time.monotonic() + timeout_s
        self._add(_Job(pid, done, deadline=deadline, memory_bytes=memory_bytes, growth=growth))

    def end(self, pid: int) -> None:
        """Kill a process that is followed, if it has not ended."""
        job = self._by_pid.get(pid)
        if job is not None and job.status is None:
            self._kill(job)

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
        count = now >= self._next_count
        if watch:
            self._next_watch = now + _WATCH_S
        if count:
            self._next_count = now + _COUNT_S
        for job in list(self._by_pid.values()):
            if now >= job.deadline and not job.timed_out:
                job.timed_out = True
                self._kill(job)
            elif watch and job.memory_bytes is not None and processes.resident_bytes(job.pid) > job.memory_bytes:
                job.note = f"killed: more than {job.memory_bytes >> 20} MiB of memory"
                self._kill(job)
            elif count and job.growth is not None and (excess := job.growth.excess(job.pid)) is not None:
                job.note = f"killed: {excess}"
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

    def _read(self, job: _Job, fd: int) -> None:
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
        room = job.output_bytes - len(buffer)
        buffer += chunk[: max(room, 0)]
        if len(chunk) > room and not job.truncated:
            job.truncated = True
            self._kill(job)

    def _feed(self, job: _Job) -> None:
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

    def _close(self, job: _Job, fd: int) -> None:
        self._selector.unregister(fd)
        os.close(fd)
        del job.outputs[fd]

    def _kill(self, job: _Job) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(job.pid, signal.SIGKILL)

    def _finish(self, job: _Job) -> None:
        """Answer once the process has ended. Its output is in the pipes; its children may keep them open."""
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

    def _drain(self, job: _Job, fd: int) -> None:
        buffer = job.collected[job.outputs[fd]]
        while len(buffer) < job.output_bytes:
            try:
                chunk = os.read(fd, min(65536, job.output_bytes - len(buffer)))
            except OSError:
                return
            if not chunk:
                return
            buffer += chunk
