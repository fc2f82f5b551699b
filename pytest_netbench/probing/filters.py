"""Packet filters (classic BPF) for sockets: one wakes its reader only for what probes need. Standard library only."""

from __future__ import annotations

import ctypes
import socket
import struct

_SO_ATTACH_FILTER = 26
_LOAD_WORD, _LOAD_HALF, _LOAD_BYTE = 0x20, 0x28, 0x30
_LOAD_HALF_INDEXED, _LOAD_INDEXED, _HEADER_LENGTH = 0x48, 0x50, 0xB1
_EQUAL, _AND, _RETURN = 0x15, 0x54, 0x06
_PACKET_TYPE, _ETHERTYPE = 0xFFFFF004, 0xFFFFF000
_IPV4, _IPV6 = 0x0800, 0x86DD
_TCP, _UDP, _ICMP, _ICMPV6, _GRE, _ESP = 6, 17, 1, 58, 47, 50
_SYN_WITHOUT_ACK = (0x12, 0x02)
_PSH_ACK_ALONE = (0x1F, 0x18)

# Each line: label, operation, operand, and for a comparison where to go on if it holds and if not.
_Line = tuple[str, int, int, str, str]
_ENDS: list[_Line] = [("drop", _RETURN, 0, "", ""), ("keep", _RETURN, 0xFFFF, "", "")]


def _program(incoming: str, window: int) -> list[_Line]:
    return [
        ("", _LOAD_WORD, _PACKET_TYPE, "", ""),
        ("", _EQUAL, socket.PACKET_OUTGOING, "out", incoming),
        ("in", _LOAD_WORD, _ETHERTYPE, "", ""),
        ("", _EQUAL, _IPV4, "in4", ""),
        ("", _EQUAL, _IPV6, "in6", "drop"),
        ("in4", _LOAD_BYTE, 9, "", ""),
        ("", _EQUAL, _UDP, "keep", ""),
        ("", _EQUAL, _TCP, "tcp4", ""),
        ("", _EQUAL, _GRE, "keep", ""),
        ("", _EQUAL, _ESP, "keep", ""),
        ("", _EQUAL, _ICMP, "", "drop"),
        ("", _HEADER_LENGTH, 0, "", ""),
        ("", _LOAD_INDEXED, 0, "", ""),
        ("", _EQUAL, 8, "keep", ""),
        ("", _EQUAL, 3, "keep", "drop"),
        ("in6", _LOAD_BYTE, 6, "", ""),
        ("", _EQUAL, _UDP, "keep", ""),
        ("", _EQUAL, _TCP, "tcp6", ""),
        ("", _EQUAL, _GRE, "keep", ""),
        ("", _EQUAL, _ESP, "keep", ""),
        ("", _EQUAL, _ICMPV6, "", "drop"),
        ("", _LOAD_BYTE, 40, "", ""),
        ("", _EQUAL, 128, "keep", ""),
        ("", _EQUAL, 1, "keep", "drop"),
        ("out", _LOAD_WORD, _ETHERTYPE, "", ""),
        ("", _EQUAL, _IPV4, "out4", ""),
        ("", _EQUAL, _IPV6, "", "drop"),
        ("", _LOAD_BYTE, 6, "", ""),
        ("", _EQUAL, _TCP, "tcp6", "drop"),
        ("out4", _LOAD_BYTE, 9, "", ""),
        ("", _EQUAL, _TCP, "tcp4", "drop"),
        *_tcp("tcp4", window, header=None),
        *_tcp("tcp6", window, header=40),
        *_ENDS,
    ]


def _tcp(label: str, window: int, *, header: int | None) -> list[_Line]:
    """Keep first segments, and data with ``window``; the TCP header follows one of IPv4 if ``header`` is ``None``."""
    byte, half = (_LOAD_INDEXED, _LOAD_HALF_INDEXED) if header is None else (_LOAD_BYTE, _LOAD_HALF)
    start = header or 0
    return [
        (label, _HEADER_LENGTH, 0, "", "") if header is None else (label, byte, start, "", ""),
        ("", byte, start + 13, "", ""),
        ("", _AND, _SYN_WITHOUT_ACK[0], "", ""),
        ("", _EQUAL, _SYN_WITHOUT_ACK[1], "keep", ""),
        ("", byte, start + 13, "", ""),
        ("", _AND, _PSH_ACK_ALONE[0], "", ""),
        ("", _EQUAL, _PSH_ACK_ALONE[1], "", "drop"),
        ("", half, start + 14, "", ""),
        ("", _EQUAL, window, "keep", "drop"),
    ]


def _assemble(lines: list[_Line]) -> bytes:
    places = {label: number for number, (label, *_) in enumerate(lines) if label}

    def jump(number: int, label: str) -> int:
        return places[label] - number - 1 if label else 0

    return b"".join(
        struct.pack("HBBI", operation, jump(number, yes), jump(number, no), operand)
        for number, (_, operation, operand, yes, no) in enumerate(lines)
    )


def requests(window: int) -> bytes:
    """Echo requests, ICMP errors (unreachable), UDP, GRE, ESP and ``of_tcp`` that come; the same of TCP that leaves."""
    return _assemble(_program("in", window))


def everything_in(window: int) -> bytes:
    """All that comes; ``of_tcp`` that leaves."""
    return _assemble(_program("keep", window))


def of_tcp(window: int, *, version: int) -> bytes:
    """For a raw socket: first segments, and segments with data (PSH and ACK) that announce ``window``."""
    # over IPv6 a raw socket's packets begin after the IP header
    return _assemble([*_tcp("", window, header=None if version == 4 else 0), *_ENDS])


def attach(sock: socket.socket, program: bytes) -> None:
    """Let ``sock`` receive only what ``program`` keeps.

    Raises:
        OSError: The kernel refuses the program.
    """
    code = ctypes.create_string_buffer(program, len(program))
    sock.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(program) // 8, ctypes.addressof(code)))
