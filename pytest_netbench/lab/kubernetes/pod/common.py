"""What all parts of the program of a pod use."""

from __future__ import annotations

import posix
import struct
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
LONGEST = 1 << 16


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field of HPACK that enters no table."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def variable(name: str, default: str = "") -> str:
    """A variable of the environment."""
    return posix.environ.get(name.encode(), default.encode()).decode()


NAME = variable("HOSTNAME", "pod")


def log(text: str) -> None:
    """Write a line to the log."""
    print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), text, flush=True)
