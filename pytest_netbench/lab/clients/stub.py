"""A stub resolver: one question to one DNS server over UDP.

Standard library only: it runs in nodes, from its source, by the Python that nodes have.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import sys
import time
from typing import Any

_CODES = {0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED"}
_A, _IN = 1, 1
_RECURSION = 0x0100
_LONGEST = 4096
_POINTER = 0xC0


def settings(text: str) -> tuple[str | None, str | None]:
    """Return the first server and the search domain of the text of a resolv.conf; ``None`` for what it lacks."""
    server = domain = None
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == "nameserver" and server is None:
            server = words[1]
        if len(words) > 1 and words[0] in ("search", "domain"):
            domain = words[1]
    return server, domain


def question(number: int, name: str) -> bytes:
    """Return a query for the IPv4 addresses of a name."""
    labels = b"".join(bytes([len(label)]) + label for label in name.encode("ascii").split(b"."))
    return struct.pack(">HHHHHH", number, _RECURSION, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", _A, _IN)


def read(message: bytes) -> tuple[str, list[str]]:
    """Return the code of an answer, and the IPv4 addresses in it.

    Raises:
        struct.error: It is no answer.
        IndexError: It is cut off.
    """
    _, flags, questions, answers, _, _ = struct.unpack_from(">HHHHHH", message)
    place = 12
    for _ in range(questions):
        place = _behind_name(message, place) + 4
    addresses: list[str] = []
    for _ in range(answers):
        place = _behind_name(message, place)
        kind, _, _, size = struct.unpack_from(">HHIH", message, place)
        place += 10
        if place + size > len(message):
            raise IndexError("a record is cut off")
        if kind == _A and size == 4:
            addresses.append(socket.inet_ntoa(message[place : place + 4]))
        place += size
    code = flags & 0xF
    return _CODES.get(code, str(code)), addresses


def _behind_name(message: bytes, place: int) -> int:
    while message[place]:
        if message[place] & _POINTER == _POINTER:
            return place + 2
        place += message[place] + 1
    return place + 1


def ask(names: list[str], server: str | None, timeout_s: float) -> list[dict[str, Any]]:
    """Ask for names at the same time, and return what came of each. Names without a dot are in the search domain."""
    known: str | None = None
    domain: str | None = None
    with contextlib.suppress(OSError), open("/etc/resolv.conf") as file:  # noqa: PTH123  (pathlib takes long to load)
        known, domain = settings(file.read())
    server = server or known
    asked: dict[int, dict[str, Any]] = {}
    for number, name in enumerate(names, start=int.from_bytes(os.urandom(2), "big")):
        full = name.rstrip(".") if "." in name or not domain else name + "." + domain
        asked[number % 0x10000] = {"name": full, "server": server, "status": None, "addresses": [], "time_ms": None}
    found = list(asked.values())
    error = "no DNS server is configured"
    if server is not None:
        began = time.monotonic()
        error = _exchange(asked, server, began, timeout_s)
        for one in asked.values():  # those without an answer
            one["time_ms"] = _since(began)
    for one in found:
        one.setdefault("error", error)
    return found


def _exchange(asked: dict[int, dict[str, Any]], server: str, began: float, timeout_s: float) -> str:
    """Ask, and take questions out that are answered; return why the others are not."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(timeout_s)
            sock.connect((server, 53))
            for number, one in asked.items():
                sock.send(question(number, one["name"]))
            while asked:
                sock.settimeout(max(0.001, began + timeout_s - time.monotonic()))
                _take(sock.recv(_LONGEST), asked, began)
    except TimeoutError:
        return f"no answer within {timeout_s:g} s"
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _take(message: bytes, asked: dict[int, dict[str, Any]], began: float) -> None:
    one = asked.pop(int.from_bytes(message[:2], "big"), None)
    if one is None:
        return
    one.update(time_ms=_since(began), error=None)
    try:
        one["status"], one["addresses"] = read(message)
    except (struct.error, IndexError):
        one["error"] = "the answer cannot be read"


def _since(began: float) -> float:
    return round(1000 * (time.monotonic() - began), 3)


if __name__ == "__main__":
    print(json.dumps(ask(sys.argv[3:], sys.argv[1], float(sys.argv[2]))))
