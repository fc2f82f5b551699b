"""A client of the switching program (``native/switch.c``): orders, copied frames, learned addresses."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop, Timer

PROGRAM = "/opt/netbench/lib/switch"
BLOCKING, LEARNING, FORWARDING = range(3)
CONTROL, DHCP, ARP, STRANGER = 1, 2, 4, 8
_TRANSMIT, _APPROVED, _RAW, _AGAIN = range(4)
_HEAD = struct.Struct("=BBHHH10s")
_NO_OFFLOAD = bytes(10)
_MESSAGE = 1 << 19
_ORDERS = 16_000


@dataclass(frozen=True)
class Frame:
    """A frame from the switching program: the reason, the incoming port, and its bytes without the tag."""

    why: int
    port: int
    domain: int
    tci: int
    offload: bytes
    data: bytes

    @property
    def tag(self) -> int:
        """The VLAN of its tag, 0 if it had none."""
        return self.tci & 0xFFF


@dataclass(frozen=True)
class Address:
    """An entry of the address table; ``age`` is the number of seconds since the address was last seen."""

    port: int
    domain: int
    mac: str
    static: bool
    age: int


class Dataplane:
    """A running switching program. It ends when its socket closes, so it cannot outlive this process."""

    def __init__(self, loop: Loop, received: Callable[[Frame], None]) -> None:
        if not os.access(PROGRAM, os.X_OK):
            raise ValueError(
                "the switching program is not there: it needs a C compiler (apt-get install -y gcc libc6-dev)"
            )
        self._loop = loop
        self._received = received
        self._orders: list[str] = []
        self._due: Timer | None = None
        self.errors: list[str] = []
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        with theirs:
            actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0)]
            self._pid = os.posix_spawn(PROGRAM, [PROGRAM], os.environ, file_actions=actions)
        loop.watch(self._socket.fileno(), self._readable)

    def order(self, *words: object) -> None:
        """Add an order; orders run before any later request."""
        self._orders.append(" ".join(map(str, words)))
        if self._due is None:
            self._due = self._loop.after(0, self.flush)

    def flush(self) -> None:
        """Send the pending orders."""
        self._settle()
        pending, self._orders = self._orders, []
        while pending:
            size, count = 0, 0
            while count < len(pending) and size < _ORDERS:
                size += len(pending[count]) + 1
                count += 1
            self._socket.send("\n".join([*pending[:count], ""]).encode())
            del pending[:count]

    def transmit(self, port: int, domain: int, data: bytes) -> None:
        """Send a frame out of ``port`` with the port's tag in ``domain``, whatever the port's state."""
        self._hand(_TRANSMIT, Frame(0, port, domain, 0, _NO_OFFLOAD, data))

    def transmit_raw(self, port: int, tci: int, data: bytes) -> None:
        """Send a frame out of ``port`` with an explicit tag; 0 for none."""
        self._hand(_RAW, Frame(0, port, 0, tci, _NO_OFFLOAD, data))

    def relay(self, frame: Frame, port: int) -> None:
        """Send a received frame out of ``port``."""
        self._hand(_TRANSMIT, replace(frame, port=port))

    def approve(self, frame: Frame) -> None:
        """Forward a received frame as the switching program would have done."""
        self._hand(_APPROVED, frame)

    def judge_again(self, frame: Frame) -> None:
        """Process a received frame again, as if it had just arrived."""
        self._hand(_AGAIN, frame)

    def _hand(self, what: int, frame: Frame) -> None:
        self.flush()
        self._socket.send(_HEAD.pack(0, what, frame.port, frame.domain, frame.tci, frame.offload) + frame.data)

    def addresses(self) -> list[Address]:
        """Return the address table."""
        self.order("list")
        self.flush()
        lines: list[str] = []
        while not lines or lines[-1] != "end":
            message = self._socket.recv(_MESSAGE)
            if not message:
                raise ValueError("the switching program has ended")
            if message[0]:
                lines += self._without_errors(message)
            else:
                # frames that arrive meanwhile are handled when the table is complete
                self._loop.after(0, partial(self._received, _frame(message)))
        return [_address(line) for line in lines[:-1]]

    def _readable(self) -> None:
        message = self._socket.recv(_MESSAGE)
        if not message:
            self._loop.unwatch(self._socket.fileno())
            self.errors.append("the switching program has ended")
        elif message[0]:
            self._without_errors(message)
        else:
            self._received(_frame(message))

    def _without_errors(self, message: bytes) -> list[str]:
        lines = message.decode().splitlines()
        self.errors += [line.removeprefix("error ") for line in lines if line.startswith("error ")]
        return [line for line in lines if not line.startswith("error ")]

    def _settle(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def close(self) -> None:
        """End the program."""
        self._settle()
        self._loop.unwatch(self._socket.fileno())
        self._socket.close()
        os.waitpid(self._pid, 0)


def _frame(message: bytes) -> Frame:
    _, why, port, domain, tci, offload = _HEAD.unpack_from(message)
    return Frame(why, port, domain, tci, offload, message[_HEAD.size :])


def _address(line: str) -> Address:
    port, domain, mac, kind, age = line.split()
    return Address(int(port), int(domain), mac, kind == "static", int(age))
