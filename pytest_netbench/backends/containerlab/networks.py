"""What is done in the network of a container from outside, without a process in it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pytest_netbench.kernel import interfaces, silence, syscalls

_VARIABLES = Path("/proc/sys")


def plug_in(pid: int, names: Sequence[str]) -> None:
    """Set interfaces up without segmentation offloads, in the network of a process: packets on the wire are packets.

    Raises:
        OSError: The process has ended, or has no such interface.
    """
    _within(pid, lambda: interfaces.plug_in(names))


def set_silent(pid: int, name: str, *, silent: bool) -> None:
    """Let an interface in the network of a process receive nothing, or all again.

    Raises:
        OSError: The process has ended, has no such interface, or the kernel cannot do it.
    """
    _within(pid, lambda: silence.silence(name, silent=silent))


def names(pid: int) -> tuple[str, ...]:
    """The interfaces in the network of a process, but for ``lo``.

    Raises:
        OSError: The process has ended.
    """
    found: list[str] = []
    _within(pid, lambda: found.extend(name for _, name in socket.if_nameindex() if name != "lo"))
    return tuple(found)


def offloads(pid: int, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """By interface in the network of a process: its segmentation offloads, see ``kernel.interfaces``.

    Raises:
        OSError: The process has ended, or has no such interface.
    """
    found: dict[str, tuple[int, ...]] = {}
    _within(pid, lambda: found.update({name: interfaces.offloads(name) for name in names}))
    return found


def set_offloads(pid: int, state: Mapping[str, Sequence[int]]) -> None:
    """Set what ``offloads`` returned; interfaces that are gone are left out.

    Raises:
        OSError: The process has ended.
    """

    def work() -> None:
        present = {name for _, name in socket.if_nameindex()}
        for name in present & state.keys():
            interfaces.set_offloads(name, state[name])

    _within(pid, work)


def fresh_variables(patterns: Sequence[str]) -> dict[str, str]:
    """By path below ``/proc/sys``: the variables of a network that nobody has configured.

    Args:
        patterns: Paths below ``/proc/sys``, as shell patterns.
    """
    found: dict[str, str] = {}

    def work() -> None:
        syscalls.unshare(syscalls.CLONE_NEWNET)
        for pattern in patterns:
            for path in _VARIABLES.glob(pattern):
                with contextlib.suppress(OSError):
                    found[str(path.relative_to(_VARIABLES))] = " ".join(path.read_text().split())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found


def _within(pid: int, work: Callable[[], None]) -> None:
    """Do something in a thread that is in the network of a process; the thread ends there."""
    failures: list[OSError] = []

    def enter_and_work() -> None:
        try:
            network = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
            try:
                syscalls.setns(network, syscalls.CLONE_NEWNET)
            finally:
                os.close(network)
            work()
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=enter_and_work)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
