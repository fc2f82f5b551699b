"""The process that has root's rights for a lab, and forks the programs that are run in its containers.

Its owner is served by a socket in the folder of the lab; it ends when descriptor 0 is closed. Each connection is one
request: a program, with the descriptors that it has, or a call that is answered with a descriptor. Where the owner is
not root, this runs in a container of the engine, with the files and processes of this machine. Standard library only.
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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from pytest_netbench.backends.containerlab import entrance, exchange, measuring, networks, rooms
from pytest_netbench.kernel import confinement

READY = b"ready\n"
_PEER = struct.Struct("=iII")
_WAITING = 64
_REQUEST_S = 10.0
_DEFAULTED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE)
_LAUNCHER = "launcher.py"
_NOT_STARTED = 126
Message = dict[str, Any]


class _Program(NamedTuple):
    """A program that runs, and who waits for it."""

    pid: int
    end: int
    connection: socket.socket


def main(folder: str, owner: str) -> NoReturn:
    """Serve the user ``owner`` from a socket in ``folder``, until descriptor 0 is closed."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with exchange.address(folder) as path:
        listener.bind(path)
        Path(path).chmod(0o600)
        os.chown(path, int(owner), -1)
    listener.listen(_WAITING)
    os.write(1, READY)
    _Server(listener, int(owner)).serve()


class _Server:
    """Has no threads, so that it can fork."""

    def __init__(self, listener: socket.socket, owner: int) -> None:
        self._listener = listener
        self._owner = owner
        self._poller = select.poll()
        self._ends: dict[int, _Program] = {}
        self._waiting: dict[int, _Program] = {}
        for descriptor in (0, listener.fileno()):
            self._poller.register(descriptor, select.POLLIN)

    def serve(self) -> NoReturn:
        while True:
            ready = [descriptor for descriptor, _ in self._poller.poll()]
            if 0 in ready and not os.read(0, 1):
                os._exit(0)
            for descriptor in ready:
                if descriptor in self._ends:
                    self._finish(self._ends[descriptor])
                elif descriptor in self._waiting:
                    self._give_up(self._waiting[descriptor])
            if self._listener.fileno() in ready:
                self._begin(self._listener.accept()[0])

    def _begin(self, connection: socket.socket) -> None:
        peer = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[1]
        if peer not in (0, self._owner):
            connection.close()
            return
        connection.settimeout(_REQUEST_S)
        try:
            data, descriptors = exchange.receive(connection)
        except OSError:
            connection.close()
            return
        message = json.loads(data)
        try:
            if message["op"] == "run":
                self._run(connection, message, descriptors)
            else:
                with connection, contextlib.suppress(OSError):
                    _call(connection, message)
        except OSError:
            connection.close()
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _run(self, connection: socket.socket, message: Message, descriptors: list[int]) -> None:
        pid = _started(message["argv"], message["numbers"], descriptors)
        program = _Program(pid, os.pidfd_open(pid), connection)
        self._ends[program.end] = self._waiting[connection.fileno()] = program
        for descriptor in (program.end, connection.fileno()):
            self._poller.register(descriptor, select.POLLIN)

    def _give_up(self, program: _Program) -> None:
        """Kill a program that nobody waits for any more."""
        self._forget(program)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)

    def _finish(self, program: _Program) -> None:
        """Tell how a program ended."""
        self._forget(program)
        self._poller.unregister(program.end)
        del self._ends[program.end]
        os.close(program.end)
        status = os.waitpid(program.pid, 0)[1]
        with program.connection, contextlib.suppress(OSError):
            program.connection.sendall(struct.pack("=i", status))

    def _forget(self, program: _Program) -> None:
        """Look no more at whether somebody waits for a program."""
        if self._waiting.pop(program.connection.fileno(), None) is not None:
            self._poller.unregister(program.connection.fileno())


def _started(argv: list[str], numbers: list[int], descriptors: list[int]) -> int:
    """Start a program; modules that are here already are forked: a new interpreter takes ten times as long."""
    launcher, module, *words = (*argv[3:4], *argv[5:]) if len(argv) > 5 else ("", "")
    if launcher.endswith(f"/{_LAUNCHER}") and module in _MODULES:
        return _forked(lambda: _MODULES[module](*words), numbers, descriptors)
    return _spawned(argv, numbers, descriptors)


def _forked(work: Callable[[], NoReturn], numbers: list[int], descriptors: list[int]) -> int:
    pid = os.fork()
    if pid:
        with contextlib.suppress(OSError):  # the child may be faster
            os.setpgid(pid, pid)
        return pid
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        for one in _DEFAULTED:
            signal.signal(one, signal.SIG_DFL)
        lifted = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, max(numbers) + 1) for one in descriptors]
        for source, number in zip(lifted, numbers, strict=True):
            os.dup2(source, number)
        confinement.let_go(numbers)
        work()
    finally:
        os._exit(_NOT_STARTED)


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


_MODULES: Mapping[str, Callable[..., NoReturn]] = {"entrance": entrance.main, "measuring": measuring.main}
_CALLS: Mapping[str, Callable[[Message], int | None]] = {
    "network": lambda message: rooms.network(message["pid"], message["started"]),
    "open": lambda message: rooms.open_file(
        message["pid"], message["started"], message["path"], message["flags"], message["mode"]
    ),
    "connect": lambda message: rooms.connect(message["pid"], message["started"], message["path"]).detach(),
    "plug-in": _plug_in,
    "silence": _silence,
}
