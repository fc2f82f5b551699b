"""A child process with limits: of time, and of what it prints."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from pytest_netbench.errors import AgentError

MAX_OUTPUT_BYTES: Final = 16 * 2**20
LAST_WORDS: Final = 2000
DIES_WITH_US: Final = ("setpriv", "--pdeathsig", "KILL", "--")
_CHUNK: Final = 65536
_LOOK_S: Final = 0.05


@dataclass(frozen=True)
class Ended:
    """A process that has ended.

    Attributes:
        status: Its exit status; negative for a signal.
        output: What it printed.
        last_words: The end of what it printed on standard error.
    """

    status: int
    output: str
    last_words: str


class OutOfTime(Exception):
    """The process did not end in time, and was killed."""


def start(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path, pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a process that ends with this one, at the latest.

    Raises:
        AgentError: It cannot be started.
    """
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [*DIES_WITH_US, *command],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=dict(environment),
            cwd=folder,
            pass_fds=tuple(pass_fds),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise AgentError(f"{command[0]} cannot be started: {error}") from error


def let_die_first(process: subprocess.Popen[bytes]) -> None:
    """Let the kernel kill this process, and what it starts, before others if memory runs out."""
    with contextlib.suppress(OSError):  # it has ended already
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000", encoding="ascii")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its group, unless it was waited for already, and take leave of it. Idempotent."""
    if process.returncode is None:  # else its number may be another's by now
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def communicate(process: subprocess.Popen[bytes], text: str, *, left: Callable[[], float | None]) -> Ended:
    """Give a process ``text`` and wait until it ends.

    Args:
        process: From ``start``.
        text: For its standard input.
        left: Seconds that it may still take; ``None`` is as long as it wants. They need not pass while it waits.

    Raises:
        OutOfTime: It did not end in time.
        AgentError: It printed too much.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = _Kept(process.stdout, process), Tail(process.stderr)
    threads = [
        threading.Thread(target=_write, args=(process.stdin, text), daemon=True),
        threading.Thread(target=output.read, daemon=True),
        threading.Thread(target=errors.read, daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        _wait(process, left)
    finally:
        # whatever it started and left behind holds the pipes open
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for thread in threads:
        thread.join(timeout=5)
    if output.too_much:
        raise AgentError(f"the program printed more than {MAX_OUTPUT_BYTES // 2**20} MiB and was ended")
    return Ended(process.returncode, output.text(), errors.text())


def _wait(process: subprocess.Popen[bytes], left: Callable[[], float | None]) -> None:
    while True:
        seconds = left()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(None if seconds is None else max(_LOOK_S, seconds))
            return
        if seconds is not None and seconds <= 0:
            raise OutOfTime


def _write(stream: IO[bytes], text: str) -> None:
    with contextlib.suppress(OSError), stream:  # it need not read
        stream.write(text.encode())


class _Kept:
    """All that a process prints, up to a limit; past it, the process is killed."""

    def __init__(self, stream: IO[bytes], process: subprocess.Popen[bytes]) -> None:
        self._stream = stream
        self._process = process
        self._kept = bytearray()
        self.too_much = False

    def read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), _CHUNK):
                if len(self._kept) + len(chunk) > MAX_OUTPUT_BYTES:
                    self.too_much = True
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(self._process.pid, signal.SIGKILL)
                    return
                self._kept += chunk

    def text(self) -> str:
        return self._kept.decode(errors="replace")


class Tail:
    """The end of what a process prints."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""

    def read(self) -> None:
        """Read until the end."""
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), _CHUNK):
                self._kept = (self._kept + chunk)[-LAST_WORDS:]

    def text(self) -> str:
        """The last words so far."""
        return self._kept.decode(errors="replace").strip()
