"""A router that changes the DSCP of packets that other routers send it, and where packets of hosts come in on paper."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from typing import Final, NamedTuple

from pytest_netbench.dialects.cisco_ios.markings import name_of
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnPort, given, of_port, on_port, shows
from pytest_netbench.faults.ospf_costs import configured_cost, least_cost
from pytest_netbench.faults.paths import routers_of
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.marks import arrivals
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.base import Model
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.watch import WatchedFlow

POLICY: Final = "FROM-CORE"
INSTEAD: Final = (0, 8, 10)
"""No class of traffic, less than that (CS1), or the lowest one (AF11)."""
MOST_FLOWS: Final = 4
"""Of one place: as many show what happens there."""
_Edges = Mapping[str, Mapping[str, int]]
"""By router and neighbor: the least cost of a link."""


class Crossing(Model):
    """A host, and another one with its address."""

    source: str
    target: str
    address: str


class Place(NamedTuple):
    """An interface of a router toward another one, and flows that come in there, whatever the routing does."""

    node: str
    interface: str
    peer: str
    flows: tuple[Crossing, ...]


def crossings(network: DrawnNetwork, gateways: Collection[str]) -> Iterator[Place]:
    """Return the interfaces by which packets come in on the only best path between hosts, in network order.

    Args:
        network: The network.
        gateways: Routers of the LANs whose hosts send.
    """
    edges = _edges(network)
    pairs = [
        (Crossing(source=source, target=target, address=network.addresses[target]), near, far)
        for source, target in network.flows
        if (near := _gateways(network, source)) <= {*gateways} and not near & (far := _gateways(network, target))
    ]
    for link in network.transits:
        for one, other in permutations(link.attachments, 2):
            if len(_shared(network, one.node, other.node)) > 1:
                continue
            found = tuple(flow for flow, near, far in pairs if _passes(edges, near, far, (other.node, one.node)))
            if found:
                yield Place(one.node, one.interface, other.node, found[:MOST_FLOWS])


def _passes(edges: _Edges, near: set[str], far: set[str], edge: tuple[str, str]) -> bool:
    """Whether each best path from any of ``near`` to ``far`` has an edge."""
    for start in near:
        whole, rest = _distance(edges, start, far), _distance(edges, start, far, without=edge)
        if whole is None or (rest is not None and rest <= whole):
            return False
    return bool(near)


def _distance(edges: _Edges, start: str, goals: set[str], without: tuple[str, str] | None = None) -> int | None:
    return least_cost(
        start,
        goals,
        lambda node: [(other, cost) for other, cost in edges.get(node, {}).items() if (node, other) != without],
    )


def _edges(network: DrawnNetwork) -> _Edges:
    edges: dict[str, dict[str, int]] = {}
    for link in network.transits:
        for one in link.attachments:
            cost = configured_cost(network, one.node, one.interface)
            for other in link.attachments:
                if other.node != one.node:
                    least = edges.setdefault(one.node, {}).get(other.node, cost)
                    edges[one.node][other.node] = min(least, cost)
    return edges


def _shared(network: DrawnNetwork, one: str, other: str) -> list[str]:
    """The links that two routers have in common."""
    return [link.prefix for link in network.transits if {one, other} <= {end.node for end in link.attachments}]


def _gateways(network: DrawnNetwork, host: str) -> set[str]:
    return {*routers_of(network, network.lan_of(host))}


class Remarked(OnPort):
    """An interface toward another router, flows that come in there, and the DSCP that all packets get there.

    Attributes:
        peer: The router at the other end.
        right: DSCP with which packets to the UDP port ``port`` come in.
        instead: DSCP that they get.
    """

    peer: str
    port: int
    right: int
    instead: int
    flows: tuple[Crossing, ...]


def _places(network: DrawnNetwork) -> Iterator[Remarked]:
    for marking in network.markings[:1]:  # all mark alike
        for place in crossings(network, {one.node for one in network.markings}):
            for instead in INSTEAD:
                where, dscp = place._asdict(), marking.dscp
                yield Remarked.of(network, **where, port=marking.port, right=dscp, instead=instead)


def _arrive_otherwise(lab: Lab, p: Remarked) -> Iterator[str]:
    flows = [WatchedFlow(**dict(one), protocol="udp", port=p.port) for one in p.flows]
    for flow, got in zip(flows, arrivals(lab, flows, follow=(p.peer, p.node)), strict=True):
        # another fault may have stopped it, or sent it elsewhere
        came = got.received_dscp is not None and got.came_by[:2] == (p.peer, p.node)
        if came and got.received_dscp != p.instead:
            yield f"{flow.source} to {flow.target} arrives with DSCP {got.received_dscp}"


def _change(p: Remarked) -> Change:
    dscp, policy, use = name_of(p.instead), f"policy-map {POLICY}", f"service-policy input {POLICY}"
    because = f"{p.node} gives all that comes in at {p.interface} the DSCP {dscp}."
    return Change(
        inject=(*below(policy, "class class-default", f" set dscp {dscp}"), *on_port(p, use)),
        repair=(*on_port(p, *p.without(use)), *p.without(policy)),
        checks=(given(_arrive_otherwise, p),),
        symptoms=(shows(p.node, "remarks", because, interface=p.interface, policy=POLICY, dscp=dscp),),
    )


DSCP_REMARKED = config_fault(
    "dscp-remarked",
    about="A router gives packets that come in from another router a different DSCP, so that they have another class.",
    label="DSCP",
    domain="policy",
    found_at="interface",
    parameters=Remarked,
    platforms=("cisco_ios",),
    requires=("nft-dscp",),
    needs_services=("qos",),
    shown_by="telemetry",
    called={"nika": "vrf_dscp_remarking"},
    at=_places,
    # another path, or another mark before or behind, would hide it
    touches=lambda p: of_port(p) | {"ospf costs"},
    change=_change,
)
