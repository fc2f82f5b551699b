"""Files, sockets and networks of a container, reached by its first process as root. Standard library only."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

from pytest_netbench.kernel import syscalls
from pytest_netbench.kernel.processes import started


def network(pid: int, since: str) -> int:
    """A descriptor of the network of a container.

    Raises:
        OSError: The container has ended.
    """
    found = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    _check(pid, since)
    return found


def open_file(pid: int, since: str, path: str, flags: int, mode: int) -> int:
    """Open a file of a container; no link leads out of it.

    Raises:
        OSError: The container has ended, or has no such file.
    """
    with _root(pid, since) as root:
        created = mode if flags & os.O_CREAT else 0
        # mount points of a container are the engine's: an agent's command has its own
        found = syscalls.open_in_root(root, path, flags | os.O_NONBLOCK, created, mounts=True)
        if created:
            os.fchmod(found, mode)  # of one that was there, too: its owner is not who asks
        return found


def connect(pid: int, since: str, path: str) -> socket.socket:
    """Connect to a socket of a container.

    Raises:
        OSError: The container has ended, or nobody listens there.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _root(pid, since) as root:
            connection.connect(f"/proc/self/fd/{root}{path}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _root(pid: int, since: str) -> Iterator[int]:
    root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _check(pid, since)
        yield root
    finally:
        os.close(root)


def _check(pid: int, since: str) -> None:
    if started(pid) != since:
        raise ProcessLookupError(3, "the container has ended")
