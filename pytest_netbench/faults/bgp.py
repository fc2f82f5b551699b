"""Faults of a router's BGP sessions."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change
from pytest_netbench.faults.paths import announced, only_behind
from pytest_netbench.faults.router_links import BgpSession, apart, bgp_sessions, session_between, unrouted
from pytest_netbench.faults.syntax import below, in_family
from pytest_netbench.model.network import DrawnNetwork

OFFSETS = (-10, -1, 1, 10)
LIST_NAMES = ("FROM-NEIGHBOR", "IMPORT", "RECEIVED", "TRUSTED")


class WrongAs(BgpSession):
    """A session, the link that it is on, the neighbor's AS number, and the one that is configured instead."""

    prefix: str
    autonomous_system: int
    instead: int


def _renumbered(p: WrongAs) -> Change:
    line = f"neighbor {p.neighbor} remote-as"
    return apart(p, "bgp", below(p.process, f"{line} {p.instead}"), below(p.process, f"{line} {p.autonomous_system}"))


BGP_AS_NUMBER_WRONG = config_fault(
    "bgp-as-number-wrong",
    about="A router has a wrong AS number for a BGP neighbor.",
    label="BGP_AS",
    parameters=WrongAs,
    called={"nika": "bgp_asn_misconfig"},
    at=lambda network: (
        WrongAs(**dict(session), prefix=link.prefix, autonomous_system=right, instead=right + offset)
        for session, link, right in bgp_sessions(network)
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
    removed = in_family(p.platform, p.process, *p.without(p.use))
    entered, gone = (*p.entries, *in_family(p.platform, p.process, p.use)), p.without(f"ip prefix-list {p.list_name}")
    although = f", although {p.peer} announces it"
    return unrouted(p.node, p.prefix, "bgp", entered, (*removed, *gone), although=although)


BGP_FILTER_WRONG = config_fault(
    "bgp-filter-wrong",
    about="A router does not accept the route to a LAN from the only neighbor that leads there.",
    label="BGP_FILTER",
    parameters=Filtered,
    at=lambda network: (
        Filtered(**dict(session), prefix=lan.prefix, list_name=name)
        for session, *_ in bgp_sessions(network)
        for lan in only_behind(network, session.node, session.peer)
        for name in LIST_NAMES
    ),
    # the list of one fault must not be that of another, and a session that is down filters nothing
    touches=lambda p: frozenset({session_between(p), f"list {p.node} {p.list_name}"}),
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
    for session, *_ in bgp_sessions(network):
        own = announced(network, session.peer)
        for limit in range(1, len(own)):
            yield Limited(**dict(session), limit=limit, announced=own)


def _limited(p: Limited) -> Change:
    removed = in_family(p.platform, p.process, *p.without(p.line))
    repair = (*removed, f"do clear ip bgp {p.neighbor}")
    return apart(p, "bgp", in_family(p.platform, p.process, p.line), repair)


BGP_PREFIX_LIMIT = config_fault(
    "bgp-prefix-limit",
    about="A router ends the session with a BGP neighbor that announces more prefixes than it accepts.",
    label="BGP_LIMIT",
    parameters=Limited,
    called={"nika": "bgp_max_prefix_exceeded"},
    at=_limits,
    # with fewer prefixes the limit would not be exceeded
    touches=lambda p: frozenset({session_between(p), *(f"bgp {p.peer} {prefix}" for prefix in p.announced)}),
    change=_limited,
)
