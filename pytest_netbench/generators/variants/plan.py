"""Draws how the addresses of a task move.

Private, shared, benchmarking and documentation blocks keep their kind. All addresses that a task mentions keep their
order, by which elections and tie-breaks go. Where both halves of a block are in use, nothing moves; inside the smallest
prefixes, nothing moves either, so hosts keep their places in their subnets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from ipaddress import IPv4Address, ip_network
from itertools import pairwise, permutations
from random import Random
from typing import Final

from pytest_netbench.generators.variants.addresses import BITS, AddressMap, Bits, bits_of, length_of, text_of
from pytest_netbench.generators.variants.tokens import Mention

DOCUMENTATION: Final = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
ROOTS: Final = (
    *("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15"),
    *(*DOCUMENTATION, "2001:db8::/32", "fd00::/8"),
)
"""Blocks inside which addresses move. All other addresses carry meaning and stay."""
_DEEPEST: Final = {4: 30, 6: 64}
_DEEPEST_OF_HOSTS: Final = {4: 24, 6: 48}
_ATTEMPTS: Final = 100


def draw_addresses(
    mentions: Iterable[Mention], rng: Random, *, roots: Sequence[str] = ROOTS, still: Collection[str] = ()
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The flips and the exchanged documentation networks of a map, drawn for these mentions.

    Args:
        mentions: Addresses in texts.
        rng: The source of chance.
        roots: Blocks inside which addresses move.
        still: IPv4 addresses that stay where they are.

    A draw after which a text could be read differently (a network that now ends in more zero octets), or an address
    beside one in a text could be the broadcast address of its network, is drawn again.
    """
    known = tuple(dict.fromkeys(mentions))
    nodes = sorted(_free_nodes(known, _Tree(roots, still)))
    orders = _orders(known)
    for _ in range(_ATTEMPTS):
        flips = tuple(_prefix(node) for node in nodes if rng.random() < 0.5)
        order = orders[int(rng.random() * len(orders))]
        drawn = AddressMap(flips, order)
        if _can_be_undone(known, drawn) and _edges_stay(known, drawn):
            return flips, order
    return (), {}


def _edges_stay(mentions: Sequence[Mention], forth: AddressMap) -> bool:
    """Whether nothing that lies inside the network of an interface moves to the beginning or the end of it.

    Recorded flows use the first and the last address of each prefix, which must not become the broadcast address.
    """
    networks = {
        (one.version, bits_of(one.value, one.version)[: one.length])
        for one in mentions
        if one.length is not None and one.length < one.own == BITS[one.version]
    }
    for one in mentions:
        inside = bits_of(one.value, one.version)[: one.own]
        moved = bits_of(forth.moved(one.value, one.version, one.own), one.version)[: one.own]
        for length in range(one.own):
            if (
                (one.version, inside[:length]) in networks
                and _is_edge(moved[length:])
                and not _is_edge(inside[length:])
            ):
                return False
    return True


def _is_edge(rest: Bits) -> bool:
    return len(set(rest)) == 1


def _can_be_undone(mentions: Sequence[Mention], forth: AddressMap) -> bool:
    back = AddressMap(*forth.inverse())
    for one in mentions:
        if one.version == 6 or one.is_pattern or one.length is not None or one.gaps is not None:
            continue
        moved = forth.moved(one.value, 4, one.own)
        own = length_of(moved, 4, None, None)
        if own != one.own or back.moved(moved, 4, own) != one.value:
            return False
    return True


def _orders(mentions: Sequence[Mention]) -> list[dict[str, str]]:
    """The permutations of the documentation networks that keep the order of the addresses that are mentioned."""
    values = sorted({one.value for one in mentions if one.version == 4})
    found = []
    for order in permutations(DOCUMENTATION):
        moves = {before: after for before, after in zip(DOCUMENTATION, order, strict=True) if before != after}
        moved = AddressMap((), moves)
        if all(a < b for a, b in pairwise(moved.moved(value, 4, 32) for value in values)):
            found.append(moves)
    return found


class _Tree:
    """The tree of all addresses: below which nodes addresses move, and which nodes must not be flipped.

    Args:
        roots: Blocks inside which addresses move.
        still: IPv4 addresses that stay where they are.
    """

    def __init__(self, roots: Iterable[str], still: Iterable[str]) -> None:
        networks = [ip_network(text) for text in roots]
        self._roots = [
            (one.version, bits_of(int(one.network_address), one.version)[: one.prefixlen]) for one in networks
        ]
        self._still = [bits_of(int(IPv4Address(one)), 4) for one in still]

    def root_length(self, bits: Bits, version: int) -> int:
        """The length of the block in which an address moves; all its bits if it does not."""
        found = (len(root) for of, root in self._roots if of == version and bits.startswith(root))
        return next(found, BITS[version])

    def still(self, version: int) -> set[Bits]:
        """The nodes that must not be flipped, whatever is mentioned."""
        return {bits[:depth] for bits in self._still for depth in range(len(bits))} if version == 4 else set()


def _free_nodes(mentions: Sequence[Mention], tree: _Tree) -> Iterator[tuple[int, Bits]]:
    """The nodes of the tree, with their version, that may be flipped: one half is in use, and no text is against it."""
    for version in BITS:
        mine = [one for one in mentions if one.version == version]
        used: dict[Bits, set[str]] = defaultdict(set)
        wanted: set[Bits] = set()
        for one in mine:
            bits = bits_of(one.value, version)
            for depth in range(one.own):
                used[bits[:depth]].add(bits[depth])
            wanted.update(bits[:depth] for depth in range(tree.root_length(bits, version), _depth(one)))
        fixed, blocks = _fixed(mine, version, tree)
        yield from (
            (version, node)
            for node in wanted
            if len(used[node]) == 1 and node not in fixed and not any(node.startswith(block) for block in blocks)
        )


def _depth(one: Mention) -> int:
    """Up to which depth the bits of a mention may change."""
    length = one.length if one.length is not None else one.own
    return min(one.own, length if length <= _DEEPEST[one.version] else _DEEPEST_OF_HOSTS[one.version])


def _fixed(mentions: Sequence[Mention], version: int, tree: _Tree) -> tuple[set[Bits], tuple[Bits, ...]]:
    """Nodes that must not be flipped, and nodes below which (and at which) none must be."""
    roles: dict[int, set[int]] = defaultdict(set)
    ends: dict[int, int] = {}
    blocks = []
    for one in mentions:
        roles[one.value].add(one.own)
        bits = bits_of(one.value, version)
        if one.is_pattern:
            blocks.append(bits[: one.own])
        if one.gaps is not None:
            blocks.append(bits[: _first_difference(bits_of(one.gaps, 4), "0" if one.gaps >> 31 == 0 else "1")])
        if one.last is not None:
            common = _common(bits, bits_of(one.last, version))
            blocks += [common] if len(common) >= tree.root_length(bits, version) else []
        size = BITS[version] - (one.length if one.length is not None else one.own)
        last = one.value | ((1 << size) - 1)
        ends[last] = min(ends.get(last, BITS[version]), BITS[version] - size)
    fixed = tree.still(version)
    fixed |= {bits_of(value, version)[:n] for value, own in roles.items() for n in range(min(own), max(own))}
    for value in roles.keys() & ends.keys():
        bits = bits_of(value, version)
        fixed |= {bits[:depth] for depth in range(ends[value], BITS[version])}
    return fixed, tuple(blocks)


def _first_difference(bits: Bits, usual: str) -> int:
    return next((place for place, bit in enumerate(bits) if bit != usual), len(bits))


def _common(one: Bits, other: Bits) -> Bits:
    return one[: next((place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), len(one))]


def _prefix(node: tuple[int, Bits]) -> str:
    version, bits = node
    return text_of(int(bits.ljust(BITS[version], "0"), 2), version, len(bits))
