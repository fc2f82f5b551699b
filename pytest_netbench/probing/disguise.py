"""Sizes, ports and contents of probes: like ordinary traffic, and drawn for each trial. Standard library only."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable

_NAMES = ("www", "mail", "app", "files", "intranet", "cdn", "api", "login", "static", "update", "news", "img")
_DOMAINS = ("example.com", "example.net", "example.org", "corp.example", "branch.example")
_PING_SIZES = (56, 56, 56, 56, 64, 72, 84, 92, 100, 120)
_PING_TIME = struct.Struct("<qq")
_PING_PATTERN = bytes(range(16, 256))
# RFC 6335: dynamic ports, which no application is registered for
_FREE_PORTS = (49152, 65535)
# above the ports from which Linux opens connections (ip_local_port_range): no session has them
_NO_SESSION_PORTS = (61000, 65535)
# as sessions that agreed on a window scale of 7 announce them
_WINDOWS = (229, 2047)


class Disguise:
    """Draws what is left open in a batch of probes; no two contents are the same.

    Args:
        seed: Draws the same again; ``None`` draws from the system's entropy.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - nothing secret: traffic that looks like traffic
        self._used: set[bytes] = set()
        self._by_port: dict[int, Callable[[], bytes]] = {
            22: self._ssh,
            25: self._mail,
            53: self._dns,
            80: self._http,
            123: self._ntp,
            161: self._snmp,
            443: self._tls,
            587: self._mail,
            8000: self._http,
            8080: self._http,
            8443: self._tls,
        }

    def port(self) -> int:
        """A port for a probe whose port is left open."""
        return self._random.randint(*_FREE_PORTS)

    def port_of_no_session(self) -> int:
        """A source port that no session of a node is likely to have had."""
        return self._random.randint(*_NO_SESSION_PORTS)

    def window(self) -> int:
        """What a TCP session announces to have room for."""
        return self._random.randint(*_WINDOWS)

    def address(self, version: int) -> bytes:
        """A unicast address somewhere in the internet."""
        if version == 4:
            return bytes([self._random.randint(20, 99)]) + self._random.randbytes(3)
        return b"\x2a" + self._random.randbytes(15)

    def number(self, bits: int) -> int:
        """A number such as identifiers and first sequence numbers are."""
        return self._random.getrandbits(bits)

    def echo(self) -> bytes:
        """The data of an echo request as ``ping`` sends it: the time, then a pattern."""
        return self._new(self._ping)

    def tunnelled(self, protocol: str) -> bytes:
        """A packet of a tunnel: a header of GRE (RFC 2784) or ESP (RFC 4303), then what nobody can read."""
        header = struct.pack("!HH", 0, 0x0800) if protocol == "gre" else struct.pack("!II", self.number(32), 1)
        return self._new(lambda: header + self._bytes(64, 400))

    def quoted(self) -> bytes:
        """The data of a datagram that an ICMP error is about."""
        return self._new(self._media)

    def question(self, protocol: str, port: int) -> bytes:
        """What a client sends first to a port."""
        return self._new(self._of(protocol, port))

    def answer(self, protocol: str, port: int) -> bytes:
        """What a server answers."""
        return self._new(self._of(protocol, port))

    def _of(self, protocol: str, port: int) -> Callable[[], bytes]:
        return self._by_port.get(port) or (self._media if protocol == "udp" else self._bytes)

    def _new(self, draw: Callable[[], bytes]) -> bytes:
        while (content := draw()) in self._used:
            continue
        self._used.add(content)
        return content

    def _ping(self) -> bytes:
        stamp = _PING_TIME.pack(int(time.time()), int(self._random.random() * 1e6))
        return (stamp + _PING_PATTERN)[: self._random.choice(_PING_SIZES)]

    def _name(self) -> str:
        return f"{self._random.choice(_NAMES)}{self._random.randrange(10**6)}.{self._random.choice(_DOMAINS)}"

    def _bytes(self, least: int = 24, most: int = 400) -> bytes:
        return self._random.randbytes(self._random.randint(least, most))

    def _media(self) -> bytes:
        """RTP (RFC 3550) with 20 to 160 bytes of sound."""
        header = struct.pack("!BBHII", 0x80, self._random.choice((0, 8, 96)), *map(self.number, (16, 32, 32)))
        return header + self._bytes(20, 160)

    def _dns(self) -> bytes:
        labels = b"".join(bytes([len(label)]) + label.encode() for label in self._name().split("."))
        return struct.pack("!HHHHHH", self.number(16), 0x0100, 1, 0, 0, 0) + labels + struct.pack("!BHH", 0, 1, 1)

    def _ntp(self) -> bytes:
        return struct.pack("!BBbb", 0x23, 0, 6, -20) + bytes(36) + self._random.randbytes(8)

    def _snmp(self) -> bytes:
        asked = bytes.fromhex("300e300c06082b060102010103000500")
        pdu = b"\x02\x04" + struct.pack("!I", self.number(31)) + b"\x02\x01\x00\x02\x01\x00" + asked
        text = b"\x02\x01\x01\x04\x06public\xa0" + bytes([len(pdu)]) + pdu
        return b"\x30" + bytes([len(text)]) + text

    def _http(self) -> bytes:
        path = f"/{self._random.choice(_NAMES)}/{self.number(32):x}"
        return f"GET {path} HTTP/1.1\r\nHost: {self._name()}\r\nAccept: */*\r\nUser-Agent: curl/8.5.0\r\n\r\n".encode()

    def _tls(self) -> bytes:
        hello = b"\x03\x03" + self._random.randbytes(32) + b"\x20" + self._random.randbytes(32)
        hello += bytes.fromhex("0006130113021303") + b"\x01\x00" + struct.pack("!HHHI", 7, 0x2B, 3, 0x02030403)[:9]
        body = b"\x01" + struct.pack("!I", len(hello))[1:] + hello
        return b"\x16\x03\x01" + struct.pack("!H", len(body)) + body

    def _ssh(self) -> bytes:
        return b"SSH-2.0-OpenSSH_9.2\r\n" + struct.pack("!IBB", 60, 8, 20) + self._random.randbytes(58)

    def _mail(self) -> bytes:
        return f"EHLO {self._name()}\r\n".encode()
