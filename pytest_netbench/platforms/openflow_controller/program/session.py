"""One connection of a switch: greeting, its ports, the flows that it is sent, and echoes."""

from __future__ import annotations

import asyncio
import itertools
import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from pytest_netbench.dialects.openflow_controller.fabric import Rule
from pytest_netbench.platforms.openflow_controller.program import messages
from pytest_netbench.platforms.openflow_controller.program.messages import HEADER, OFP, PARSER

ECHO_S = 1.0
SILENT_S = 4.0
"""Lab seconds after which a switch that says nothing is given up; ``backends.netns.clock.timers`` knows them, too."""


class Session:
    """A switch that has connected.

    Args:
        reader: What it says.
        writer: What it is told.
        known: Returns the name of a datapath that may connect, by its number and address; ``None`` refuses it.
        changed: Called when its ports or its state have changed.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        known: Callable[[int, str], str | None],
        changed: Callable[[], None],
    ) -> None:
        self._reader, self._writer = reader, writer
        self._known, self._changed = known, changed
        self._numbers = itertools.count(1)
        self._barrier = 0
        self._was_sent = False
        self.name: str | None = None
        self.has_ports = False
        self.is_programmed = False
        self.down: set[int] = set()

    async def run(self) -> None:
        """Speak with the switch until it is gone."""
        self._send(PARSER.OFPHello(messages.DATAPATH))
        echoes = asyncio.ensure_future(self._echo())
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError):
            while True:
                head = await asyncio.wait_for(self._reader.readexactly(HEADER), SILENT_S)
                body = await self._reader.readexactly(int.from_bytes(head[2:4], "big") - HEADER)
                self._received(messages.decode(head + body))
        echoes.cancel()
        self.close()

    def program(self, rules: Iterable[Rule], present: dict[object, Rule]) -> None:
        """Send what is new or other, remove what is no longer wanted, and leave flows of others alone.

        Args:
            rules: What the switch is to have.
            present: What it was sent, also on earlier connections; brought up to date.
        """
        wanted: dict[object, Rule] = {rule.key: rule for rule in rules}
        gone = [rule for key, rule in present.items() if key not in wanted]
        # a switch that connects anew may have lost its flows
        new = [rule for key, rule in wanted.items() if not self._was_sent or present.get(key) != rule]
        present.clear()
        present.update(wanted)
        if gone or new or not self._was_sent:
            self._was_sent, self.is_programmed = True, False
            for message in (*map(messages.removing, gone), *map(messages.adding, new)):
                self._send(message)
            self._barrier = self._send(PARSER.OFPBarrierRequest(messages.DATAPATH))

    def close(self) -> None:
        """End the connection at once, whether or not the switch hears what was said last."""
        made = self._writer.get_extra_info("socket")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _echo(self) -> None:
        while True:
            await asyncio.sleep(ECHO_S)
            self._send(PARSER.OFPEchoRequest(messages.DATAPATH))

    def _send(self, message: Any) -> int:
        number = next(self._numbers)
        self._writer.write(messages.encode(message, number))
        return number

    def _received(self, message: Any) -> None:
        if isinstance(message, PARSER.OFPHello):
            self._send(PARSER.OFPFeaturesRequest(messages.DATAPATH))
        elif isinstance(message, PARSER.OFPSwitchFeatures):
            self._admit(message.datapath_id)
        elif isinstance(message, PARSER.OFPEchoRequest):
            reply = PARSER.OFPEchoReply(messages.DATAPATH, data=message.data)
            self._writer.write(messages.encode(reply, message.xid))
        elif isinstance(message, PARSER.OFPPortDescStatsReply):
            for port in message.body:
                self._note(port)
            self.has_ports = True
            self._changed()
        elif isinstance(message, PARSER.OFPPortStatus):
            self._note(message.desc, is_gone=message.reason == OFP.OFPPR_DELETE)
            self._changed()
        elif isinstance(message, PARSER.OFPBarrierReply) and message.xid == self._barrier:
            self.is_programmed = True
            self._changed()

    def _admit(self, number: int) -> None:
        self.name = self._known(number, self._writer.get_extra_info("peername")[0])
        if self.name is None:
            self.close()
        else:
            self._send(PARSER.OFPPortDescStatsRequest(messages.DATAPATH, 0))

    def _note(self, port: Any, *, is_gone: bool = False) -> None:
        if is_gone or port.state & OFP.OFPPS_LINK_DOWN or port.config & OFP.OFPPC_PORT_DOWN:
            self.down.add(port.port_no)
        else:
            self.down.discard(port.port_no)
