"""Communities that routers must not give to what they announce by BGP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.bgp import bgp_sessions
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import announced
from pytest_netbench.faults.state import has_route
from pytest_netbench.faults.syntax import below, in_family, opening
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

NAMES: Final = ("ANNOUNCE", "EXPORT-LAN", "LOCAL", "RTBH")
_COMMUNITY: Final = "set community blackhole"
_PLATFORM: Final = "frr"


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

    @property
    def head(self) -> str:
        """The line that opens the route map."""
        return f"route-map {self.map_name} permit 10"


class BgpBlackholeTagged(DeviceFault[TaggedLan]):
    """A router announces its LAN by BGP with the community for blackholes, so that its neighbors do not pass it on.

    Neighbors are FRR's, which add ``no-export`` to such a route (RFC 7999).
    """

    name = "bgp-blackhole-tagged"
    label = "BGP_TAG"
    parameters = TaggedLan
    platforms = (_PLATFORM,)
    called = {"nika": "bgp_blackhole_community_leak"}

    def _places(self, network: DrawnNetwork) -> Iterator[TaggedLan]:
        if any(network.platform_of(node) != _PLATFORM for node in network.routers):
            return
        for node in network.routers:
            process, far = opening(network, node, "router bgp"), _far(network, node)
            if process is None or far is None:
                continue
            known = announced(network, node)
            for lan in network.lans:
                routers = [one.node for one in lan.attachments if one.node in network.routers]
                if routers == [node] and lan.prefix in known:
                    for name in NAMES:
                        yield TaggedLan(
                            node=node, platform=_PLATFORM, process=process, prefix=lan.prefix, far=far, map_name=name
                        )

    def touches(self, parameters: TaggedLan) -> frozenset[str]:
        route_map = f"{parameters.node} route-map {parameters.map_name}"
        return frozenset({f"bgp {parameters.node} {parameters.prefix}", route_map})

    def cuts(self, parameters: TaggedLan) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def injection(self, parameters: TaggedLan) -> tuple[str, ...]:
        statement = f"network {parameters.prefix} route-map {parameters.map_name}"
        return (
            *below(parameters.head, _COMMUNITY),
            *in_family(parameters.platform, parameters.process, statement),
        )

    def repair(self, parameters: TaggedLan) -> tuple[str, ...]:
        statement = f"network {parameters.prefix}"
        return (
            *in_family(parameters.platform, parameters.process, f"no {statement}", statement),
            f"no {parameters.head}",
        )

    def symptoms(self, parameters: TaggedLan, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.far} has no route to {parameters.prefix} by BGP."
        words = asking.routed(parameters.prefix)
        yield from asking.state(network, parameters.far, "no route", because, protocol="bgp", **words)

    def remains(self, parameters: TaggedLan, lab: Lab) -> Iterator[str]:
        return has_route(lab, parameters.far, parameters.prefix, "bgp")


def _far(network: DrawnNetwork, node: str) -> str | None:
    """A router in an autonomous system that is no neighbor of a router's own; ``None`` if there is none."""
    numbers = network.autonomous_systems
    own = numbers.get(node)
    near = {numbers[one.peer] for one, _, _ in bgp_sessions(network) if numbers[one.node] == own}
    others = (name for name, number in numbers.items() if number != own and number not in near)
    return next(others, None)
