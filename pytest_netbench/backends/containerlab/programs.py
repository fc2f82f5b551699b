"""Programs in a container: started by entering its namespaces, followed to their end, or left to run."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pytest_netbench.backends.containerlab import authorities
from pytest_netbench.backends.containerlab.authorities import Authority, Root
from pytest_netbench.backends.containerlab.entrance import NOT_ENTERED, READERS, encode
from pytest_netbench.backends.containerlab.running import Running
from pytest_netbench.errors import LabDied
from pytest_netbench.platforms.access import Completed, SandboxLimits

Profile = Literal["trusted", "daemon", "read", "write"]

_LONGEST_OUTPUT = 64 * 2**20
_LONGEST_WORD = 100_000  # the kernel takes 131,072 bytes in one word
_CHUNK = 65_536
_NO_ENV: Mapping[str, str] = {}
_LIMITS = SandboxLimits()


@dataclass(frozen=True)
class Place:
    """A running container: its first process, and when that was started."""

    name: str
    pid: int
    started: str
    by: Authority = field(default_factory=Root, compare=False)
    """Who may enter it."""


@dataclass(frozen=True)
class Asked:
    """A program in a container, as ``request`` makes it."""

    by: Authority
    message: Mapping[str, Any]


def request(
    place: Place,
    argv: Sequence[str],
    profile: Profile,
    *,
    env: Mapping[str, str] = _NO_ENV,
    limits: SandboxLimits = _LIMITS,
    user: str = "",
    reads: Sequence[str] = (),
    terminal: bool = False,
) -> Asked:
    """What ``entrance`` is asked to do.

    Args:
        place: The container.
        argv: The program and its arguments.
        profile: With which rights, see ``entrance``.
        env: Variables beside the common ones.
        limits: For agents' programs.
        user: For agents' programs: the user of the container that they run as, if it has that user.
        reads: For agents' looks: programs whose listings are made for them.
        terminal: Whether descriptor 0 becomes the controlling terminal.
    """
    path = {"PATH": f"{READERS}:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/frr"} if reads else {}
    message = {
        "pid": place.pid,
        "started": place.started,
        "argv": list(argv),
        "profile": profile,
        "env": {**env, **path},
        "user": user,
        "reads": list(reads),
        "terminal": terminal,
        "memory_bytes": limits.memory_bytes,
        "processes": limits.processes,
        "disk_bytes": limits.disk_bytes,
    }
    return Asked(place.by, message)


def command(asked: Asked) -> list[str]:
    """The command line that does what ``request`` asks; no word of it has a space."""
    return [*asked.by.prefix, *authorities.module("entrance", encode(asked.message))]


def run(asked: Asked, *, input: str | None = None, timeout_s: float, output_bytes: int = _LONGEST_OUTPUT) -> Completed:
    """Run a program and wait for it.

    Args:
        asked: As ``request`` makes it.
        input: What it reads; nothing if ``None``.
        timeout_s: It is killed after so many wall seconds.
        output_bytes: It is killed when one of its outputs is longer.

    Raises:
        LabDied: The container is gone.
    """
    argv = authorities.module("entrance", encode(asked.message))
    outputs = [os.pipe(), os.pipe()]
    with contextlib.ExitStack() as stack:
        for _, written in outputs:
            stack.callback(os.close, written)
        passed: tuple[int, ...] = ()
        if len(argv[-1]) > _LONGEST_WORD:
            file = stack.enter_context(_file_of(argv[-1].encode()))
            argv[-1], passed = f"@{file.fileno()}", (file.fileno(),)
        given = stack.enter_context(_file_of((input or "").encode()))
        stdio = given.fileno(), outputs[0][1], outputs[1][1]
        try:
            running = asked.by.start(argv, stdio, passed)
        except OSError as error:
            for read, _ in outputs:
                os.close(read)
            raise LabDied(f"the container cannot be entered: {error}") from None
    readers = outputs[0][0], outputs[1][0]
    try:
        done = _Following(running, readers, timeout_s=timeout_s, output_bytes=output_bytes).to_the_end()
    except ConnectionError as error:
        raise LabDied(f"the container cannot be entered: {error}") from None
    finally:
        for read in readers:
            os.close(read)
    if done.returncode == NOT_ENTERED and done.stderr.startswith("netbench: "):
        raise LabDied(f"the container cannot be entered: {done.stderr.removeprefix('netbench: ').strip()}")
    return done


def start(asked: Asked, log: Path) -> None:
    """Start a daemon; both outputs go to a file of this machine, which any user of the container may write.

    Raises:
        LabDied: The container is gone.
    """
    with log.open("ab") as output:
        log.chmod(0o666)
        done = subprocess.run(
            command(asked), stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={"LANG": "C.UTF-8"}, check=False
        )
    if done.returncode:
        raise LabDied(f"{asked.message['argv'][0]} cannot be started: {log.read_text(errors='replace').strip()[-500:]}")


@contextlib.contextmanager
def _file_of(data: bytes) -> Any:
    with os.fdopen(os.memfd_create("netbench"), "w+b") as file:
        file.write(data)
        file.seek(0)
        yield file


class _Following:
    """Follows a process: its outputs up to a limit, its time, its end."""

    def __init__(self, running: Running, outputs: tuple[int, int], *, timeout_s: float, output_bytes: int) -> None:
        self._running = running
        self._outputs = {one: bytearray() for one in outputs}
        self._ends_at = time.monotonic() + timeout_s
        self._most = output_bytes
        self._truncated = self._timed_out = False

    def to_the_end(self) -> Completed:
        end = self._running.fileno()
        poller = select.poll()
        for descriptor in (end, *self._outputs):
            poller.register(descriptor, select.POLLIN)
        try:
            while True:
                left_ms = (self._ends_at - time.monotonic()) * 1000
                ready = [descriptor for descriptor, _ in poller.poll(max(left_ms, 0))] if left_ms > 0 else []
                if left_ms <= 0:
                    self._timed_out = True
                    break
                if not all(self._read(one, poller) for one in ready if one != end):
                    self._truncated = True
                    break
                if end in ready:
                    break
        finally:
            self._running.kill()
            status = self._running.wait()
        self._drain()
        stdout, stderr = (bytes(one[: self._most]).decode("utf-8", "replace") for one in self._outputs.values())
        return Completed(
            stdout=stdout,
            stderr=stderr,
            returncode=status,
            truncated=self._truncated,
            timed_out=self._timed_out,
        )

    def _read(self, descriptor: int, poller: select.poll) -> bool:
        """Take what there is; whether it is no more than allowed."""
        data = os.read(descriptor, _CHUNK)
        if not data:
            poller.unregister(descriptor)
        self._outputs[descriptor] += data
        return len(self._outputs[descriptor]) <= self._most

    def _drain(self) -> None:
        """What is in the pipes; processes that were left to run may keep them open."""
        for descriptor, taken in self._outputs.items():
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                while len(taken) <= self._most and (data := os.read(descriptor, _CHUNK)):
                    taken.extend(data)
