"""Addresses, prefixes and masks as configurations write them: what is wrong with one, in words. Pure."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

_BITS: Final = {4: 32, 6: 128}
_DOTTED: Final = re.compile(r"(?<![\w.:/-])(\d{1,9}(?:\.\d{1,9}){3})(?:/(\d{1,9}))?(?![\w.:-])")


def words(line: str) -> list[tuple[str, int]]:
    """The words of a line, each with its 0-based place."""
    return [(found[0], found.start()) for found in re.finditer(r"\S+", line)]


def wrong_address(word: str) -> str | None:
    """What is wrong with the address of an interface, written like ``10.0.0.1/24``; ``None`` if nothing is."""
    address, slash, length = word.partition("/")
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return f"{address!r} is no IP address"
    if slash and not (length.isdecimal() and int(length) <= _BITS[found.version]):
        return f"{word!r}: the prefix length of an IPv{found.version} address is 0 to {_BITS[found.version]}"
    return None


def wrong_prefix(word: str) -> str | None:
    """What is wrong with a network, written like ``10.0.0.0/24`` or as one address."""
    if (message := wrong_address(word)) is not None:
        return message
    network = ipaddress.ip_network(word, strict=False)
    if str(network.network_address) != str(ipaddress.ip_address(word.partition("/")[0])):
        return f"{word!r} is no network, as it has host bits. Did you mean '{network}'?"
    return None


def wrong_mask(word: str) -> str | None:
    """What is wrong with a subnet mask; ``None`` for a word that is none at all."""
    if re.fullmatch(r"\d+(\.\d+){3}", word) is None:
        return None
    try:
        bits = int(ipaddress.IPv4Address(word))
    except ValueError:
        return f"{word!r} is no subnet mask: each of its four numbers is 0 to 255"
    inverted = bits ^ 0xFFFFFFFF
    if inverted & (inverted + 1):
        return f"{word!r} is no subnet mask: in binary, ones follow a zero (known: masks such as 255.255.255.252)"
    return None


def impossible(line: str) -> Iterator[tuple[int, str]]:
    """IPv4 addresses and prefixes in a line that cannot be: their place, and what is wrong."""
    for found in _DOTTED.finditer(line):
        if any(int(number) > 255 for number in found[1].split(".")):
            yield found.start(), f"{found[1]!r} is no IP address: each of its four numbers is 0 to 255"
        elif found[2] is not None and int(found[2]) > _BITS[4]:
            yield found.start(), f"{found[0]!r}: the prefix length of an IPv4 address is 0 to 32"
