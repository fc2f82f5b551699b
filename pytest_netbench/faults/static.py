"""Faults of static routes of FRR and IOS routers."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
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
        return (f"no {route} {remove}", f"{route} {add}", *retyped(self.platform, self.behind))


class StaticNextHopWrong(DeviceFault[WrongNextHop]):
    """A static route has a next hop that does not lead to its LAN: another router, or one that is not reachable."""

    name = "static-next-hop-wrong"
    label = "STATIC_NEXT_HOP"
    parameters = WrongNextHop

    def _places(self, network: DrawnNetwork) -> Iterator[WrongNextHop]:
        for node, prefix, right, wrong in _astray(network, far=True):
            platform = network.platform_of(node)
            line = f"ip route {with_mask(platform, prefix)} {right}"
            others = behind(network, node, line, like="ip route")
            yield WrongNextHop(node=node, platform=platform, prefix=prefix, right=right, instead=wrong, behind=others)

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


class WrongMember(OnDevice):
    """A static route to a LAN over two next hops.

    Attributes:
        prefix: Of the LAN.
        right: The next hop that leads there.
        wrong: The other one.
    """

    prefix: str
    right: str
    wrong: str

    def route(self, hop: str) -> str:
        """The line of one next hop."""
        return f"ip route {with_mask(self.platform, self.prefix)} {hop}"


class EcmpMemberWrong(DeviceFault[WrongMember]):
    """A router sends a part of the flows to a LAN to a second next hop, which does not lead there."""

    shown_by = "telemetry"
    name = "ecmp-member-wrong"
    label = "ECMP_MEMBER"
    called = {"nika": "ecmp_member_wrong"}
    parameters = WrongMember
    domain = "forwarding"

    def _places(self, network: DrawnNetwork) -> Iterator[WrongMember]:
        for node, prefix, right, wrong in _astray(network, far=False):
            yield WrongMember(node=node, platform=network.platform_of(node), prefix=prefix, right=right, wrong=wrong)

    def touches(self, parameters: WrongMember) -> frozenset[str]:
        return frozenset({f"route {parameters.node}"})

    def injection(self, parameters: WrongMember) -> tuple[str, ...]:
        return (parameters.route(parameters.wrong),)

    def repair(self, parameters: WrongMember) -> tuple[str, ...]:
        return (f"no {parameters.route(parameters.wrong)}",)

    def shown(self, parameters: WrongMember) -> tuple[str, ...]:
        return (parameters.route(parameters.right), parameters.route(parameters.wrong))

    def remains(self, parameters: WrongMember, lab: Lab) -> Iterator[str]:
        p = parameters
        for hop in (p.right, p.wrong):
            if not any(has_route(lab, p.node, p.prefix, "static", next_hop=hop)):
                yield f"{p.node} does not send packets to {p.prefix} to {hop}"

    def symptoms(self, parameters: WrongMember, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} sends packets to {p.prefix} to {p.wrong}, too."
        yield from asking.state(network, p.node, "route by", because, hop=p.wrong, **asking.routed(p.prefix))


def _astray(network: DrawnNetwork, *, far: bool) -> Iterator[tuple[str, str, str, str]]:
    """Static routes that lose packets with another next hop: router, prefix of the LAN, right and wrong next hop.

    With ``far`` also next hops that are on no link of the router.
    """
    hops, paths = static_hops(network), StaticPaths(network)
    for (node, prefix), right in hops.items():
        for address in _others(network, node, right, far=far):
            # in a ring the other way round may lead there, too, and some routers are on nobody's way
            if paths.lost(prefix, {**hops, (node, prefix): address}):
                yield node, prefix, right, address


def _others(network: DrawnNetwork, node: str, right: str, *, far: bool) -> tuple[str, ...]:
    """Next hops that a router may have instead of the right one.

    Not addresses of a LAN: the router would redirect its hosts there, and they remember that after the repair.
    """
    links = [link for link in network.transits if any(one.node == node for one in link.attachments)]
    own = {one.address for subnet in network.subnets for one in subnet.attachments if one.node == node}
    near = [one.address for link in links for one in link.attachments]
    beyond = [str(IPv4Address(right) + offset) for offset in MISTYPED] if far else ()
    return tuple(one for one in dict.fromkeys((*near, *beyond)) if one not in {right, *own})
