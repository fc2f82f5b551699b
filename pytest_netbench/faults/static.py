"""Faults of static routes of FRR and IOS routers, and where the static routes of a network on paper lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice, given, has_route, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.paths import routers_of
from pytest_netbench.faults.syntax import behind, retyped, with_mask
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

MISTYPED: Final = (4, 8, 16)
"""What is added to a next hop so that it is not on a link of 30 bits."""
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
        self._gateways = {lan.prefix: frozenset(routers_of(network, lan)) for lan in network.lans}

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

    def changed(self, old: str, new: str) -> tuple[str, ...]:
        """Commands that give the route another next hop."""
        removed = self.without(_route(self.platform, self.prefix, old))
        return (*removed, _route(self.platform, self.prefix, new), *retyped(self.platform, self.behind))


def _route(platform: str, prefix: str, hop: str) -> str:
    return f"ip route {with_mask(platform, prefix)} {hop}"


def _wrong_hops(network: DrawnNetwork) -> Iterator[WrongNextHop]:
    for node, prefix, right, wrong in _astray(network, far=True):
        others = behind(network, node, _route(network.platform_of(node), prefix, right), like="ip route")
        yield WrongNextHop.of(network, node, prefix=prefix, right=right, instead=wrong, behind=others)


def _misled(p: WrongNextHop) -> Change:
    because = f"{p.node} does not send packets to {p.prefix} to {p.right}."
    return Change(
        inject=p.changed(p.right, p.instead),
        repair=p.changed(p.instead, p.right),
        checks=(given(has_route, p.node, p.prefix, "static", next_hop=p.right),),
        symptoms=(shows(p.node, "no route by", because, hop=p.right, **asking.routed(p.prefix)),),
    )


STATIC_NEXT_HOP_WRONG = config_fault(
    "static-next-hop-wrong",
    about="A static route has a next hop that does not lead to its LAN: another router, or one that is not reachable.",
    label="STATIC_NEXT_HOP",
    parameters=WrongNextHop,
    at=_wrong_hops,
    touches=lambda p: frozenset({f"route {p.node}"}),
    change=_misled,
)


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


def _lacks(lab: Lab, p: WrongMember) -> Iterator[str]:
    for hop in (p.right, p.wrong):
        if not any(has_route(lab, p.node, p.prefix, "static", next_hop=hop)):
            yield f"{p.node} does not send packets to {p.prefix} to {hop}"


def _split(p: WrongMember) -> Change:
    right, wrong = (_route(p.platform, p.prefix, hop) for hop in (p.right, p.wrong))
    because = f"{p.node} sends packets to {p.prefix} to {p.wrong}, too."
    return Change(
        inject=(wrong,),
        repair=p.without(wrong),
        shown=(right, wrong),
        checks=(given(_lacks, p),),
        symptoms=(shows(p.node, "route by", because, hop=p.wrong, **asking.routed(p.prefix)),),
    )


ECMP_MEMBER_WRONG = config_fault(
    "ecmp-member-wrong",
    about="A router sends a part of the flows to a LAN to a second next hop, which does not lead there.",
    label="ECMP_MEMBER",
    domain="forwarding",
    parameters=WrongMember,
    shown_by="telemetry",
    called={"nika": "ecmp_member_wrong"},
    at=lambda network: (
        WrongMember.of(network, node, prefix=prefix, right=right, wrong=wrong)
        for node, prefix, right, wrong in _astray(network, far=False)
    ),
    touches=lambda p: frozenset({f"route {p.node}"}),
    change=_split,
)
