"""A router that avoids a link, because it has a wrong OSPF cost there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.least_cost import least_cost
from pytest_netbench.faults.ospf_links import OspfLink, ospf_links
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork, Subnet

WRONG_COSTS: Final = (20_000, 50_000, 65_535)
"""More than any path through a network."""
_COST: Final = "ip ospf cost "
_USUAL: Final = 1
"""All interfaces without a cost have the same one."""


class WrongCost(OspfLink):
    """One end of a link, a prefix that it leads to, its cost if one is configured, and the cost that it has instead."""

    far: str
    cost: int | None = None
    instead: int


class OspfCostWrong(DeviceFault[WrongCost]):
    """A router has a much higher OSPF cost on a link than its neighbor, so that it avoids the link."""

    shown_by = "telemetry"
    name = "ospf-cost-wrong"
    label = "OSPF_COST"
    found_at = "interface"
    parameters = WrongCost
    called = {"nika": "ecmp_member_missing"}

    def _places(self, network: DrawnNetwork) -> Iterator[WrongCost]:
        areas = {link.prefix: link.area for link in network.transits}
        graphs = {area: _Graph(network, area) for area in dict.fromkeys(areas.values()) if area is not None}
        for link in ospf_links(network):
            area = areas[link.prefix]
            far = graphs[area].avoidable(link) if area is not None else None
            for instead in WRONG_COSTS if far is not None else ():
                cost = _configured(network, link.node, link.interface)
                yield WrongCost(**dict(link), far=far, cost=cost, instead=instead)

    def touches(self, parameters: WrongCost) -> frozenset[str]:
        # a path that others change could be the one that is taken instead
        return frozenset({f"ospf {parameters.prefix}", "ospf costs"})

    def injection(self, parameters: WrongCost) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", f"{_COST}{parameters.instead}")

    def repair(self, parameters: WrongCost) -> tuple[str, ...]:
        right = f"no {_COST}".strip() if parameters.cost is None else f"{_COST}{parameters.cost}"
        return below(f"interface {parameters.interface}", right)

    def remains(self, parameters: WrongCost, lab: Lab) -> Iterator[str]:
        # another fault may have left no other path: then its cost shows
        for route in lab.driver(parameters.node).routes(lab.nodes[parameters.node], parameters.far):
            is_cheap = route.metric is None or route.metric < parameters.instead
            if route.protocol == "ospf" and parameters.neighbor in route.next_hops and is_cheap:
                yield f"it still prefers {parameters.neighbor} to reach {parameters.far}"

    def symptoms(self, parameters: WrongCost, network: Observable) -> Iterator[Observation]:
        p = parameters
        yield from asking.state(
            network,
            p.node,
            "OSPF cost",
            f"The cost of {p.interface} of {p.node} is higher than any path.",
            interface=p.interface,
            cost=p.instead,
        )
        because = f"{p.node} does not use {p.peer} toward {p.far}, although it is the nearest."
        yield from asking.state(network, p.node, "no route by", because, hop=p.neighbor, **asking.routed(p.far))


class _Edge(NamedTuple):
    """A way from a router to a neighbor, by the neighbor's address."""

    target: str
    neighbor: str
    cost: int


class _Graph:
    """The routers and links of an area. Routes within an area are better than any other route."""

    def __init__(self, network: DrawnNetwork, area: int) -> None:
        self._edges: dict[str, list[_Edge]] = {}
        for link in network.transits:
            if link.area == area:
                for one in link.attachments:
                    cost = configured_cost(network, one.node, one.interface)
                    for other in link.attachments:
                        if other.node != one.node:
                            self._edges.setdefault(one.node, []).append(_Edge(other.node, other.address, cost))
        self._goals: Sequence[Subnet] = [
            subnet for subnet in network.subnets if subnet.area == area and subnet.kind != "transit"
        ]

    def avoidable(self, link: OspfLink) -> str | None:
        """The first prefix to which a router uses a link, and that it reaches without it; ``None`` if there is none."""
        for subnet in self._goals:
            goals = {one.node for one in subnet.attachments}
            if link.node in goals:
                continue
            ways = self._ways(link.node, goals)
            if link.neighbor in ways and len(ways) > 1 and ways[link.neighbor] == min(ways.values()):
                return subnet.prefix
        return None

    def _ways(self, start: str, goals: set[str]) -> Mapping[str, int]:
        """By the address of each neighbor of a router: the cost of the best path through it that does not come back."""
        found: dict[str, int] = {}
        for edge in self._edges.get(start, ()):
            rest = least_cost(edge.target, goals, lambda node: self._onward(node, without=start))
            if rest is not None:
                found[edge.neighbor] = edge.cost + rest
        return found

    def _onward(self, node: str, *, without: str) -> Iterator[tuple[str, int]]:
        return ((edge.target, edge.cost) for edge in self._edges.get(node, ()) if node != without)


def configured_cost(network: DrawnNetwork, node: str, interface: str) -> int:
    """Return the OSPF cost of an interface of a network on paper."""
    return _configured(network, node, interface) or _USUAL


def _configured(network: DrawnNetwork, node: str, interface: str) -> int | None:
    """The cost of an interface, if its config has one."""
    for path in config_paths(network.startup_configs.get(node, "")):
        if path[0] == f"interface {interface}" and path[-1].startswith(_COST):
            return int(path[-1].removeprefix(_COST))
    return None
