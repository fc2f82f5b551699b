"""Static routes to all LANs along shortest paths."""

from __future__ import annotations

from collections import deque
from ipaddress import IPv4Address

from pytest_netbench.generators.networks.draft import Device, Draft, Net
from pytest_netbench.generators.networks.processes import StaticRoute
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_nothing


def add_static_routes(draft: Draft) -> None:
    """Give each router a route to each LAN that it is not in. Of equal paths the first-cabled is used."""
    for net in draft.nets:
        if net.kind == "lan":
            for device, next_hop in _toward(net).items():
                device.routes.append(StaticRoute(prefix=net.network, next_hop=next_hop))


def _toward(lan: Net) -> dict[Device, IPv4Address]:
    """By router outside ``lan``: the next hop on a shortest path to it."""
    found: dict[Device, IPv4Address] = {}
    inside = [port.device for port in lan.routers()]
    waiting = deque(inside)
    while waiting:
        nearer = waiting.popleft()
        for port in nearer.routed_ports:
            for far in port.net.routers():
                if far.device not in found and far.device not in inside:
                    found[far.device] = port.routed.ip
                    waiting.append(far.device)
    return found


STATIC = Scheme(prepare=add_nothing, configure=add_static_routes, platforms=("frr", "cisco_ios", "linux"))
