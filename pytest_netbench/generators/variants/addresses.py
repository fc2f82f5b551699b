"""Moves addresses so that masks, wildcards, summaries and their order stay right.

A move inverts bits: a node of the binary tree of all addresses may have its two halves exchanged. So addresses of one
prefix stay together, whatever its length is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_network
from typing import Final

BITS: Final = {4: 32, 6: 128}
_FULL: Final = (1 << 32) - 1

Bits = str
"""The first bits of an address, as text of ``0`` and ``1``. IPv4 and IPv6 differ in their length."""


class AddressMap:
    """A bijection of all addresses of each version.

    Args:
        flips: Prefixes, as text: behind each, a bit is inverted.
        documentation: By network of 24 bits: the one that takes its place. A permutation.
    """

    def __init__(self, flips: Sequence[str], documentation: Mapping[str, str]) -> None:
        nodes = [ip_network(flip) for flip in flips]
        self._flips = {
            version: frozenset(
                bits_of(int(n.network_address), version)[: n.prefixlen] for n in nodes if n.version == version
            )
            for version in BITS
        }
        self._documentation = {_head(before): _head(after) for before, after in documentation.items()}
        self._moved = lru_cache(maxsize=16384)(self._move)

    def moved(self, value: int, version: int, length: int) -> int:
        """The address that takes the place of ``value``, of which the first ``length`` bits are moved."""
        return self._moved(value, version, length)

    def _move(self, value: int, version: int, length: int) -> int:
        bits = bits_of(value, version)
        flips = self._flips[version]
        moved = "".join(
            bit if place >= length or bits[:place] not in flips else "10"[int(bit)] for place, bit in enumerate(bits)
        )
        if version == 4 and length >= 24:
            moved = self._documentation.get(bits[:24], moved[:24]) + moved[24:]
        return int(moved, 2)

    def inverse(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """The flips and the documentation networks of the map that undoes this one."""
        flips = [
            text_of(self._move(int(node.ljust(BITS[version], "0"), 2), version, len(node)), version, len(node))
            for version in BITS
            for node in self._flips[version]
        ]
        back = {_network_24(after): _network_24(before) for before, after in self._documentation.items()}
        return tuple(sorted(flips)), back


def length_of(value: int, version: int, mask: int | None, length: int | None) -> int:
    """How many bits of an address in a text are its own: those of its prefix, all if it is the address of a node.

    A bare IPv4 address that ends in zero octets stands for a network of whole octets.

    Args:
        value: The address.
        version: Of IP.
        mask: The mask or wildcard behind it.
        length: The prefix length behind it.
    """
    bits = BITS[version]
    if mask is not None:
        length = mask_length(mask)
    if length is not None and length <= bits:
        return length if value & ((1 << (bits - length)) - 1) == 0 else bits
    if version == 6:
        return bits
    return next((one for one in (0, 8, 16, 24) if value & (_FULL >> one) == 0), bits)


def mask_length(mask: int) -> int | None:
    """The prefix length of a subnet mask or a wildcard; ``None`` for one with gaps, or for any other address."""
    ones = mask if mask >> 31 else mask ^ _FULL
    inverse = ones ^ _FULL
    return ones.bit_count() if inverse & (inverse + 1) == 0 else None


def is_mask(value: int) -> bool:
    """Whether an address behind another one is a mask or a wildcard, possibly one with gaps."""
    return mask_length(value) is not None or value >> 24 in (0, 255)


def parsed(text: str) -> tuple[int, int] | None:
    """The value and the version of an address; ``None`` if ``text`` is none."""
    try:
        return (int(IPv6Address(text)), 6) if ":" in text else (int(IPv4Address(text)), 4)
    except AddressValueError:
        return None


def text_of(value: int, version: int, length: int | None = None) -> str:
    """An address, or a prefix, as it is usually written."""
    address = str(IPv4Address(value) if version == 4 else IPv6Address(value))
    return address if length is None else f"{address}/{length}"


def bits_of(value: int, version: int) -> Bits:
    """All bits of an address."""
    return f"{value:0{BITS[version]}b}"


def _head(network: str) -> Bits:
    return bits_of(int(IPv4Address(network.partition("/")[0])), 4)[:24]


def _network_24(head: Bits) -> str:
    return text_of(int(head.ljust(32, "0"), 2), 4, 24)
