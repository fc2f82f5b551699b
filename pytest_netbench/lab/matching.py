"""Match session ends: which two ends of a lab belong together, and which sessions are not up. Pure.

It knows what is common to protocols, and no driver: two ends on one link, or two that name each other's address.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pytest_netbench.platforms.ends import Database, End, Sight
from pytest_netbench.platforms.sessions import Absence, Session, SessionEnd

Place = tuple[str, str]
"""A node and the kernel's name of one of its interfaces."""
Cables = Mapping[Place, frozenset[Place]]
"""By place: those at the other ends of its link."""


class Pair(NamedTuple):
    """Two ends that belong together."""

    one: End
    other: End

    @property
    def ways(self) -> tuple[tuple[End, End], tuple[End, End]]:
        """Each end with the other."""
        return (self.one, self.other), (self.other, self.one)


class _Label(NamedTuple):
    name: str
    goal: str = ""
    is_bound: bool = True


_LABELS = {
    "ospf": _Label("OSPF", "Full"),
    "ospf6": _Label("OSPFv3"),
    "rip": _Label("RIP"),
    "isis": _Label("IS-IS"),
    "eigrp": _Label("EIGRP"),
    "bgp": _Label("BGP", "Established", is_bound=False),
    "bfd": _Label("BFD", "up"),
}


def pairs(ends: Sequence[End], cables: Cables) -> list[Pair]:
    """Return the sessions that the configs of both ends ask for, in the order of their ends."""
    found: dict[tuple[int, int], None] = {}
    for one, other in (*_on_one_link(ends, cables), *_by_address(ends, cables), *_by_interface(ends, cables)):
        found[min(one, other), max(one, other)] = None
    both = (Pair(ends[one], ends[other]) for one, other in sorted(found))
    return [pair for pair in both if _can_speak(pair)]


def absences(expected: Iterable[Pair]) -> Iterator[tuple[Pair, Absence]]:
    """Sessions that are not up, or that have still to send something, with a phrase for each end that says so."""
    for pair in expected:
        for here, there in pair.ways:
            if not there.is_silent and (lack := _lack(here, there)):
                yield pair, Absence(session=session_of(pair), phrase=lack)


def differences(up: Iterable[Pair], databases: Mapping[Database, Hashable]) -> Iterator[str]:
    """Phrases for neighbors whose databases differ."""
    for one, other in up:
        if one.database and one.database == other.database:
            mine, theirs = (databases.get((end.node, end.vrf, end.database)) for end in (one, other))
            if mine is not None and theirs is not None and mine != theirs:
                label = _LABELS[one.protocol].name
                yield f"{_named(one)}: {label} database of {one.database} differs from that of {_named(other)}"


def session_of(pair: Pair) -> Session:
    """Return the session of two ends, as it may be named."""
    one, other = (
        SessionEnd(
            node=here.node,
            interface=here.interface or ("" if _is_address(here.peer) else here.peer),
            address=there.peer if _is_address(there.peer) else here.address,
        )
        for here, there in pair.ways
    )
    return Session(protocol=pair.one.protocol, one=one, other=other)


def _lack(here: End, there: End) -> str:
    label = _LABELS[here.protocol]
    where = f" on {here.interface}" if here.interface and label.is_bound else ""
    sight = here.seen.get(here.peer or there.name, Sight("Down", is_up=False))
    if sight.is_up or (sight.is_partial and here.is_minor and there.is_minor):
        return (
            f"{_named(here)}: {label.name} neighbor {here.peer or there.name} {sight.unfinished}"
            if sight.unfinished
            else ""
        )
    if not label.goal:
        return f"{_named(here)}: {label.name} neighbor {there.node}{where} is not there yet"
    called = here.peer or there.name
    return f"{_named(here)}: {label.name} neighbor {called}{where} is {sight.state}, expected {label.goal}"


def _named(end: End) -> str:
    return f"{end.node} vrf {end.vrf}" if end.vrf else end.node


def _can_speak(pair: Pair) -> bool:
    one, other = pair
    if one.node == other.node or (one.identity and one.identity == other.identity):
        return False
    if not all(_accepts(here, there) for here, there in pair.ways):
        return False
    return not one.peer or any(_opens(here, there) for here, there in pair.ways)


def _accepts(here: End, there: End) -> bool:
    return all(wanted & there.offers[name] for name, wanted in here.accepts.items() if name in there.offers)


def _opens(here: End, there: End) -> bool:
    return here.sources is None or there.peer in here.sources


# -- who can be at the other end ---------------------------------------------------------------------------------------


def _on_one_link(ends: Sequence[End], cables: Cables) -> Iterator[tuple[int, int]]:
    """Ends without a named peer that share a subnet, or that a cable joins where subnets do not tell."""
    subnets: dict[Hashable, list[int]] = defaultdict(list)
    places: dict[Place, list[int]] = defaultdict(list)
    for index, end in enumerate(ends):
        if end.peer:
            continue
        places[end.node, end.interface].append(index)
        if not end.vrf:
            for network in _networks(end):
                subnets[network].append(index)
    for group in subnets.values():
        yield from combinations(group, 2)
    for place, group in places.items():
        for far in cables.get(place, ()):
            for one in group:
                yield from ((one, other) for other in places.get(far, ()) if _cable_decides(ends[one], ends[other]))


def _cable_decides(one: End, other: End) -> bool:
    mine, theirs = _networks(one), _networks(other)
    if one.vrf or other.vrf:
        return not mine or not theirs or bool(mine & theirs)
    return not any(one.addresses.values()) or not any(other.addresses.values())


def _networks(end: End) -> frozenset[Hashable]:
    known = (one.network for addresses in end.addresses.values() for one in addresses)
    return frozenset(network for network in known if network.prefixlen < network.max_prefixlen)


def _by_address(ends: Sequence[End], cables: Cables) -> Iterator[tuple[int, int]]:
    """Ends that name an address of each other."""
    owners = _owners(ends)
    asking: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, end in enumerate(ends):
        if end.peer:
            asking[id(end.addresses), end.peer].append(index)
    for index, end in enumerate(ends):
        for owner, far in owners.get(end.peer, ()) if end.peer else ():
            for address, near in _own(end):
                for other in asking.get((owner, address), ()):
                    joined = (ends[other].node, far) in cables.get((end.node, near), ())
                    if other != index and (joined or not (end.vrf or ends[other].vrf)):
                        yield index, other


def _owners(ends: Sequence[End]) -> Mapping[str, list[tuple[int, str]]]:
    """By address: the ``addresses`` of ends that have it, and its interface. Ends of one node share theirs."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for end in {id(end.addresses): end for end in ends if end.peer}.values():
        for address, interface in _own(end):
            found[address].append((id(end.addresses), interface))
    return found


def _own(end: End) -> Iterator[tuple[str, str]]:
    return ((str(one.ip), interface) for interface, addresses in end.addresses.items() for one in addresses)


def _by_interface(ends: Sequence[End], cables: Cables) -> Iterator[tuple[int, int]]:
    """Ends that name their own interface, joined by a cable."""
    places = {(end.node, end.peer): index for index, end in enumerate(ends) if end.peer and not _is_address(end.peer)}
    for place, index in places.items():
        yield from ((index, places[far]) for far in cables.get(place, ()) if far in places)


def _is_address(text: str) -> bool:
    return ":" in text or text.replace(".", "").isdigit()
