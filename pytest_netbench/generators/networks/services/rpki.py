"""Validation of the origins of routes by the RPKI (RFC 6811), at the edge of an ISP.

A host of the ISP is a cache of the RPKI, and edges deny what it calls invalid. There is such a route: a provider has a
more specific one to a LAN of the ISP, with which it delivers what it gets, and announces it as its own by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft, Net, Port
from pytest_netbench.generators.networks.processes import Policy, StaticRoute
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.hosting import RpkiCache, Vrp
from pytest_netbench.model.services import Validation

_FROM_OTHER: Final = "FROM-BACKUP"


def add_rpki(draft: Draft, source: Random) -> None:
    """Let edges validate origins, and a provider announce half a LAN of the ISP.

    Raises:
        UsageError: The ISP has one LAN only: the cache would be where the invalid route leads.
    """
    lans = [net for net in draft.nets if net.kind == "lan" and all(_is_own(port.device) for port in net.ports)]
    if len(lans) < 2:
        raise UsageError("service 'rpki' needs two LANs of its own: sites=2 or more")
    leaked, home = source.sample(lans, 2)
    cache = source.choice(home.hosts()).device
    edges = [device for device in draft.devices if _is_own(device) and device.bgp is not None]
    cache.services.append(RpkiCache(vrps=tuple(_vrps(draft, edges[0]))))
    prefix, (entry, exit_) = _half(leaked), next(_outer_links(edges))
    _leak(exit_, prefix, entry.routed.ip)
    for device in edges:
        assert device.bgp is not None
        device.bgp.cache = cache.routed_ports[0].routed.ip
    for port, far in _outer_links(edges):
        policy = _deny_invalid(port.device, far)
        port.device.validations.append(_validation(port.device, far, policy, prefix, exit_.device))


def _is_own(device: Device) -> bool:
    return device.control != "foreign"


def _outer_links(edges: list[Device]) -> Iterator[tuple[Port, Port]]:
    """The links with providers, the preferred one first: the end of the edge, and that of the provider."""
    for device in edges:
        for port in device.routed_ports:
            for far in port.net.ports if port.net.kind == "transit" else ():
                if not _is_own(far.device):
                    yield port, far


def _half(lan: Net) -> IPv4Network:
    """The half of a LAN's prefix that its first host is in."""
    address = lan.hosts()[0].routed.ip
    return next(half for half in lan.network.subnets() if address in half)


def _vrps(draft: Draft, edge: Device) -> Iterator[Vrp]:
    """What may be announced: the block of the ISP, and each LAN of others. The RPKI does not know links."""
    assert edge.bgp is not None
    for block in edge.bgp.networks:
        yield _vrp(block, edge.bgp.autonomous_system)
    for net in draft.nets:
        router = net.ports[0].device
        if net.kind == "lan" and router.bgp is not None and not _is_own(router):
            yield _vrp(net.network, router.bgp.autonomous_system)


def _vrp(prefix: IPv4Network, autonomous_system: int) -> Vrp:
    return Vrp(prefix=str(prefix), max_length=prefix.prefixlen, autonomous_system=autonomous_system)


def _leak(port: Port, prefix: IPv4Network, next_hop: IPv4Address) -> None:
    device = port.device
    assert device.bgp is not None
    device.routes.append(StaticRoute(prefix=prefix, next_hop=next_hop))
    device.bgp.networks.append(prefix)


def _deny_invalid(device: Device, far: Port) -> str:
    """Let the policy for routes from a neighbor deny invalid ones; return its name. There may be none yet.

    What the neighbor sent is kept: routes that came before the cache answered are judged again when it does.
    """
    assert device.bgp is not None
    neighbors = device.bgp.neighbors
    place = next(number for number, one in enumerate(neighbors) if one.address == far.routed.ip)
    name = neighbors[place].inbound or _FROM_OTHER
    neighbors[place] = replace(neighbors[place], inbound=name, keeps_received=True)
    if all(one.name != name for one in device.policies):
        device.policies.append(Policy(name=name))
    device.policies = [replace(one, deny_invalid=True) if one.name == name else one for one in device.policies]
    return name


def _validation(device: Device, far: Port, policy: str, prefix: IPv4Network, origin: Device) -> Validation:
    assert device.autonomous_system is not None
    assert origin.autonomous_system is not None
    return Validation(
        node=device.name,
        peer=far.device.name,
        neighbor=str(far.routed.ip),
        policy=policy,
        prefix=str(prefix),
        origin=origin.name,
        origin_as=origin.autonomous_system,
        allowed_as=device.autonomous_system,
    )


RPKI: Final = Service(
    name="rpki",
    what="edges validate the origins of routes with an RPKI cache on a host, and deny an invalid one of a provider",
    shapes=("dual-homed-isp",),
    platforms=("frr",),
    configure=add_rpki,
)
