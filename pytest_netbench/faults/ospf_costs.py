"""A router that avoids a link, because it has a wrong OSPF cost there, and the cheapest paths on paper."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, given, on_port, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.router_links import RouterLink, ospf_links
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork, Subnet

WRONG_COSTS: Final = (20_000, 50_000, 65_535)
"""More than any path through a network."""
_COST: Final = "ip ospf cost "
_INTERFACE: Final = "interface "
_USUAL: Final = 1
"""All interfaces without a cost have the same one."""


class WrongCost(RouterLink):
    """One end of a link, a prefix that it leads to, its cost if one is configured, and the cost that it has instead."""

    far: str
    cost: int | None = None
    instead: int


def _places(network: DrawnNetwork) -> Iterator[WrongCost]:
    areas = {link.prefix: link.area for link in network.transits}
    costs = {node: _configured_costs(text) for node, text in network.startup_configs.items()}
    graphs = {area: _Graph(network, area, costs) for area in dict.fromkeys(areas.values()) if area is not None}
    for link in ospf_links(network):
        area = areas[link.prefix]
        far = graphs[area].avoidable(link) if area is not None else None
        for instead in WRONG_COSTS if far is not None else ():
            cost = costs[link.node].get(link.interface)
            yield WrongCost(**dict(link), far=far, cost=cost, instead=instead)


def _prefers(lab: Lab, p: WrongCost) -> Iterator[str]:
    # another fault may have left no other path: then its cost shows
    for route in lab.driver(p.node).routes(lab.nodes[p.node], p.far):
        is_cheap = route.metric is None or route.metric < p.instead
        if route.protocol == "ospf" and p.neighbor in route.next_hops and is_cheap:
            yield f"it still prefers {p.neighbor} to reach {p.far}"


def _change(p: WrongCost) -> Change:
    right = p.without(_COST.strip()) if p.cost is None else (f"{_COST}{p.cost}",)
    high = f"The cost of {p.interface} of {p.node} is higher than any path."
    unused = f"{p.node} does not use {p.peer} toward {p.far}, although it is the nearest."
    return Change(
        inject=on_port(p, f"{_COST}{p.instead}"),
        repair=on_port(p, *right),
        checks=(given(_prefers, p),),
        symptoms=(
            shows(p.node, "OSPF cost", high, interface=p.interface, cost=p.instead),
            shows(p.node, "no route by", unused, hop=p.neighbor, **asking.routed(p.far)),
        ),
    )


OSPF_COST_WRONG = config_fault(
    "ospf-cost-wrong",
    about="A router has a much higher OSPF cost on a link than its neighbor, so that it avoids the link.",
    label="OSPF_COST",
    found_at="interface",
    parameters=WrongCost,
    shown_by="telemetry",
    called={"nika": "ecmp_member_missing"},
    at=_places,
    # a path that others change could be the one that is taken instead
    touches=lambda p: frozenset({f"ospf {p.prefix}", "ospf costs"}),
    change=_change,
)


def least_cost(start: str, goals: Collection[str], edges: Callable[[str], Iterable[tuple[str, int]]]) -> int | None:
    """Return the cost of the cheapest path from a router to any of some others; ``None`` if there is no path.

    Args:
        start: The router.
        goals: The others.
        edges: Returns the neighbors of a router, each with the cost of the link to it.
    """
    known: set[str] = set()
    waiting = [(0, start)]
    while waiting:
        cost, node = heappop(waiting)
        if node in goals:
            return cost
        if node not in known:
            known.add(node)
            for neighbor, more in edges(node):
                heappush(waiting, (cost + more, neighbor))
    return None


class _Edge(NamedTuple):
    """A way from a router to a neighbor, by the neighbor's address."""

    target: str
    neighbor: str
    cost: int


class _Graph:
    """The routers and links of an area. Routes within an area are better than any other route."""

    def __init__(self, network: DrawnNetwork, area: int, costs: Mapping[str, Mapping[str, int]]) -> None:
        self._edges: dict[str, list[_Edge]] = {}
        self._before: dict[str, list[tuple[str, int]]] = {}
        for link in network.transits:
            if link.area == area:
                for one in link.attachments:
                    cost = costs.get(one.node, {}).get(one.interface, _USUAL)
                    for other in link.attachments:
                        if other.node != one.node:
                            self._edges.setdefault(one.node, []).append(_Edge(other.node, other.address, cost))
                            self._before.setdefault(other.node, []).append((one.node, cost))
        self._goals: Sequence[Subnet] = [
            subnet for subnet in network.subnets if subnet.area == area and subnet.kind != "transit"
        ]
        # a router is asked once for each of its links
        self._known: dict[tuple[str, frozenset[str]], Mapping[str, int]] = {}

    def avoidable(self, link: RouterLink) -> str | None:
        """The first prefix to which a router uses a link, and that it reaches without it; ``None`` if there is none."""
        for subnet in self._goals:
            goals = frozenset(one.node for one in subnet.attachments)
            if link.node in goals:
                continue
            ways = self._ways(link.node, goals)
            if link.neighbor in ways and len(ways) > 1 and ways[link.neighbor] == min(ways.values()):
                return subnet.prefix
        return None

    def _ways(self, start: str, goals: frozenset[str]) -> Mapping[str, int]:
        """By the address of each neighbor of a router: the cost of the best path through it that does not come back."""
        if (start, goals) not in self._known:
            rest = self._costs_to(goals, without=start)
            edges = self._edges.get(start, ())
            ways = {edge.neighbor: edge.cost + rest[edge.target] for edge in edges if edge.target in rest}
            self._known[start, goals] = ways
        return self._known[start, goals]

    def _costs_to(self, goals: Collection[str], *, without: str) -> Mapping[str, int]:
        """By router that has a path to a goal around one router: the cost of the cheapest one."""
        least = {node: 0 for node in goals if node != without}
        waiting = [(0, node) for node in least]
        while waiting:
            cost, node = heappop(waiting)
            if cost > least[node]:
                continue
            for previous, more in self._before.get(node, ()):
                total = cost + more
                if previous != without and (previous not in least or total < least[previous]):
                    least[previous] = total
                    heappush(waiting, (total, previous))
        return least


def configured_cost(network: DrawnNetwork, node: str, interface: str) -> int:
    """Return the OSPF cost of an interface of a network on paper."""
    return _configured_costs(network.startup_configs.get(node, "")).get(interface, _USUAL)


def _configured_costs(config: str) -> Mapping[str, int]:
    """By interface to which a config gives a cost: the cost."""
    found: dict[str, int] = {}
    for path in config_paths(config):
        if path[0].startswith(_INTERFACE) and path[-1].startswith(_COST):
            found.setdefault(path[0].removeprefix(_INTERFACE), int(path[-1].removeprefix(_COST)))
    return found
