"""The process that runs services: an event loop, shared objects, and a vty socket for commands.

Usage: ``python3 -I -S LIBRARY PROCESS`` listens on ``/run/frr/ios-PROCESS.vty``. Commands, in FRR's vty protocol (a
command and a zero byte; the answer, three zero bytes and a status):

    configure NAME JSON   give the service NAME its whole configuration; ``{}`` makes it idle
    state NAME            its state as JSON
    messages NAME         the last log messages of all services of this process as JSON
    NAME WORDS …          a command of the service's own, such as ``dhcp clear binding *``
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from pytest_netbench.platforms.cisco_ios.services.programs.common.links import Links
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop

SUCCESS, FAILURE = 0, 1
_DIRECTORY = "/run/frr"
_LOG_LINES = 500
_MODULES = {
    "acllog": "messages.acllog",
    "dhcp": "dhcp.service",
    "dhcp_client": "dhcp.client",
    "eigrp": "eigrp.service",
    "fhrp": "fhrp.service",
    "sla": "sla.service",
    "switch": "switching.service",
    "syslog": "messages.syslog",
    "times": "schedules.times",
}
"""The module of each service's class ``Service``; imported when first configured."""


class Service(Protocol):
    """One service. It starts idle; ``configure`` may be called any number of times."""

    def configure(self, config: dict[str, Any]) -> None:
        """Apply the whole configuration; ``{}`` undoes all changes to the node.

        Raises:
            ValueError: The configuration is invalid; the text says why.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return the state for ``show`` commands and tests. ``waiting``: phrases for what is not settled yet."""
        ...

    def command(self, words: list[str]) -> str:
        """Run a command and return its result.

        Raises:
            ValueError: The command is invalid; the text says why.
        """
        ...


class TrackBoard:
    """Tracked objects by number: up, down or unknown (missing). Listeners are called on each change."""

    def __init__(self) -> None:
        self._up: dict[int, bool] = {}
        self._listeners: list[Callable[[], None]] = []

    def is_up(self, number: int) -> bool:
        """Whether object ``number`` is known and up."""
        return self._up.get(number, False)

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every change."""
        self._listeners.append(listener)

    def publish(self, states: Mapping[int, bool]) -> None:
        """Replace the state of all objects."""
        if states != self._up:
            self._up = dict(states)
            for listener in self._listeners:
                listener()


class Shared:
    """Objects that services share: the loop, the node's links, tracked objects and a log of messages."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.links = Links(self.loop)
        self.tracks = TrackBoard()
        self.messages: deque[dict[str, Any]] = deque(maxlen=_LOG_LINES)
        self._readers: list[Callable[[dict[str, Any]], None]] = []

    def log(self, facility: str, severity: int, mnemonic: str, text: str) -> None:
        """Log a message such as ``%HSRP-5-STATECHANGE: …``."""
        entry = {
            "time": time.time(),
            "facility": facility,
            "severity": severity,
            "mnemonic": mnemonic,
            "text": text,
        }
        self.messages.append(entry)
        for reader in self._readers:
            reader(entry)

    def read_log(self, reader: Callable[[dict[str, Any]], None]) -> None:
        """Call ``reader`` with every future message."""
        self._readers.append(reader)


class Host:
    """The services of one process, and their command socket."""

    def __init__(self, process: str, *, directory: str = _DIRECTORY) -> None:
        self._shared = Shared()
        self._services: dict[str, Service] = {}
        self._defect = ""
        self._path = f"{directory}/ios-{process}.vty"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._open()

    def _open(self) -> None:
        """Open the socket, under its final name only when it accepts connections.

        A file with the process ID is beside it, as for FRR's daemons.
        """
        Path(f"{self._path.removesuffix('.vty')}.pid").write_text(f"{os.getpid()}\n")
        temporary = f"{self._path}.{os.getpid()}"
        self._listener.bind(temporary)
        self._listener.listen(8)
        Path(temporary).rename(self._path)
        self._shared.loop.watch(self._listener.fileno(), self._accept)

    def run(self) -> None:
        """Serve forever. An error between commands is the answer to every later request for state."""
        while True:
            try:
                self._shared.loop.run()
            except Exception:  # noqa: BLE001 - the other services go on
                self._defect = self._defect or traceback.format_exc()

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        pending = bytearray()
        self._shared.loop.watch(connection.fileno(), lambda: self._receive(connection, pending))

    def _receive(self, connection: socket.socket, pending: bytearray) -> None:
        try:
            data = connection.recv(1 << 16)
        except ConnectionError:
            data = b""
        if not data:
            self._shared.loop.unwatch(connection.fileno())
            connection.close()
            return
        pending += data
        while (end := pending.find(b"\0")) >= 0:
            command = bytes(pending[:end]).decode()
            del pending[: end + 1]
            text, status = self.answer(command)
            connection.sendall(text.encode() + bytes((0, 0, 0, status)))

    def answer(self, command: str) -> tuple[str, int]:
        """Return the answer to one command, and a status."""
        try:
            return self._carry_out(command), SUCCESS
        except ValueError as error:
            return str(error), FAILURE
        except Exception:  # noqa: BLE001 - whoever asked is told, and the other services go on
            return traceback.format_exc(), FAILURE

    def _carry_out(self, command: str) -> str:
        verb, _, rest = command.strip().partition(" ")
        if verb == "enable":
            return ""
        name, _, argument = rest.partition(" ")
        if verb == "configure":
            self._service(name).configure(json.loads(argument))
            return ""
        if verb == "state":
            if self._defect:
                raise ValueError(self._defect)
            return json.dumps(self._service(name).state())
        if verb == "messages":
            return json.dumps(list(self._shared.messages))
        return self._service(verb).command(rest.split())

    def _service(self, name: str) -> Service:
        if name not in self._services:
            if name not in _MODULES:
                raise ValueError(f"there is no service {name!r} (known: {', '.join(_MODULES)})")
            package = __name__.rsplit(".", 2)[0]
            made: Service = import_module(f"{package}.{_MODULES[name]}").Service(self._shared)
            self._services[name] = made
        return self._services[name]


def main() -> None:
    """Serve as the process named by the first argument."""
    Host(sys.argv[1]).run()
