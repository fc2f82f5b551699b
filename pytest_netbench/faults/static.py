"""Faults of static routes of FRR and IOS routers."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.faults.device import DeviceFault, OnDevice
from pytest_netbench.faults.state import has_route
from pytest_netbench.faults.syntax import behind, retyped, with_mask
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork


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
    """A static route leads to another node on one of the router's links than that behind which its LAN is."""

    name = "static-next-hop-wrong"
    label = "STATIC-NEXT-HOP"
    parameters = WrongNextHop

    def _places(self, network: DrawnNetwork) -> Iterator[WrongNextHop]:
        for node in network.routers:
            platform = network.platform_of(node)
            near = _near(network, node)
            lines = network.startup_configs[node].splitlines()
            for lan in network.lans:
                route = f"ip route {with_mask(platform, lan.prefix)} "
                for line in [line for line in lines if line.startswith(route)]:
                    others = behind(network, node, line, like="ip route")
                    right = line.removeprefix(route)
                    for address in near:
                        if address != right:
                            yield WrongNextHop(
                                node=node,
                                platform=platform,
                                prefix=lan.prefix,
                                right=right,
                                instead=address,
                                behind=others,
                            )

    def touches(self, parameters: WrongNextHop) -> frozenset[str]:
        return frozenset({f"route {parameters.node}"})

    def injection(self, parameters: WrongNextHop) -> tuple[str, ...]:
        return parameters.changed(parameters.right, parameters.instead)

    def repair(self, parameters: WrongNextHop) -> tuple[str, ...]:
        return parameters.changed(parameters.instead, parameters.right)

    def remains(self, parameters: WrongNextHop, lab: Lab) -> Iterator[str]:
        return has_route(lab, parameters.node, parameters.prefix, "static", next_hop=parameters.right)


def _near(network: DrawnNetwork, node: str) -> tuple[str, ...]:
    """The addresses of other nodes in the subnets of a router."""
    subnets = [subnet for subnet in network.subnets if any(one.node == node for one in subnet.attachments)]
    return tuple(one.address for subnet in subnets for one in subnet.attachments if one.node != node)
