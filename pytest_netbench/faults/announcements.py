"""What routers announce by OSPF and BGP and accept of others: statements, communities, and what the RPKI says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Final, Literal, TypeVar

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import NetworkValue, config_fault
from pytest_netbench.faults.change import Change, OnDevice, given, shows
from pytest_netbench.faults.paths import announced, routers_of
from pytest_netbench.faults.router_links import bgp_sessions, unrouted
from pytest_netbench.faults.syntax import (
    announcing,
    behind,
    below,
    in_family,
    opening,
    order_of,
    retyped,
    with_wildcard,
)
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

NAMES: Final = ("ANNOUNCE", "EXPORT-LAN", "LOCAL", "RTBH")
_COMMUNITY: Final = "set community blackhole"


class Unannounced(OnDevice):
    """A LAN that its only router does not announce.

    Attributes:
        process: The line that opens the process, e.g. ``router bgp 64512``.
        prefix: Of the LAN.
        neighbor: A router on a link of the node, which then has no route to the LAN.
        behind: Statements behind that of the LAN, where the order of typing is kept.
    """

    process: str
    prefix: str
    neighbor: str
    behind: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The statement of the LAN."""
        return announcing(self.platform, self.prefix)

    @property
    def touched(self) -> str:
        """What a fault of the statement touches."""
        return f"bgp {self.node} {self.prefix}"

    def entered(self, *lines: str) -> tuple[str, ...]:
        """Lines of the process with those that open it."""
        return in_family(self.platform, self.process, *lines)


class UnannouncedArea(Unannounced):
    """A LAN that OSPF does not announce, and its area."""

    area: int

    @property
    def statement(self) -> str:
        """The statement of the LAN."""
        return f"network {with_wildcard(self.platform, self.prefix)} area {self.area}"

    @property
    def touched(self) -> str:
        """What a fault of the statement touches."""
        return f"ospf {self.prefix}"

    def entered(self, *lines: str) -> tuple[str, ...]:
        """Lines of the process with that which opens it."""
        return below(self.process, *lines)


U = TypeVar("U", bound=Unannounced)


def _statements(network: DrawnNetwork, kind: type[U], protocol: str) -> Iterator[U]:
    """LANs of one router that announces them and has a neighbor."""
    for lan in network.lans:
        for node in routers if len(routers := routers_of(network, lan)) == 1 else ():
            process, neighbor = opening(network, node, f"router {protocol}"), _neighbor(network, node)
            if process is None or neighbor is None or (protocol == "ospf" and lan.area is None):
                continue
            area = {"area": lan.area} if protocol == "ospf" else {}
            one = kind.of(network, node, process=process, prefix=lan.prefix, neighbor=neighbor, **area)
            if any(path[-1] == one.statement for path in config_paths(network.startup_configs[node])):
                others = behind(network, node, one.statement, like="network", section=(process,))
                yield one.model_copy(update={"behind": others})


def _neighbor(network: DrawnNetwork, node: str) -> str | None:
    links = [[one.node for one in link.attachments] for link in network.transits]
    return next((name for link in links if node in link for name in link if name != node), None)


def _missing(protocol: Literal["bgp", "ospf"], kind: type[U], called: Mapping[str, str]) -> NetworkValue[U]:
    return config_fault(
        f"{protocol}-network-missing",
        about=f"A router has no {protocol.upper()} `network` statement for its LAN.",
        label=f"{protocol.upper()}_NETWORK",
        parameters=kind,
        called=called,
        at=lambda network: _statements(network, kind, protocol),
        touches=lambda p: frozenset({p.touched}) | order_of(p.platform, p.node, p.process),
        cuts=lambda p: frozenset({p.prefix}),
        change=lambda p: unrouted(
            p.neighbor,
            p.prefix,
            protocol,
            p.entered(*p.without(p.statement)),
            p.entered(p.statement, *retyped(p.platform, p.behind)),
        ),
    )


OSPF_NETWORK_MISSING = _missing("ospf", UnannouncedArea, {})
BGP_NETWORK_MISSING = _missing("bgp", Unannounced, {"nika": "bgp_missing_route_advertisement"})


class TaggedLan(OnDevice):
    """A LAN of a router, and the route map with which the router announces it.

    Attributes:
        process: The line that opens the process, e.g. ``router bgp 64512``.
        prefix: Of the LAN.
        far: A router behind a neighboring autonomous system, which then has no route to the LAN.
        map_name: Of the route map.
    """

    process: str
    prefix: str
    far: str
    map_name: str


def _tagged(network: DrawnNetwork) -> Iterator[TaggedLan]:
    for node in network.routers if all(network.platform_of(one) == "frr" for one in network.routers) else ():
        process, far = opening(network, node, "router bgp"), _far(network, node)
        for lan in network.lans if process is not None and far is not None else ():
            if routers_of(network, lan) == (node,) and lan.prefix in announced(network, node):
                for name in NAMES:
                    yield TaggedLan.of(network, node, process=process, prefix=lan.prefix, far=far, map_name=name)


def _far(network: DrawnNetwork, node: str) -> str | None:
    """A router in an autonomous system that is no neighbor of a router's own; ``None`` if there is none."""
    numbers = network.autonomous_systems
    own = numbers.get(node)
    near = {numbers[one.link.peer] for one in bgp_sessions(network) if numbers[one.link.node] == own}
    others = (name for name, number in numbers.items() if number != own and number not in near)
    return next(others, None)


def _tagging(p: TaggedLan) -> Change:
    head, statement = f"route-map {p.map_name} permit 10", f"network {p.prefix}"
    tagged = in_family(p.platform, p.process, f"{statement} route-map {p.map_name}")
    retyped = in_family(p.platform, p.process, *p.without(statement), statement)
    repair = (*retyped, *p.without(head))
    return unrouted(p.far, p.prefix, "bgp", (*below(head, _COMMUNITY), *tagged), repair)


# neighbors are FRR's, which add no-export to such a route (RFC 7999)
BGP_BLACKHOLE_TAGGED = config_fault(
    "bgp-blackhole-tagged",
    about="A router announces its LAN by BGP with the community for blackholes, so that its neighbors do not pass it"
    " on.",
    label="BGP_TAG",
    parameters=TaggedLan,
    platforms=("frr",),
    called={"nika": "bgp_blackhole_community_leak"},
    at=_tagged,
    touches=lambda p: frozenset({f"bgp {p.node} {p.prefix}", f"{p.node} route-map {p.map_name}"}),
    cuts=lambda p: frozenset({p.prefix}),
    change=_tagging,
)


class Accepting(OnDevice):
    """A router, the neighbor of which it accepts an invalid route, and the way of that route.

    Attributes:
        peer: The neighbor.
        neighbor: Address of the neighbor.
        policy: Name of the route map for what it sends.
        prefix: Of the invalid route.
        origin_as: AS number of the route's origin.
        allowed_as: AS number that may announce it.
        along: What other faults touch that must not be wrong: the route would not come.
    """

    peer: str
    neighbor: str
    policy: str
    prefix: str
    origin_as: int
    allowed_as: int
    along: tuple[str, ...]


def _along(network: DrawnNetwork) -> Iterator[str]:
    """What faults touch of links with other autonomous systems and between them, and of the sessions on these."""
    for link in network.transits:
        if all(network.is_managed(end.node) for end in link.attachments):
            continue
        yield f"bgp {link.prefix}"
        yield from (f"{end.node} {end.interface}" for end in link.attachments)
        for one, other in permutations(link.attachments, 2):
            yield f"bgp {min(one.address, other.address)} {max(one.address, other.address)}"


def _routed_by(lab: Lab, p: Accepting) -> Iterator[str]:
    routes = lab.driver(p.node).routes(lab.nodes[p.node], p.prefix)
    if not any(route.protocol == "bgp" and p.neighbor in route.next_hops for route in routes):
        yield f"{p.node} has no route to {p.prefix} by {p.peer}"


def _accepting(p: Accepting) -> Change:
    entry = f"route-map {p.policy} deny 5"
    invalid = f"{p.node} has an invalid route to {p.prefix}, whose origin is AS {p.origin_as}."
    sent = f"{p.node} sends packets to {p.prefix} to {p.peer}."
    return Change(
        inject=p.without(entry),
        repair=below(entry, "match rpki invalid"),
        checks=(given(_routed_by, p),),
        detail=f"{p.node} accepts {p.prefix} from {p.peer}. Its origin is AS {p.origin_as}, and only"
        f" AS {p.allowed_as} may announce it, so that packets to {p.prefix} leave the network. The route map"
        f" {p.policy} does not deny what is invalid.",
        symptoms=(
            shows(p.node, "invalid route", invalid, prefix=p.prefix),
            shows(p.node, "route by", sent, prefix=p.prefix, hop=p.neighbor),
        ),
    )


BGP_RPKI_INVALID_ACCEPTED = config_fault(
    "bgp-rpki-invalid-accepted",
    about="A router accepts from a neighbor in another AS a route to one of its own LANs that the RPKI calls invalid.",
    label="RPKI",
    parameters=Accepting,
    platforms=("frr",),
    needs_services=("rpki",),
    shown_by="telemetry",
    called={"nika": "bgp_rpki_invalid_route_leak"},
    at=lambda network: (
        Accepting.of(network, along=tuple(dict.fromkeys(_along(network))), **one.model_dump(exclude={"origin"}))
        for one in network.validations
    ),
    # of two routers that accept it, one takes the other one's route
    touches=lambda p: frozenset({*p.along, f"rpki {p.prefix}"}),
    change=_accepting,
)
