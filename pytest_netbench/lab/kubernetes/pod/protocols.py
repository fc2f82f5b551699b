"""The protocols that a pod serves. Each talk with a client is fed what came, and returns the answer."""

from __future__ import annotations

import _socket as socket
import struct

from pytest_netbench.lab.kubernetes.pod.common import LONGEST, NAME, PREFACE, frame, literal

ZONE = "/etc/zone"
GRPC_ANSWER = b"\x88" + literal(b"content-type", b"application/grpc")
GRPC_TRAILER = literal(b"grpc-status", b"0")


class Http:
    """HTTP/1.1: each request is answered with a line."""

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> bytes:
        self._data += data
        answers = b""
        while b"\r\n\r\n" in self._data:
            head, _, self._data = self._data.partition(b"\r\n\r\n")
            body = f"{NAME}: ok\n".encode()
            alive = b"close" if b"connection: close" in head.lower() else b"keep-alive"
            answers += (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: "
                + alive
                + b"\r\nContent-Length: "
                + str(len(body)).encode()
                + b"\r\n\r\n"
                + body
            )
        if len(self._data) > LONGEST:
            raise ValueError("a request is too long")
        return answers


class Grpc:
    """gRPC: each call is answered with an empty message and status 0."""

    def __init__(self) -> None:
        self._data = b""
        self._greeted = False

    def feed(self, data: bytes) -> bytes:
        self._data += data
        answers = b""
        if not self._greeted:
            if len(self._data) < len(PREFACE):
                return b""
            if not self._data.startswith(PREFACE):
                raise ValueError("not HTTP/2")
            self._greeted, self._data = True, self._data[len(PREFACE) :]
            answers += frame(4, 0, 0)
        while len(self._data) >= 9:
            length = int.from_bytes(self._data[:3], "big")
            if length > LONGEST:
                raise ValueError("a frame is too long")
            if len(self._data) < 9 + length:
                break
            kind, flags, stream = struct.unpack("!BBI", self._data[3:9])
            payload, self._data = self._data[9 : 9 + length], self._data[9 + length :]
            answers += self._answer(kind, flags, stream & 0x7FFFFFFF, payload)
        return answers

    def _answer(self, kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        if kind == 4 and not flags & 1:
            return frame(4, 1, 0)
        if kind == 6 and not flags & 1:
            return frame(6, 1, 0, payload)
        if kind in (0, 1) and flags & 1:  # the end of a request
            return (
                frame(1, 4, stream, GRPC_ANSWER)
                + frame(0, 0, stream, b"\0\0\0\0\0")
                + frame(1, 5, stream, GRPC_TRAILER)
            )
        return b""


class Redis:
    """The Redis protocol: PING, ECHO, SET, GET, DEL."""

    values: dict[bytes, bytes] = {}

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> bytes:
        self._data += data
        if len(self._data) > LONGEST:
            raise ValueError("a command is too long")
        answers = b""
        while (words := self._command()) is not None:
            answers += self._answer(words)
        return answers

    def _command(self) -> list[bytes] | None:
        head, found, rest = self._data.partition(b"\r\n")
        if not found:
            return None
        if not head.startswith(b"*"):
            self._data = rest
            return head.split()
        words = []
        for _ in range(int(head[1:])):
            size, found, rest = rest.partition(b"\r\n")
            length = int(size[1:] or b"0")
            if not found or len(rest) < length + 2:
                return None
            words.append(rest[:length])
            rest = rest[length + 2 :]
        self._data = rest
        return words

    def _answer(self, words: list[bytes]) -> bytes:
        name, *arguments = words or [b""]
        name = name.upper()
        if name == b"PING":
            return b"+PONG\r\n"
        if name == b"SET" and len(arguments) >= 2 and len(self.values) < 1000:
            self.values[arguments[0]] = arguments[1]
            return b"+OK\r\n"
        if name in (b"GET", b"ECHO") and arguments:
            value = arguments[0] if name == b"ECHO" else self.values.get(arguments[0])
            return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
        if name == b"DEL" and arguments:
            return b":%d\r\n" % (self.values.pop(arguments[0], None) is not None)
        return b"-ERR unknown command\r\n"


class Dns:
    """DNS: addresses of names in the zone file, one ``name address`` a line."""

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> bytes:
        """Over TCP."""
        self._data += data
        answers = b""
        while len(self._data) >= 2:
            length = int.from_bytes(self._data[:2], "big")
            if len(self._data) < 2 + length:
                break
            query, self._data = self._data[2 : 2 + length], self._data[2 + length :]
            answer = self.answer(query)
            answers += struct.pack("!H", len(answer)) + answer
        return answers

    @staticmethod
    def answer(query: bytes) -> bytes:
        """The answer to one query; empty if it is none."""
        if len(query) < 12:
            return b""
        number, _, questions = struct.unpack("!HHH", query[:6])
        labels, at = [], 12
        while at < len(query) and query[at]:
            size = query[at]
            labels.append(query[at + 1 : at + 1 + size].decode("latin-1").lower())
            at += 1 + size
        question = query[12 : at + 5]
        if questions != 1 or at + 5 > len(query):
            return struct.pack("!HHHHHH", number, 0x8001, 0, 0, 0, 0)
        kind = struct.unpack("!H", query[at + 1 : at + 3])[0]
        known = zone().get(".".join(labels))
        if known is None:
            return struct.pack("!HHHHHH", number, 0x8583, 1, 0, 0, 0) + question
        found = [address for address in known if kind in (1, 255)]
        records = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 5, 4) + socket.inet_aton(one) for one in found)
        return struct.pack("!HHHHHH", number, 0x8580, 1, len(found), 0, 0) + question + records


def zone() -> dict[str, list[str]]:
    """By name: its addresses, as the file says now."""
    found: dict[str, list[str]] = {}
    try:
        with open(ZONE) as file:
            for line in file:
                name, _, address = line.strip().partition(" ")
                found.setdefault(name, []).append(address)
    except OSError:
        pass
    return found


PROTOCOLS = {"http": Http, "grpc": Grpc, "redis": Redis, "dns": Dns}
