"""Faults of a router's BGP sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice, given
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.paths import announced, only_behind
from pytest_netbench.faults.state import has_route, neighbor_up
from pytest_netbench.faults.syntax import below, in_family, opening
from pytest_netbench.model.network import DrawnNetwork

OFFSETS = (-10, -1, 1, 10)
LIST_NAMES = ("FROM-NEIGHBOR", "IMPORT", "RECEIVED", "TRUSTED")


class BgpSession(OnDevice):
    """A session of a router with one in another autonomous system, on the link between them.

    Attributes:
        process: The line that opens the process, e.g. ``router bgp 64512``.
        peer: The other router.
        neighbor: Its address in the link.
        address: Of the node in the link.
    """

    process: str
    peer: str
    neighbor: str
    address: str


class _Session(NamedTuple):
    session: BgpSession
    prefix: str
    interface: str
    autonomous_system: int


def bgp_sessions(network: DrawnNetwork) -> Iterator[tuple[BgpSession, str, str]]:
    """Both ends of each session between autonomous systems, with the prefix of its link, and the interface there."""
    return ((one.session, one.prefix, one.interface) for one in _sessions(network))


def _sessions(network: DrawnNetwork) -> Iterator[_Session]:
    known = network.autonomous_systems
    for link in network.transits:
        for one in link.attachments:
            process = opening(network, one.node, "router bgp")
            for other in link.attachments:
                if process is None or known.get(other.node) in {None, known.get(one.node)}:
                    continue
                session = BgpSession(
                    node=one.node,
                    platform=network.platform_of(one.node),
                    process=process,
                    peer=other.node,
                    neighbor=other.address,
                    address=one.address,
                )
                yield _Session(session, link.prefix, one.interface, known[other.node])


class WrongAs(BgpSession):
    """A session, the link that it is on, the neighbor's AS number, and the one that is configured instead."""

    prefix: str
    autonomous_system: int
    instead: int


def _lost(p: BgpSession, inject: tuple[str, ...], repair: tuple[str, ...]) -> Change:
    """A change after which a session is down."""
    because = f"The BGP session of {p.node} with {p.peer} is down."
    return Change(
        inject=inject,
        repair=repair,
        checks=(given(neighbor_up, p.node, "bgp", p.neighbor), given(neighbor_up, p.peer, "bgp", p.address)),
        symptoms=(
            lambda network: asking.state(network, p.node, "BGP neighbor down", because, address=p.neighbor),
            given(asking.neighbor_lost, p.peer, "bgp", p.address),
        ),
    )


def _link(p: BgpSession) -> str:
    return f"bgp {min(p.neighbor, p.address)} {max(p.neighbor, p.address)}"


def _renumbered(p: WrongAs) -> Change:
    line = f"neighbor {p.neighbor} remote-as"
    return _lost(p, below(p.process, f"{line} {p.instead}"), below(p.process, f"{line} {p.autonomous_system}"))


BGP_AS_NUMBER_WRONG = config_fault(
    "bgp-as-number-wrong",
    about="A router has a wrong AS number for a BGP neighbor.",
    label="BGP_AS",
    parameters=WrongAs,
    called={"nika": "bgp_asn_misconfig"},
    at=lambda network: (
        WrongAs(**dict(session), prefix=prefix, autonomous_system=right, instead=right + offset)
        for session, prefix, _, right in _sessions(network)
        for offset in OFFSETS
    ),
    touches=lambda p: frozenset({f"bgp {p.prefix}"}),
    cuts=lambda p: frozenset({p.prefix}),
    change=_renumbered,
)


class Filtered(BgpSession):
    """A session, the prefix of a LAN that is not accepted from it, and the name of the list that says so."""

    prefix: str
    list_name: str

    @property
    def entries(self) -> tuple[str, str]:
        """The entries of the list."""
        name = f"ip prefix-list {self.list_name}"
        return (f"{name} seq 5 deny {self.prefix}", f"{name} seq 10 permit 0.0.0.0/0 le 32")

    @property
    def use(self) -> str:
        """The line of the neighbor."""
        return f"neighbor {self.neighbor} prefix-list {self.list_name} in"


def _filtered(p: Filtered) -> Change:
    because = f"{p.node} has no route to {p.prefix} by BGP, although {p.peer} announces it."
    words = asking.routed(p.prefix)
    return Change(
        inject=(*p.entries, *in_family(p.platform, p.process, p.use)),
        repair=(*in_family(p.platform, p.process, f"no {p.use}"), f"no ip prefix-list {p.list_name}"),
        checks=(given(has_route, p.node, p.prefix, "bgp"),),
        symptoms=(lambda network: asking.state(network, p.node, "no route", because, protocol="bgp", **words),),
    )


BGP_FILTER_WRONG = config_fault(
    "bgp-filter-wrong",
    about="A router does not accept the route to a LAN from the only neighbor that leads there.",
    label="BGP_FILTER",
    parameters=Filtered,
    at=lambda network: (
        Filtered(**dict(session), prefix=lan.prefix, list_name=name)
        for session, _, _, _ in _sessions(network)
        for lan in only_behind(network, session.node, session.peer)
        for name in LIST_NAMES
    ),
    # the list of one fault must not be that of another, and a session that is down filters nothing
    touches=lambda p: frozenset({_link(p), f"list {p.node} {p.list_name}"}),
    change=_filtered,
)


class Limited(BgpSession):
    """A session, the number of prefixes above which the node ends it, and those that the neighbor itself announces."""

    limit: int
    announced: tuple[str, ...]

    @property
    def line(self) -> str:
        """The line of the neighbor."""
        return f"neighbor {self.neighbor} maximum-prefix {self.limit}"


def _limits(network: DrawnNetwork) -> Iterator[Limited]:
    for session, _, _, _ in _sessions(network):
        own = announced(network, session.peer)
        for limit in range(1, len(own)):
            yield Limited(**dict(session), limit=limit, announced=own)


def _limited(p: Limited) -> Change:
    removed = in_family(p.platform, p.process, f"no {p.line}")
    return _lost(p, in_family(p.platform, p.process, p.line), (*removed, f"do clear ip bgp {p.neighbor}"))


BGP_PREFIX_LIMIT = config_fault(
    "bgp-prefix-limit",
    about="A router ends the session with a BGP neighbor that announces more prefixes than it accepts.",
    label="BGP_LIMIT",
    parameters=Limited,
    called={"nika": "bgp_max_prefix_exceeded"},
    at=_limits,
    # with fewer prefixes the limit would not be exceeded
    touches=lambda p: frozenset({_link(p), *(f"bgp {p.peer} {prefix}" for prefix in p.announced)}),
    change=_limited,
)
