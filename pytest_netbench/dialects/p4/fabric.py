"""What switches with the program ``ipv4_fabric`` do with a packet, on paper. Pure."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from pytest_netbench.dialects.p4.lines import Line, parse, short
from pytest_netbench.dialects.p4.syntax import written

PROGRAM: Final = "ipv4_fabric"
ROUTES: Final = "ipv4_lpm"
MEMBERS: Final = "ecmp_members"
ICMP: Final = 1
_POLYNOMIAL: Final = 0xA001


def lines_of(config: str, table: str) -> Iterator[Line]:
    """The lines of a config about one table."""
    lines = (parse(text) for text in written(config) if text.split()[0] != "program")
    return (line for line in lines if short(line.name) == table)


def entries_of(config: str, table: str) -> Iterator[Line]:
    """The entries that a config gives to a table."""
    return (line for line in lines_of(config, table) if line.verb == "table_add")


def route(lines: Iterable[Line], address: str) -> Line | None:
    """The line of ``ipv4_lpm`` that is in force for packets to an address: the longest prefix, or else the default."""
    best, longest = None, -1
    for line in lines:
        prefix = IPv4Network(line.match[0]) if line.verb == "table_add" else IPv4Network("0.0.0.0/0")
        if IPv4Address(address) in prefix and prefix.prefixlen > longest:
            best, longest = line, prefix.prefixlen
    return best


def bucket(source: str, target: str, size: int, *, protocol: int = ICMP, ports: tuple[int, int] = (0, 0)) -> int:
    """The bucket of a group of ``size`` members that a flow falls into.

    Args:
        source: IPv4 address.
        target: IPv4 address.
        size: At least 1.
        protocol: Number of the protocol.
        ports: Of source and target; zeros for protocols other than TCP and UDP.
    """
    addresses = IPv4Address(source).packed + IPv4Address(target).packed
    return _crc16(addresses + struct.pack(">BHH", protocol, *ports)) % size


def _crc16(data: bytes) -> int:
    """CRC-16 as P4's ``HashAlgorithm.crc16``: reflected, from 0."""
    value = 0
    for octet in data:
        value ^= octet
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
    return value
