"""The keeper of an agent's process: starts it, and ends everything that it has started. Standard library only.

The trial's process starts the keeper. The keeper forks the agent's process and waits for one of two events: the agent's
process ends, or the trial's process ends or wants the end. Then it kills all descendants. It adopts those whose parents
have ended (``PR_SET_CHILD_SUBREAPER``), also those in sessions of their own, so none is left.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
FIRST_TO_DIE: Final = 1000
"""Value of ``oom_score_adj``: the kernel kills this process first if memory runs out."""


def keep(work: Callable[[], None], *, alive: int, status: int) -> None:
    """Run ``work`` in a child process; write how it ended; kill what is left. Does not return.

    Args:
        work: The agent's process.
        alive: A descriptor that is at its end once the trial's process is gone or wants the end.
        status: A descriptor that takes the exit status as ``subprocess`` has it, in decimal.
    """
    trial = os.getppid()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    keeper = os.getpid()
    child = os.fork()
    if child == 0:
        _begin(keeper, [alive, status, woken, wake])
        work()
        os._exit(0)
    _let_go(kept={alive, status, woken, wake})
    _wait(child, woken, [alive, *_parent(trial)], status)
    os.close(status)
    _kill_all()
    os._exit(0)


def _begin(keeper: int, unwanted: list[int]) -> None:
    """In the agent's process: end with the keeper, die first if memory runs out, and be as any new process."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in unwanted:
        os.close(descriptor)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_DIE))


def _let_go(*, kept: set[int]) -> None:
    """Close what belongs to the agent's process: its socket and its output end with it."""
    for name in [entry.name for entry in os.scandir("/proc/self/fd")]:
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _parent(process: int) -> list[int]:
    """A descriptor that is readable once the parent has ended, also if a copy of it holds its descriptors."""
    try:
        handle = os.pidfd_open(process)
    except OSError:
        return []
    return [handle] if os.getppid() == process else []


def _wait(child: int, woken: int, ends: list[int], status: int) -> None:
    """Return once the child has ended, and has been told of, or one of ``ends`` is readable."""
    poller = select.poll()
    for descriptor in (woken, *ends):
        poller.register(descriptor, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poller.poll()}
        if woken in ready:
            os.read(woken, 4096)
            if _reaped(child, status):
                return
        if ready & set(ends):
            return


def _reaped(child: int, status: int) -> bool:
    """Reap what has ended; whether the child was among it."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, ended = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return False
            if process == child:
                with contextlib.suppress(OSError):
                    os.write(status, f"{os.waitstatus_to_exitcode(ended)}\n".encode())
                return True
    return True


def _kill_all() -> None:
    """Kill all descendants, and those that they start meanwhile."""
    with contextlib.suppress(ChildProcessError):
        while True:
            for process in _descendants():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            os.waitpid(-1, 0)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for name in (entry.name for entry in os.scandir("/proc")):
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # the name of the program is in brackets and may have any characters
                fields = Path("/proc", name, "stat").read_text(errors="replace").rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = [], [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        os.write(2, f"prctl({option}): {os.strerror(ctypes.get_errno())}\n".encode())
        os._exit(1)


def main() -> None:
    """Keep the process of the agent: ``keeper SOCKET ALIVE STATUS STACKS``, all descriptors."""
    connection, alive, status, stacks = map(int, sys.argv[-4:])

    def work() -> None:
        from pytest_netbench.agents.worker.inside import serve  # the keeper needs none of it

        serve(connection, stacks)

    keep(work, alive=alive, status=status)
