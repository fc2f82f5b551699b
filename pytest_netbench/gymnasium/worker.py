"""The process of one seat: plays episodes as its parent asks, and ends with it. Run as a module."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from pytest_netbench.errors import InfrastructureError, NetbenchError
from pytest_netbench.gymnasium.environment import NetbenchEnv
from pytest_netbench.pickling import copied, loaded


def main(descriptor: int, parent: int) -> None:
    """Answer requests until the parent closes the connection or ends.

    Args:
        descriptor: Of the socket to the parent.
        parent: Its process id.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts all its processes; the parent decides
    _end_with(parent)
    connection: Connection[Any, Any] = Connection(descriptor)
    sys.path[:] = connection.recv()
    with NetbenchEnv(**loaded(connection.recv())) as env:
        while (request := _next(connection)) is not None:
            try:
                connection.send(answered(env, *request))
            except BrokenPipeError:
                return


def _end_with(parent: int) -> None:
    """End this process at once when ``parent`` ends, whatever it does then. Its labs end with it."""
    watched = os.pidfd_open(parent)
    if os.getppid() != parent:
        os._exit(1)

    def watch() -> None:
        select.select([watched], [], [])
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _next(connection: Connection[Any, Any]) -> tuple[str, Any] | None:
    try:
        request: tuple[str, Any] = connection.recv()
    except (EOFError, ConnectionResetError):
        return None
    return request


def answered(env: NetbenchEnv, method: str, given: Any) -> tuple[str, Any]:
    """Carry out a request: ``reset`` with keyword arguments, or ``step`` with an action; return a ``seats.Answer``."""
    try:
        return "done", env.reset(**given) if method == "reset" else env.step(given)
    except InfrastructureError as error:
        return "broken", str(error)
    except Exception as error:  # noqa: BLE001 - the parent raises it
        return "failed", _sendable(error)


def _sendable(error: Exception) -> Exception:
    """The error, or its text if it cannot be sent."""
    with suppress(Exception):  # whatever its own methods raise
        copied(error)
        return error
    return NetbenchError(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
