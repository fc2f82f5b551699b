"""The process that has root's rights for a lab whose owner has not. Standard library only.

It runs in a container of the engine, with the files and processes of this machine. It serves its owner by a socket in
the folder of the lab, and ends when descriptor 0 is closed. Each connection is one request: a program, with the
descriptors that it has, or a call that is answered with a descriptor.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from pytest_netbench.backends.containerlab import exchange, networks, rooms

READY = b"ready\n"
_PEER = struct.Struct("=iII")
_WAITING = 64
_DEFAULTED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE)
Message = dict[str, Any]


def main(folder: str, owner: str) -> NoReturn:
    """Serve the user ``owner`` from a socket in ``folder``, until descriptor 0 is closed."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with exchange.address(folder) as path:
        listener.bind(path)
        Path(path).chmod(0o600)
        os.chown(path, int(owner), -1)
    listener.listen(_WAITING)
    os.write(1, READY)
    watched: tuple[Any, ...] = (0, listener)
    while True:
        ready, _, _ = select.select(watched, [], [])
        if 0 in ready and not os.read(0, 1):
            os._exit(0)
        if listener in ready:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(connection, int(owner)), daemon=True).start()


def _serve(connection: socket.socket, owner: int) -> None:
    with connection, contextlib.suppress(OSError):
        peer = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[1]
        if peer not in (0, owner):
            return
        data, descriptors = exchange.receive(connection)
        message = json.loads(data)
        try:
            if message["op"] == "run":
                _run(connection, message, descriptors)
            else:
                _call(connection, message)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _run(connection: socket.socket, message: Message, descriptors: list[int]) -> None:
    """Run a program; tell how it ended. It is killed when nobody waits for it any more."""
    pid = _spawned(message["argv"], message["numbers"], descriptors)
    while descriptors:  # whoever reads from the program waits for the last one that could write
        os.close(descriptors.pop())
    end = os.pidfd_open(pid)
    watched: tuple[Any, ...] = (end, connection)
    try:
        ready, _, _ = select.select(watched, [], [])
        if end not in ready:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
    finally:
        os.close(end)
    connection.sendall(struct.pack("=i", status))


def _spawned(argv: list[str], numbers: list[int], descriptors: list[int]) -> int:
    lifted = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, max(numbers) + 1) for one in descriptors]
    try:
        return os.posix_spawn(
            argv[0],
            argv,
            {"LANG": "C.UTF-8"},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, source, number) for number, source in zip(numbers, lifted, strict=True)
            ],
            setpgroup=0,
            setsigmask=(),
            setsigdef=_DEFAULTED,
        )
    finally:
        for one in lifted:
            os.close(one)


def _call(connection: socket.socket, message: Message) -> None:
    """Make a call; answer with its descriptor if it has one, or with why it failed."""
    try:
        found = _CALLS[message["op"]](message)
    except OSError as error:
        exchange.send(connection, json.dumps({"errno": error.errno, "error": error.strerror or str(error)}).encode())
        return
    try:
        exchange.send(connection, b"{}", [] if found is None else [found])
    finally:
        if found is not None:
            os.close(found)


def _plug_in(message: Message) -> None:
    networks.plug_in(message["pid"], message["names"])


def _silence(message: Message) -> None:
    networks.set_silent(message["pid"], message["name"], silent=message["silent"])


_CALLS: Mapping[str, Callable[[Message], int | None]] = {
    "network": lambda message: rooms.network(message["pid"], message["started"]),
    "open": lambda message: rooms.open_file(
        message["pid"], message["started"], message["path"], message["flags"], message["mode"]
    ),
    "connect": lambda message: rooms.connect(message["pid"], message["started"], message["path"]).detach(),
    "plug-in": _plug_in,
    "silence": _silence,
}
