"""Session ends: what nodes ask for at one end of a session. A driver reports them; the lab matches them. Pure values.

An end names no node at its other end, so the two ends of a session may be reported by two drivers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface
from typing import Any, NamedTuple, Protocol, runtime_checkable

Address = IPv4Interface | IPv6Interface
Words = Mapping[str, frozenset[str]]
"""By parameter of a protocol: values."""


class Sight(NamedTuple):
    """What an end sees of another. ``state`` is the protocol's word.

    Attributes:
        state: E.g. ``Established``.
        is_up: Whether that is what the protocol aims at.
        is_partial: Whether it is enough between two minor ends.
        unfinished: What is still to be exchanged if it is up, e.g. ``has 2 messages queued``; "" if nothing is.
    """

    state: str
    is_up: bool
    is_partial: bool = False
    unfinished: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class End:
    """One end of a session that the config of a node asks for. An end that cannot speak is not reported.

    The other end is whoever is on the same link, or who has the address ``peer``.

    Attributes:
        protocol: A word of ``model.ready.SessionProtocol``.
        node: The node.
        vrf: Its VRF; "" for the global one. VRFs may use equal addresses, so its other end must be on its cable.
        interface: The kernel's name; "" if the session is not bound to one.
        addresses: By interface: the addresses that the other end must share a subnet with, or may name as ``peer``. An
            end without any is on one link with those that a cable joins it with.
        address: Its address, as reports name it.
        peer: The address that it asks for, or its own interface that leads to the other end; "": whoever is there.
        name: What others call it in ``seen``, if they name no peer.
        identity: A number that must differ at both ends, e.g. a router ID.
        offers: What it presents.
        accepts: By parameter: what it accepts. Parameters that the other end does not offer are not compared.
        sources: The addresses from which it opens the session; empty if it does not, ``None`` if any will do.
        is_silent: It hears others, who hear nothing of it.
        is_minor: Two minor ends need not be fully up, e.g. two OSPF routers that are not designated.
        seen: By name or ``peer``: others as it sees them.
        database: Which database it shares with others, e.g. an OSPF area; "" if none.
    """

    protocol: str
    node: str
    vrf: str = ""
    interface: str = ""
    addresses: Mapping[str, tuple[Address, ...]] = field(default_factory=dict)
    address: str = ""
    peer: str = ""
    name: str = ""
    identity: str = ""
    offers: Words = field(default_factory=dict)
    accepts: Words = field(default_factory=dict)
    sources: frozenset[str] | None = None
    is_silent: bool = False
    is_minor: bool = False
    seen: Mapping[str, Sight] = field(default_factory=dict)
    database: str = ""


class Part(NamedTuple):
    """One protocol on all nodes of a driver: ends, and phrases for what a node waits for by itself."""

    ends: Sequence[End] = ()
    waiting: Sequence[str] = ()


Database = tuple[str, str, str]
"""Of a node and a VRF: ``End.database``."""


class Exchange(NamedTuple):
    """What sessions that are up have exchanged.

    Attributes:
        waiting: Phrases for what is still to come.
        databases: By node, VRF and ``End.database``: a value that is equal where databases are.
    """

    waiting: Sequence[str] = ()
    databases: Mapping[Database, Hashable] = {}


class Look(Protocol):
    """One observation of all nodes of a driver. It is asked protocol by protocol, until one waits for something."""

    def waiting(self) -> Sequence[str]:
        """Phrases for what nodes wait for besides protocols, e.g. links that are about to come up."""
        ...

    def part(self, protocol: str) -> Part:
        """One protocol, by what can be asked quickly."""
        ...

    def closely(self, ends: Sequence[End]) -> Sequence[End]:
        """The same ends with what takes longer to ask, e.g. their keys; without those that cannot have a session.

        It is asked for ends of sessions that are not up.
        """
        ...

    def exchanged(self, ends: Sequence[End]) -> Exchange:
        """What ends of one protocol, whose sessions are up, have exchanged."""
        ...


@runtime_checkable
class ReportsEnds(Protocol):
    """What a driver may offer beyond ``Driver``: the session ends of its nodes. Then ``pending`` omits sessions."""

    def look(self, nodes: Mapping[str, Any]) -> Look:
        """Begin an observation of *all* nodes of this driver in the lab."""
        ...


def equal(**values: str) -> Words:
    """Words with one value for each parameter, for what must be equal at both ends."""
    return {name: frozenset({value}) for name, value in values.items()}
