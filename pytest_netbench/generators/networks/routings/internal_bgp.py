"""BGP inside one autonomous system: OSPF knows links and loopbacks, BGP carries the LANs over route reflectors."""

from __future__ import annotations

from typing import Final

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.processes import Bgp, Neighbor
from pytest_netbench.generators.networks.routings.ospf import ospf_of
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_loopbacks

OWN_AUTONOMOUS_SYSTEM: Final = 65010
_REFLECTORS: Final = 2


def add_internal_bgp(draft: Draft) -> None:
    """Let the routers with the most links reflect the routes of all others (RFC 4456); they peer with each other."""
    routers = [device for device in draft.devices if device.forwards]
    reflectors = sorted(routers, key=lambda device: -_links(device))[:_REFLECTORS]
    for device in routers:
        device.autonomous_system = OWN_AUTONOMOUS_SYSTEM
        device.ospf = ospf_of(device, [port for port in device.routed_ports if port.net.kind != "lan"])
        peers = routers if device in reflectors else reflectors
        device.bgp = Bgp(
            autonomous_system=OWN_AUTONOMOUS_SYSTEM,
            router_id=device.loopback_address,
            neighbors=[
                _neighbor(other, is_client=device in reflectors and other not in reflectors)
                for other in peers
                if other is not device
            ],
            networks=[port.net.network for port in device.routed_ports if port.net.kind == "lan"],
        )


def _links(device: Device) -> int:
    return sum(port.net.kind == "transit" for port in device.routed_ports)


def _neighbor(other: Device, *, is_client: bool) -> Neighbor:
    return Neighbor(
        address=other.loopback_address,
        autonomous_system=OWN_AUTONOMOUS_SYSTEM,
        name=other.name,
        from_loopback=True,
        is_client=is_client,
    )


INTERNAL_BGP = Scheme(prepare=add_loopbacks, configure=add_internal_bgp)
