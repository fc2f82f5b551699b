"""Values of match keys and action parameters as numbers, whatever they are written as. Pure."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from typing import Final

_MAC: Final = re.compile(r"[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}")
_DOTTED: Final = re.compile(r"\d+\.\d+\.\d+\.\d+")
_HEX: Final = re.compile(r"0[xX][0-9a-fA-F]+")
_ADDRESS_BITS: Final = 32
_PAIRS: Final = ("&&&", "->", "/")


def number(text: str) -> int:
    """Return the number that a decimal or hexadecimal number, an IPv4 address or a MAC address stands for.

    Raises:
        ValueError: ``text`` is none of these.
    """
    if _DOTTED.fullmatch(text):
        return int(IPv4Address(text))
    if _MAC.fullmatch(text):
        return int("".join(part.rjust(2, "0") for part in text.split(":")), 16)
    if _HEX.fullmatch(text):
        return int(text, 16)
    if text.isascii() and text.isdigit():
        return int(text)
    raise ValueError(f"{text!r} is no number, IPv4 address or MAC address")


def pair(text: str) -> tuple[int, str, int] | None:
    """Return the numbers of ``VALUE&&&MASK``, ``START->END`` or ``VALUE/LENGTH`` with the sign between them.

    Returns:
        ``None`` if there is no such sign.

    Raises:
        ValueError: A part is no number.
    """
    for sign in _PAIRS:
        first, found, second = text.partition(sign)
        if found:
            return number(first), sign, number(second)
    return None


def canonical(text: str) -> str:
    """Return a match key or a parameter in one form; ``text`` itself if it is no value.

    Bits that a prefix or a mask leaves open are zero: ``10.0.1.7/24`` and ``0x0a000100/24`` are equal.
    """
    try:
        parts = pair(text)
        if parts is None:
            return hex(number(text))
        first, sign, second = parts
    except ValueError:
        return text
    if sign == "/":
        return f"{hex(_network(first, second))}/{second}" if _DOTTED.match(text) else f"{hex(first)}/{second}"
    return f"{hex(first & second if sign == '&&&' else first)}{sign}{hex(second)}"


def _network(address: int, length: int) -> int:
    open_bits = max(_ADDRESS_BITS - length, 0)
    return address >> open_bits << open_bits
