"""How a program is linked: whether a library can be preloaded into it. Standard library only."""

from __future__ import annotations

import struct
from typing import Final

_MAGIC: Final = b"\x7fELF\x02"  # 64 bits
_INTERPRETER: Final = 3  # PT_INTERP
_HEADERS: Final = struct.Struct("Q14xHH")  # from 32: where they are, how long and how many they are
_HEADER: Final = struct.Struct("I4xQ16xQ")


def is_dynamic(path: str) -> bool:
    """Return whether a program is linked dynamically with glibc, so that it takes preloaded libraries.

    Raises:
        OSError: It cannot be read.
    """
    with open(path, "rb") as file:
        data = file.read(8192)
    if not data.startswith(_MAGIC):
        return False
    at, length, count = _HEADERS.unpack_from(data, 32)
    for number in range(count):
        if at + (number + 1) * length > len(data):
            return False
        kind, begin, size = _HEADER.unpack_from(data, at + number * length)
        if kind == _INTERPRETER:
            return b"/ld-linux" in data[begin : begin + size]
    return False
