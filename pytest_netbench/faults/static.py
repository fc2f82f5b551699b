"""Faults of static routes of FRR and IOS routers."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.faults.device import DeviceFault, OnDevice
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.state import has_route
from pytest_netbench.faults.static_paths import StaticPaths, static_hops
from pytest_netbench.faults.syntax import behind, retyped, with_mask
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

MISTYPED: Final = (4, 8, 16)
"""What is added to a next hop so that it is not on a link of 30 bits."""


class WrongNextHop(OnDevice):
    """A static route to a LAN.

    Attributes:
        prefix: Of the LAN.
        right: Its next hop.
        instead: The next hop that it has instead.
        behind: Static routes behind it, where the order of typing is kept.
    """

    prefix: str
    right: str
    instead: str
    behind: tuple[str, ...] = ()

    def changed(self, remove: str, add: str) -> tuple[str, ...]:
        """Commands that give the route another next hop."""
        route = f"ip route {with_mask(self.platform, self.prefix)}"
        return (f"no {route} {remove}", f"{route} {add}", *retyped(self.behind))


class StaticNextHopWrong(DeviceFault[WrongNextHop]):
    """A static route has a next hop that does not lead to its LAN: another router, or one that is not reachable."""

    name = "static-next-hop-wrong"
    label = "STATIC_NEXT_HOP"
    parameters = WrongNextHop

    def _places(self, network: DrawnNetwork) -> Iterator[WrongNextHop]:
        hops, paths = static_hops(network), StaticPaths(network)
        for (node, prefix), right in hops.items():
            platform = network.platform_of(node)
            line = f"ip route {with_mask(platform, prefix)} {right}"
            others = behind(network, node, line, like="ip route")
            for address in _others(network, node, right):
                # in a ring the other way round may lead there, too, and some routers are on nobody's way
                if paths.lost(prefix, {**hops, (node, prefix): address}):
                    yield WrongNextHop(
                        node=node, platform=platform, prefix=prefix, right=right, instead=address, behind=others
                    )

    def touches(self, parameters: WrongNextHop) -> frozenset[str]:
        return frozenset({f"route {parameters.node}"})

    def injection(self, parameters: WrongNextHop) -> tuple[str, ...]:
        return parameters.changed(parameters.right, parameters.instead)

    def repair(self, parameters: WrongNextHop) -> tuple[str, ...]:
        return parameters.changed(parameters.instead, parameters.right)

    def remains(self, parameters: WrongNextHop, lab: Lab) -> Iterator[str]:
        return has_route(lab, parameters.node, parameters.prefix, "static", next_hop=parameters.right)

    def symptoms(self, parameters: WrongNextHop, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} does not send packets to {p.prefix} to {p.right}."
        yield from asking.state(network, p.node, "no route by", because, hop=p.right, **asking.routed(p.prefix))


def _others(network: DrawnNetwork, node: str, right: str) -> tuple[str, ...]:
    """Next hops that a router may have instead of the right one.

    Not addresses of a LAN: the router would redirect its hosts there, and they remember that after the repair.
    """
    links = [link for link in network.transits if any(one.node == node for one in link.attachments)]
    own = {one.address for subnet in network.subnets for one in subnet.attachments if one.node == node}
    near = [one.address for link in links for one in link.attachments]
    far = [str(IPv4Address(right) + offset) for offset in MISTYPED]
    return tuple(one for one in dict.fromkeys((*near, *far)) if one not in {right, *own})
