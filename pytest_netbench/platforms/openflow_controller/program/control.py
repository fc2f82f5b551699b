"""The controller: it keeps the flows of all switches that are connected as its intents need them.

``SIGHUP`` makes it read its intents again. Its state is in a file, one line for each switch.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from importlib import import_module
from typing import TYPE_CHECKING

from pytest_netbench.dialects.openflow_controller import fabric, intents

if TYPE_CHECKING:
    from pytest_netbench.platforms.openflow_controller.program.session import Session

DISCONNECTED, CONNECTED, PROGRAMMED = "disconnected", "connected", "programmed"


class Controller:
    """A controller.

    Args:
        config: The file of its intents.
        status: The file of its state.
        listening: A socket that listens on the port of the intents; made before slow imports, so that none is refused.
    """

    def __init__(self, *, config: str, status: str, listening: socket.socket) -> None:
        self._config, self._status = config, status
        self._listening = listening
        self._intents = read(config)
        self._server: asyncio.Server | None = None
        self._sessions: dict[str, Session] = {}
        self._all: set[Session] = set()
        self._present: dict[str, dict[object, fabric.Rule]] = {}

    async def run(self) -> None:
        """Serve until the process ends."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, lambda: asyncio.ensure_future(self._reload()))
        self._server = await asyncio.start_server(self._serve, sock=self._listening)
        self._tell()
        await asyncio.Event().wait()

    async def _reload(self) -> None:
        before, self._intents = self._intents.listen, read(self._config)
        if self._intents.listen != before and self._server is not None:
            self._server.close()
            for session in list(self._all):
                session.close()
            self._server = await asyncio.start_server(self._serve, sock=listen(self._intents.listen))
        self._refresh()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from pytest_netbench.platforms.openflow_controller.program.session import Session  # slow

        session = Session(reader, writer, known=self._name, changed=self._refresh)
        self._all.add(session)
        try:
            await session.run()
        finally:
            self._all.discard(session)
            if session.name is not None and self._sessions.get(session.name) is session:
                del self._sessions[session.name]
                self._tell()

    def _name(self, number: int, address: str) -> str | None:
        """The switch of a datapath that connects from its own address and is not connected already."""
        for one in self._intents.switches:
            if (one.number, one.address) == (number, address) and one.name not in self._sessions:
                return one.name
        return None

    def _refresh(self) -> None:
        self._sessions = {one.name: one for one in self._all if one.name is not None and one.has_ports}
        down = {(name, port) for name, session in self._sessions.items() for port in session.down}
        for name, rules in fabric.tables(self._intents, down).items():
            if name in self._sessions:
                self._sessions[name].program(rules, self._present.setdefault(name, {}))
        self._tell()

    def _tell(self) -> None:
        draft = f"{self._status}.new"
        with open(draft, "w", encoding="utf-8") as file:
            file.writelines(f"{one.name} {self._state(one.name)}\n" for one in self._intents.switches)
        os.replace(draft, self._status)

    def _state(self, name: str) -> str:
        session = self._sessions.get(name)
        if session is None:
            return DISCONNECTED
        return PROGRAMMED if session.is_programmed else CONNECTED


def read(config: str) -> intents.Intents:
    """Return the intents in a file.

    Raises:
        ValueError: They are wrong.
    """
    with open(config, encoding="utf-8") as file:
        return intents.parse(file)


def listen(port: int) -> socket.socket:
    """Return a socket that listens on a port of all addresses.

    Raises:
        OSError: The port is taken.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("", port))
    made.listen(128)
    made.setblocking(False)
    return made


def main(directory: str, config: str) -> None:
    """Run the controller; its process id and its state are in ``directory``."""
    listening = listen(read(config).listen)
    with open(f"{directory}/pid", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    import_module("pytest_netbench.platforms.openflow_controller.program.session")  # slow: no session waits for it
    asyncio.run(Controller(config=config, status=f"{directory}/status", listening=listening).run())
