"""Filters of sockets: what the kernel passes on to the prober."""

from __future__ import annotations

import socket
import struct

import pytest

from pytest_netbench.probing import filters, packets

WINDOW = 501
FIRST, LAST, DATA = packets.SYN, 1 | packets.ACK, packets.PSH | packets.ACK


def passes(program: bytes, packet: bytes) -> bool:
    """Whether the kernel gives ``packet`` to a socket with this filter, which may be one between processes."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with here, there:
        filters.attach(there, program)
        here.send(packet)
        try:
            return there.recv(4096, socket.MSG_DONTWAIT) == packet
        except BlockingIOError:
            return False


def segment(version: int, flags: int, window: int, *, options: bytes = b"") -> bytes:
    """What a raw socket is given: over IPv4 with the IP header, over IPv6 without it."""
    address = bytes(4 if version == 4 else 16)
    found = packets.segment(
        address, address, (1, 2), number=3, confirmed=4, flags=flags, payload=b"some data", window=window
    )
    if version == 6:
        return found
    size = 20 + len(options)
    start = struct.pack("!BBHHHBBH", 0x40 | size // 4, 0, size + len(found), 0, 0, 64, packets.TCP, 0)
    return start + address * 2 + options + found


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize(
    ("flags", "window", "kept"),
    [
        (FIRST, 64240, True),
        (FIRST, WINDOW, True),
        (DATA, WINDOW, True),
        (DATA, WINDOW + 1, False),
        (DATA | 0x40, WINDOW, True),
        (DATA | packets.SYN, WINDOW, False),
        (DATA | packets.RST, WINDOW, False),
        (packets.ACK, WINDOW, False),
        (packets.PSH, WINDOW, False),
        (LAST, WINDOW, False),
        (packets.SYN | packets.ACK, WINDOW, False),
    ],
)
def test_first_segments_and_data_with_the_window_of_the_call_are_kept(
    version: int, flags: int, window: int, kept: bool
) -> None:
    program = filters.of_tcp(WINDOW, version=version)
    assert passes(program, segment(version, flags, window)) is kept


def test_options_of_ip_do_not_hide_a_segment() -> None:
    packet = segment(4, DATA, WINDOW, options=b"\x01" * 8)
    assert passes(filters.of_tcp(WINDOW, version=4), packet)
