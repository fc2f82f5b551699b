"""The sessions of a running network: what the ends that drivers report expect of each other, and what is not up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from pytest_netbench.lab.devices import called
from pytest_netbench.lab.matching import Cables, Pair, Place, absences, differences, pairs
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.ends import End, Look, Part, ReportsEnds
from pytest_netbench.platforms.sessions import Excused, Session, split

PROTOCOLS: Final = ("ospf", "ospf6", "rip", "isis", "eigrp", "bgp", "bfd")
"""In the order in which they are asked: what others need first."""


class Found(NamedTuple):
    """What one observation found: phrases for what is missing, and the sessions that are down and excused."""

    missing: tuple[str, ...]
    excused: tuple[Session, ...]


class Sessions:
    """Observes the sessions of a lab.

    Args:
        lab: The lab.
        reporters: The drivers that report ends, each with its nodes.
    """

    def __init__(self, lab: Lab, reporters: Sequence[tuple[ReportsEnds, Mapping[str, NodeAccess]]]) -> None:
        self._reporters = reporters
        self._cables = cables_of(lab)

    def look(self, excused: Excused) -> Found:
        """Ask protocol by protocol, up to the first that misses more than what is excused."""
        looks = [driver.look(nodes) for driver, nodes in self._reporters]
        alone = [phrase for look in looks for phrase in look.waiting()]
        missing: tuple[str, ...] = ()
        down: dict[Session, None] = {}
        for protocol in PROTOCOLS:
            observed = _Observed(looks, [look.part(protocol) for look in looks], self._cables)
            phrases, off = split((absence for _, absence in observed.absent), excused)
            down.update(dict.fromkeys(off))
            missing = tuple(dict.fromkeys((*observed.waiting, *phrases))) or tuple(observed.unfinished())
            if missing:
                break
        return Found((*alone, *missing), tuple(down))


class _Observed:
    """One protocol: the ends that each look reports, matched."""

    def __init__(self, looks: Sequence[Look], parts: Sequence[Part], cables: Cables) -> None:
        self._looks, self._cables = looks, cables
        self._owner = {id(end): look for look, part in zip(looks, parts, strict=True) for end in part.ends}
        self.waiting = [phrase for part in parts for phrase in part.waiting]
        expected = pairs([end for part in parts for end in part.ends], cables)
        lacking = {id(pair) for pair, _ in absences(expected)}
        self._up = [pair for pair in expected if id(pair) not in lacking]
        self.absent = list(self._confirmed([pair for pair in expected if id(pair) in lacking]))

    def _confirmed(self, lacking: Sequence[Pair]) -> Iterator[Any]:
        """Those of the absences that a closer look at their ends leaves."""
        ends = [end for look, own in self._by_look(lacking) for end in look.closely(own)]
        return absences(pairs(ends, self._cables)) if ends else iter(())

    def unfinished(self) -> Iterator[str]:
        """Phrases for what sessions that are up have still to exchange."""
        exchanges = [look.exchanged(own) for look, own in self._by_look(self._up)]
        yield from dict.fromkeys(phrase for one in exchanges for phrase in one.waiting)
        databases = {place: value for one in exchanges for place, value in one.databases.items()}
        yield from dict.fromkeys(differences(self._up, databases))

    def _by_look(self, those: Sequence[Pair]) -> Iterator[tuple[Look, list[End]]]:
        touched = {id(end): end for pair in those for end in pair}
        for look in self._looks:
            own = [end for number, end in touched.items() if self._owner[number] is look]
            if own:
                yield look, own


def cables_of(lab: Lab) -> Cables:
    """Return the cables of a lab, by the kernel's names of interfaces."""
    found: dict[Place, frozenset[Place]] = {}
    for name, node in lab.nodes.items():
        for interface, ends in node.peers.items():
            far = frozenset(_place(lab, end.node, end.interface) for end in ends)
            found[_place(lab, name, interface)] = far
    return found


def _place(lab: Lab, node: str, interface: str) -> Place:
    with suppress(ValueError):  # it is no interface of that network OS
        return node, called(lab, node, interface)
    return node, interface
