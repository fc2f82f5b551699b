"""All processes of a lab stopped, and let run again. Standard library only."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_netbench.backends.netns.supervisor import roots

_STOPPED: Final = frozenset("Tt")
_ENDED: Final = frozenset("ZX")
"""States of a process: of its first thread, which may have ended before others."""
_STATE: Final = 0
_TERMINAL: Final = 4
_PATIENCE_S: Final = 0.1
_PAUSE_S: Final = 0.0005


class Halting:
    """Stops and continues every process but the supervisor, which is the init of the lab.

    What had been stopped before stays stopped: frozen and throttled daemons, and what an agent has stopped itself.
    """

    def __init__(self) -> None:
        self._stopped_before: frozenset[int] | None = None
        self._attended: set[int] = set()
        self._halted_at = self._stood_s = 0.0

    @property
    def is_halted(self) -> bool:
        """Whether the processes are stopped."""
        return self._stopped_before is not None

    def moving_s(self) -> float:
        """Wall seconds, monotonic, without those in which the processes were stopped."""
        return (self._halted_at if self.is_halted else time.monotonic()) - self._stood_s

    def halt(self) -> None:
        """Stop them, and return once none runs. Idempotent."""
        if self.is_halted:
            return
        self._stopped_before = frozenset(pid for pid in _pids() if _state(pid) in _STOPPED)
        self._halted_at = time.monotonic()
        ends_at = self._halted_at + _PATIENCE_S
        # a shell that sees what it waits for stopped takes its terminal back: shells first, and each for itself
        for pid in sorted(pid for pid in _pids() if _has_terminal(pid)):
            _signal(pid, signal.SIGSTOP)
            _await_stop((pid,), ends_at)
        with contextlib.suppress(ProcessLookupError):  # there is none
            os.kill(-1, signal.SIGSTOP)  # no process that forks at this moment escapes
        _await_stop(tuple(_pids()), ends_at)
        self._attended.intersection_update(_pids())
        for pid in self._attended:
            _signal(pid, signal.SIGCONT)

    def go_on(self) -> None:
        """Let them run again. Idempotent."""
        before, self._stopped_before = self._stopped_before, None
        if before is None:
            return
        self._stood_s += time.monotonic() - self._halted_at
        # children first: a shell that looks at its children finds none that is stopped
        for pid in sorted(_pids(), reverse=True):
            if pid not in before:
                _signal(pid, signal.SIGCONT)

    def attend(self, pid: int, *, attended: bool) -> None:
        """Let a process go on also while others are stopped, or no longer. What it starts goes on as well."""
        (self._attended.add if attended else self._attended.discard)(pid)
        if self.is_halted:
            _signal(pid, signal.SIGCONT if attended else signal.SIGSTOP)


def _await_stop(pids: Iterable[int], ends_at: float) -> None:
    while any(_state(pid) not in _STOPPED | _ENDED for pid in pids) and time.monotonic() < ends_at:
        time.sleep(_PAUSE_S)  # a process that is stopped tells nobody that it is


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _pids() -> Iterator[int]:
    return (int(entry) for entry in os.listdir(roots.PROC) if entry.isdigit() and int(entry) != os.getpid())


def _state(pid: int) -> str:
    return _field(pid, _STATE) or "X"


def _has_terminal(pid: int) -> bool:
    return _field(pid, _TERMINAL) not in ("", "0")


def _field(pid: int, number: int) -> str:
    """A field of a process behind its name; empty if it has ended."""
    try:
        with open(f"{roots.PROC}/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[number]
    except (OSError, IndexError):
        return ""
