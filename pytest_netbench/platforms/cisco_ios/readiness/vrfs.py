"""Session ends in VRFs, which the view of FRR's global tables leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_interface
from typing import Any

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.ends import Address, Database, End, Exchange
from pytest_netbench.platforms.frr import bgp, ospf, processes
from pytest_netbench.platforms.frr.snapshot import as_object, config


def ends(devices: Mapping[str, Device], protocol: str) -> list[End]:
    """Return the session ends of a protocol in all VRFs."""
    read = {"ospf": _ospf, "bgp": _bgp}.get(protocol)
    if read is None:
        return []
    return [end for device in devices.values() for vrf in _vrfs(device) for end in read(device, vrf)]


def waiting(devices: Mapping[str, Device], protocol: str) -> list[str]:
    """Return what a protocol waits for in all VRFs besides the sessions that are expected."""
    if protocol != "ospf":
        return []
    return [
        phrase
        for device in devices.values()
        for vrf in _vrfs(device)
        for phrase in ospf.waiting(device.node.name, *_ospf_answers(device, vrf), vrf=vrf)
    ]


def closely(devices: Mapping[str, Device], those: Sequence[End]) -> Iterator[End]:
    """Yield the same ends with what only configs tell, without those that cannot have a session."""
    for device, vrf in {(end.node, end.vrf): (devices[end.node], end.vrf) for end in those}.values():
        own = [end for end in those if (end.node, end.vrf) == (device.node.name, vrf)]
        yield from _ospf_closely(device, vrf, own) if own[0].protocol == "ospf" else _bgp_closely(device, vrf, own)


def exchanged(devices: Mapping[str, Device], those: Sequence[End]) -> Exchange:
    """Return what ends whose sessions are up have exchanged."""
    waiting: list[str] = []
    databases: dict[Database, object] = {}
    for node, vrf in {(end.node, end.vrf): None for end in those}:
        own = [end for end in those if (end.node, end.vrf) == (node, vrf)]
        if own[0].protocol == "bgp":
            waiting += _bgp_unfinished(devices[node], vrf, own)
        else:
            answer = _ask(devices[node], "ospfd", f"show ip ospf vrf {vrf} json", vrf)
            if ospf.is_computing(answer):
                waiting.append(f"{node} vrf {vrf}: OSPF is about to compute its routes")
            for area in {end.database for end in own}:
                databases[node, vrf, area] = ospf.database(answer, area.removeprefix("area "))
    return Exchange(waiting, databases)


def tables(devices: Iterable[Device]) -> list[str]:
    """Return the routing tables of all VRFs."""
    return [device.node.vty([("zebra", "show ip route vrf all")])[0][0] for device in devices if device.applied.vrfs]


def _vrfs(device: Device) -> list[str]:
    if not device.applied.vrfs:
        return []
    return list(dict.fromkeys(one.vrf for one in device.context().interfaces if one.vrf))


def _ospf(device: Device, vrf: str, settings: ospf.OspfConfig | None = None) -> list[End]:
    shown, neighbors, _ = _ospf_answers(device, vrf)
    sides = ospf.interfaces(device.node.name, shown)
    return ospf.ends(sides, ospf.neighbors(neighbors), settings, vrf=vrf)


def _ospf_answers(device: Device, vrf: str) -> tuple[Mapping[str, Any], ...]:
    """Return the interfaces and the neighbors of OSPF in a VRF, and the neighbors in detail."""
    asked = ("interface", "neighbor", "neighbor detail")
    return tuple(_ask(device, "ospfd", f"show ip ospf vrf {vrf} {what} json", vrf) for what in asked)


def _ospf_closely(device: Device, vrf: str, own: Sequence[End]) -> list[End]:
    wanted = {end.interface for end in own}
    settings = ospf.parse_config(config(device.node, "ospfd"), vrf)
    return [end for end in _ospf(device, vrf, settings) if end.interface in wanted]


def _bgp(device: Device, vrf: str) -> list[End]:
    peers = bgp.peers(_ask(device, "bgpd", f"show bgp vrf {vrf} summary json", vrf))
    owned = _addresses(device, vrf) if peers else {}
    return [bgp.end(device.node.name, peer, owned, vrf=vrf) for peer in peers.values() if not peer.shut]


def _bgp_closely(device: Device, vrf: str, own: Sequence[End]) -> Iterator[End]:
    settings = bgp.parse_settings(config(device.node, "bgpd"), vrf)
    for end in own:
        if (closer := bgp.closer(end, settings.get(end.peer, ()))) is not None:
            yield closer


def _bgp_unfinished(device: Device, vrf: str, own: Sequence[End]) -> Iterator[str]:
    answer = _ask(device, "bgpd", f"show bgp vrf {vrf} neighbors json", vrf)
    for end in own:
        for family in bgp.unfinished(answer.get(end.peer) or {}):
            yield f"{device.node.name} vrf {vrf}: BGP neighbor {end.peer} has not yet sent all its {family} routes"


def _addresses(device: Device, vrf: str) -> dict[str, tuple[Address, ...]]:
    return {
        one.kernel: tuple(ip_interface(address) for address in one.addresses)
        for one in device.context().interfaces
        if one.vrf == vrf and one.enabled
    }


def _ask(device: Device, daemon: str, command: str, vrf: str) -> Mapping[str, Any]:
    """Return the answer of a daemon. FRR 8.4 nests that of ospfd below the VRF."""
    if daemon not in processes.running(device.node):
        return {}
    answer = as_object(device.node.vty([(daemon, command)])[0][0])
    inner = answer.get(vrf)
    return inner if isinstance(inner, Mapping) else answer
