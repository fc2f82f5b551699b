"""Missing ``network`` statements: a router does not announce its LAN by OSPF or BGP."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.state import has_route
from pytest_netbench.faults.syntax import behind, below, in_family, opening, order_of, retyped, with_mask, with_wildcard
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork, Subnet


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


class UnannouncedArea(Unannounced):
    """A LAN that OSPF does not announce, and its area."""

    area: int

    @property
    def statement(self) -> str:
        """The statement of the LAN."""
        return f"network {with_wildcard(self.platform, self.prefix)} area {self.area}"


class OspfNetworkMissing(DeviceFault[UnannouncedArea]):
    """A router has no OSPF ``network`` statement for its LAN."""

    name = "ospf-network-missing"
    label = "OSPF_NETWORK"
    parameters = UnannouncedArea

    def _places(self, network: DrawnNetwork) -> Iterator[UnannouncedArea]:
        for found in _announced(network, "router ospf"):
            area = _lan(network, found.prefix).area
            if area is not None:
                whole = UnannouncedArea(**dict(found), area=area)
                others = behind(network, found.node, whole.statement, like="network", section=(found.process,))
                yield whole.model_copy(update={"behind": others})

    def touches(self, parameters: UnannouncedArea) -> frozenset[str]:
        order = order_of(parameters.platform, parameters.node, parameters.process)
        return frozenset({f"ospf {parameters.prefix}"}) | order

    def cuts(self, parameters: UnannouncedArea) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def injection(self, parameters: UnannouncedArea) -> tuple[str, ...]:
        return below(parameters.process, f"no {parameters.statement}")

    def repair(self, parameters: UnannouncedArea) -> tuple[str, ...]:
        return below(parameters.process, parameters.statement, *retyped(parameters.platform, parameters.behind))

    def remains(self, parameters: UnannouncedArea, lab: Lab) -> Iterator[str]:
        return has_route(lab, parameters.neighbor, parameters.prefix, "ospf")

    def symptoms(self, parameters: UnannouncedArea, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.neighbor} has no route to {parameters.prefix} by OSPF."
        words = asking.routed(parameters.prefix)
        yield from asking.state(network, parameters.neighbor, "no route", because, protocol="ospf", **words)


class BgpNetworkMissing(DeviceFault[Unannounced]):
    """A router has no BGP ``network`` statement for its LAN."""

    name = "bgp-network-missing"
    label = "BGP_NETWORK"
    parameters = Unannounced
    called = {"nika": "bgp_missing_route_advertisement"}

    def _places(self, network: DrawnNetwork) -> Iterator[Unannounced]:
        for found in _announced(network, "router bgp"):
            line = _bgp_statement(found)
            if any(path[-1] == line for path in config_paths(network.startup_configs[found.node])):
                others = behind(network, found.node, line, like="network", section=(found.process,))
                yield found.model_copy(update={"behind": others})

    def touches(self, parameters: Unannounced) -> frozenset[str]:
        order = order_of(parameters.platform, parameters.node, parameters.process)
        return frozenset({f"bgp {parameters.node} {parameters.prefix}"}) | order

    def cuts(self, parameters: Unannounced) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def injection(self, parameters: Unannounced) -> tuple[str, ...]:
        return in_family(parameters.platform, parameters.process, f"no {_bgp_statement(parameters)}")

    def repair(self, parameters: Unannounced) -> tuple[str, ...]:
        lines = (_bgp_statement(parameters), *retyped(parameters.platform, parameters.behind))
        return in_family(parameters.platform, parameters.process, *lines)

    def remains(self, parameters: Unannounced, lab: Lab) -> Iterator[str]:
        return has_route(lab, parameters.neighbor, parameters.prefix, "bgp")

    def symptoms(self, parameters: Unannounced, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.neighbor} has no route to {parameters.prefix} by BGP."
        words = asking.routed(parameters.prefix)
        yield from asking.state(network, parameters.neighbor, "no route", because, protocol="bgp", **words)


def _announced(network: DrawnNetwork, protocol: str) -> Iterator[Unannounced]:
    """LANs of one router that runs the protocol and has a neighbor."""
    for lan in network.lans:
        routers = [one.node for one in lan.attachments if one.node in network.routers]
        if len(routers) != 1:
            continue
        (node,) = routers
        process, neighbor = opening(network, node, protocol), _neighbor(network, node)
        if process is not None and neighbor is not None:
            platform = network.platform_of(node)
            yield Unannounced(node=node, platform=platform, process=process, prefix=lan.prefix, neighbor=neighbor)


def _neighbor(network: DrawnNetwork, node: str) -> str | None:
    links = [[one.node for one in link.attachments] for link in network.transits]
    return next((name for link in links if node in link for name in link if name != node), None)


def _lan(network: DrawnNetwork, prefix: str) -> Subnet:
    return next(lan for lan in network.lans if lan.prefix == prefix)


def _bgp_statement(lan: Unannounced) -> str:
    return f"network {with_mask(lan.platform, lan.prefix, word='mask ')}"
