"""BGP of an ISP to two upstream providers, and OSPF inside the ISP.

Routes of the first provider are preferred, and it is preferred for the way back. Only the ISP's own block is
announced, so that it carries no traffic between the providers. Inside, a default route leads to the edge of the first
provider, or else to the other one. Edges know the internet's prefixes and discard packets to all others.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Final

from pytest_netbench.generators.networks.draft import Device, Draft, Port
from pytest_netbench.generators.networks.processes import Bgp, Neighbor, Ospf, Policy, StaticRoute
from pytest_netbench.generators.networks.routings.ospf import ospf_of
from pytest_netbench.generators.networks.routings.scheme import Scheme

_DEFAULT: Final = IPv4Network("0.0.0.0/0")
_PREFERENCE: Final = 200
_PREPENDED: Final = 3
_NEAR, _FAR = 10, 20
_FROM_FIRST, _TO_FIRST, _TO_SECOND = "FROM-PRIMARY", "TO-PRIMARY", "TO-BACKUP"


def add_own_loopbacks(draft: Draft) -> None:
    """Give each router of the ISP a loopback address."""
    for device in draft.devices:
        if _is_own(device):
            draft.loopback(device)


def add_interdomain(draft: Draft) -> None:
    """Add OSPF and BGP. The first foreign router of the draft is the preferred provider."""
    block = draft.blocks["public"]
    routers = [device for device in draft.devices if device.forwards]
    first = next(device for device in routers if not _is_own(device))
    edges = [device for device in routers if _is_own(device) and _foreign_ends(device)]
    for device in routers:
        if not _is_own(device):
            device.bgp = _foreign_bgp(device)
        elif device in edges:
            _configure_edge(device, edges, first, block)
        else:
            device.ospf = ospf_of(device, device.routed_ports)


def _is_own(device: Device) -> bool:
    return device.kind == "router" and device.control == "managed"


def _foreign_ends(device: Device) -> list[Port]:
    """Interfaces of routers in other autonomous systems, on its links."""
    return [
        far
        for port in device.routed_ports
        if port.net.kind == "transit"
        for far in port.net.ports
        if far.device.autonomous_system != device.autonomous_system
    ]


def _foreign_bgp(device: Device) -> Bgp:
    process = _bgp(device, router_id_of=device.routed_ports[0])
    process.neighbors += [_neighbor(far) for far in _foreign_ends(device)]
    process.networks += [port.net.network for port in device.routed_ports]
    return process


def _configure_edge(device: Device, edges: list[Device], first: Device, block: IPv4Network) -> None:
    providers = [far.device for far in _foreign_ends(device)]
    device.routes += [StaticRoute(prefix=prefix, next_hop=None) for prefix in (block, _DEFAULT)]
    device.ospf = _inside_ospf(device, first=first in providers)
    device.bgp = _bgp(device, router_id_of=next(port for port in device.routed_ports if port.net.kind == "loopback"))
    device.bgp.networks.append(block)
    for far in _foreign_ends(device):
        device.bgp.neighbors.append(
            _neighbor(far, inbound=_FROM_FIRST, outbound=_TO_FIRST)
            if far.device is first
            else _neighbor(far, outbound=_TO_SECOND)
        )
    device.bgp.neighbors += [_inside_neighbor(other) for other in edges if other is not device]
    if first in providers:
        device.policies.append(Policy(name=_FROM_FIRST, local_preference=_PREFERENCE))
        device.policies.append(Policy(name=_TO_FIRST, prefixes=(block,)))
    if any(provider is not first for provider in providers):
        own = device.bgp.autonomous_system
        device.policies.append(Policy(name=_TO_SECOND, prefixes=(block,), prepend=(own,) * _PREPENDED))


def _inside_ospf(device: Device, *, first: bool) -> Ospf:
    outside = [far.net for far in _foreign_ends(device)]
    process = ospf_of(device, [port for port in device.routed_ports if port.net not in outside])
    process.default = _NEAR if first else _FAR
    return process


def _bgp(device: Device, *, router_id_of: Port) -> Bgp:
    assert device.autonomous_system is not None
    return Bgp(autonomous_system=device.autonomous_system, router_id=router_id_of.routed.ip)


def _neighbor(far: Port, *, inbound: str | None = None, outbound: str | None = None) -> Neighbor:
    assert far.device.autonomous_system is not None
    return Neighbor(
        address=far.routed.ip,
        autonomous_system=far.device.autonomous_system,
        name=far.device.name,
        inbound=inbound,
        outbound=outbound,
    )


def _inside_neighbor(other: Device) -> Neighbor:
    assert other.autonomous_system is not None
    return Neighbor(
        address=other.loopback_address,
        autonomous_system=other.autonomous_system,
        name=other.name,
        from_loopback=True,
        next_hop_self=True,
    )


INTERDOMAIN = Scheme(prepare=add_own_loopbacks, configure=add_interdomain)
