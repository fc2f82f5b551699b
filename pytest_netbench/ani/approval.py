"""Approval of changes: a person at the terminal, or a program, allows each one or refuses it.

Knows nothing of labs: the interface asks, and its clock stands still meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Protocol

from pytest_netbench.errors import UsageError
from pytest_netbench.model.agentsettings import AgentPolicy
from pytest_netbench.text import clean

PERSON: Final = "person"
ALLOW: Final = 0
DENY: Final = 1
MAX_OUTPUT_BYTES: Final = 65_536
_SHOWN: Final = 500
_LOOK_S: Final = 0.05


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is to be approved."""

    device: str
    platform: str
    method: str
    commands: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What was decided. ``failed``: nobody could decide, and therefore it is not allowed."""

    allowed: bool
    reason: str = ""
    failed: bool = False


class Approver(Protocol):
    """Decides on one change after the other."""

    def decide(self, change: Change, *, cancelled: Callable[[], bool]) -> Decision:
        """Allow a change or refuse it. ``cancelled`` says that nobody waits for it any more."""
        ...


def approver_of(policy: AgentPolicy) -> Approver | None:
    """Who approves changes under ``policy``; ``None`` if nobody needs to.

    Raises:
        UsageError: A person cannot be asked here, or there is no such program.
    """
    if policy.approval is None:
        return None
    if policy.approval == PERSON:
        if "PYTEST_XDIST_WORKER" in os.environ:
            raise UsageError("approval: person asks at the terminal, which workers would share: run it with -n 0")
        os.close(_terminal())
        return ByPerson()
    command = shlex.split(policy.approval)
    if shutil.which(command[0]) is None:
        raise UsageError(f"approval: there is no program {command[0]!r} (expected `person`, or a program to ask)")
    return ByProgram(command, timeout_s=policy.approval_timeout_s)


class ByProgram:
    """Asks a program: the change as JSON on its standard input, the decision by its exit status.

    Args:
        command: The program and its arguments.
        timeout_s: How long it may take.
    """

    def __init__(self, command: Sequence[str], *, timeout_s: float) -> None:
        self._command = tuple(command)
        self._timeout_s = timeout_s

    def decide(self, change: Change, *, cancelled: Callable[[], bool]) -> Decision:
        """Status 0 allows, 1 refuses. Any other end is a failure, and the change is not allowed."""
        text = json.dumps(asdict(change)).encode()
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed:
            given.write(text)
            given.seek(0)
            try:
                process = subprocess.Popen(
                    self._command, stdin=given, stdout=printed, stderr=subprocess.DEVNULL, start_new_session=True
                )
            except OSError as error:
                return _failure(f"{self._command[0]} cannot be started: {error.strerror}")
            try:
                status = self._status(process, cancelled)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if status is None:
                return _failure(f"{self._command[0]} did not answer within {self._timeout_s:g} s")
            printed.seek(0)
            return self._read(status, printed.read(MAX_OUTPUT_BYTES).decode(errors="replace").strip())

    def _status(self, process: subprocess.Popen[bytes], cancelled: Callable[[], bool]) -> int | None:
        ends_at = time.monotonic() + self._timeout_s
        while time.monotonic() < ends_at and not cancelled():
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK_S)
        return None

    def _read(self, status: int, text: str) -> Decision:
        if status not in {ALLOW, DENY}:
            return _failure(f"{self._command[0]} ended with status {status}")
        try:
            said = json.loads(text)
        except ValueError:
            said = None
        reason = text if not isinstance(said, dict) else str(said.get("reason", ""))
        allowed = status == ALLOW and not (isinstance(said, dict) and said.get("allow", True) is not True)
        return Decision(allowed=allowed, reason=clean(reason)[:_SHOWN])


class ByPerson:
    """Asks a person at the terminal of this process."""

    def decide(self, change: Change, *, cancelled: Callable[[], bool]) -> Decision:
        """Show the change and wait for the answer."""
        try:
            descriptor = _terminal()
        except UsageError:
            return _failure("the terminal is gone")
        try:
            termios.tcflush(descriptor, termios.TCIFLUSH)  # what was typed before is no answer
            lines = [f"  {line}" for command in change.commands for line in command.splitlines()]
            what = f"\n\nThe agent asks for {change.method} on {change.device} ({change.platform}):"
            _say(descriptor, "\n".join([what, *lines, ""]))
            while True:
                _say(descriptor, "Allow it? y, or n and the reason: ")
                answer = _line(descriptor, cancelled)
                if answer is None:
                    return _failure("nobody answered")
                word, _, reason = answer.strip().partition(" ")
                if word.lower() in {"y", "yes"}:
                    return Decision(allowed=True, reason=clean(reason)[:_SHOWN])
                if word.lower() in {"n", "no"}:
                    return Decision(allowed=False, reason=clean(reason)[:_SHOWN])
        except OSError:
            return _failure("the terminal is gone")
        finally:
            os.close(descriptor)


def _failure(why: str) -> Decision:
    return Decision(allowed=False, reason=why, failed=True)


def _say(descriptor: int, text: str) -> None:
    data = clean(text).encode(errors="replace")
    while data:
        data = data[os.write(descriptor, data) :]


def _line(descriptor: int, cancelled: Callable[[], bool]) -> str | None:
    """The next line; ``None`` if there is none, or nobody waits for it any more."""
    while not cancelled():
        if select.select([descriptor], [], [], _LOOK_S)[0]:
            data = os.read(descriptor, 4096)
            return data.decode(errors="replace") if data else None
    return None


def _terminal() -> int:
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        raise UsageError("approval: person needs a terminal; without one, name a program") from None
