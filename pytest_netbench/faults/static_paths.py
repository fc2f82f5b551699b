"""Where the static routes of a network on paper lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.faults.syntax import with_mask
from pytest_netbench.model.network import DrawnNetwork, Subnet

Hops = Mapping[tuple[str, str], str]
"""By router and prefix of a LAN: the next hop of its static route."""


def static_hops(network: DrawnNetwork) -> dict[tuple[str, str], str]:
    """Return the static routes of all routers to LANs, from their startup configs."""
    return dict(_hops(network))


def _hops(network: DrawnNetwork) -> Iterator[tuple[tuple[str, str], str]]:
    for node in network.routers:
        routes = {f"ip route {with_mask(network.platform_of(node), lan.prefix)}": lan.prefix for lan in network.lans}
        for line in network.startup_configs[node].splitlines():
            route, _, hop = line.rpartition(" ")
            if route in routes:
                yield (node, routes[route]), hop


class StaticPaths:
    """The paths that static routes make in a network.

    Args:
        network: The network. Its routers reach each other's addresses on common links only.
    """

    def __init__(self, network: DrawnNetwork) -> None:
        self._network = network
        self._near = {
            (one.node, other.address): other.node
            for link in network.transits
            for one in link.attachments
            for other in link.attachments
            if one.node != other.node
        }
        self._gateways = {lan.prefix: _gateways(network, lan) for lan in network.lans}

    def lost(self, prefix: str, hops: Hops) -> frozenset[str]:
        """Routers with LANs from which packets to a LAN do not arrive there."""
        starts = {node for gateways in self._gateways.values() for node in gateways}
        return frozenset(node for node in starts if not self._arrives(node, prefix, hops))

    def _arrives(self, node: str, prefix: str, hops: Hops) -> bool:
        passed: set[str] = set()
        while node not in self._gateways[prefix]:
            passed.add(node)
            following = self._near.get((node, hops.get((node, prefix), "")))
            if following is None or following in passed:
                return False
            node = following
        return True


def _gateways(network: DrawnNetwork, lan: Subnet) -> frozenset[str]:
    return frozenset(one.node for one in lan.attachments if one.node in network.routers)
