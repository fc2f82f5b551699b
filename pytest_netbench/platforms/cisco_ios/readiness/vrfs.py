"""Readiness of VRFs: configured adjacencies and sessions between neighbouring devices that are not up yet.

FRR's readiness covers only the global tables. Here both ends of each cable are compared, because VRFs may use equal
addresses, so an address does not identify a neighbour.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import Instance, Peer, instances
from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.frr import ospf, processes
from pytest_netbench.platforms.sessions import Absence, Session, SessionEnd


@dataclass(frozen=True)
class _End:
    """One end of a cable."""

    device: Device
    interface: Interface

    @property
    def where(self) -> str:
        """The node and VRF of its interface, as text."""
        return f"{self.device.node.name} vrf {self.interface.vrf}"


def missing(devices: Mapping[str, Device]) -> list[Absence]:
    """Return sessions that are expected in VRFs and not established yet."""
    cables = list(_cables(devices))
    if not cables:
        return []
    return list({absence.phrase: absence for absence in (*_adjacencies(cables), *_sessions(cables))}.values())


def tables(devices: Iterable[Device]) -> list[str]:
    """Return the routing tables of all VRFs."""
    return [device.node.vty([("zebra", "show ip route vrf all")])[0][0] for device in devices if device.applied.vrfs]


def _cables(devices: Mapping[str, Device]) -> Iterator[tuple[_End, _End]]:
    """Yield cables that have an end in a VRF and both ends up."""
    ends = {
        (name, one.name): _End(device, one)
        for name, device in devices.items()
        for one in device.context().interfaces
        if one.enabled and one.addresses
    }
    for (name, port), end in ends.items():
        if not end.interface.vrf:
            continue
        for kernel_or_short, others in devices[name].node.peers.items():
            if interfaces.canonical(kernel_or_short) != port:
                continue
            for other in others:
                far = ends.get((other.node, _full(other.interface)))
                if far is not None:
                    yield end, far


def _session(protocol: str, near: _End, far: _End) -> Session:
    ends = [
        SessionEnd(
            node=end.device.node.name,
            interface=end.interface.kernel,
            address=next((address.split("/")[0] for address in end.interface.addresses), ""),
        )
        for end in (near, far)
    ]
    return Session(protocol=protocol, one=ends[0], other=ends[1])


def _full(name: str) -> str:
    try:
        return interfaces.canonical(name)
    except ValueError:
        return name


# -- OSPF --------------------------------------------------------------------------------------------------------------


def _adjacencies(cables: Iterable[tuple[_End, _End]]) -> Iterator[Absence]:
    sides: dict[str, dict[str, ospf.OspfInterface]] = {}
    states: dict[str, Mapping[tuple[str, str], str]] = {}
    for end in {id(e.interface): e for cable in cables for e in cable}.values():
        if end.where not in sides:
            own, states[end.where] = _ospf(end)
            sides[end.where] = {side.name: side for side in own}
    for near, far in cables:
        pair = [sides[end.where].get(end.interface.kernel) for end in (near, far)]
        if pair[0] is None or pair[1] is None or pair[0].mtu != pair[1].mtu or _proves(near) or _proves(far):
            continue
        session = _session("ospf", near, far)
        for _, phrase in ospf.missing(ospf.expected([pair[0], pair[1]]), states):
            yield Absence(session=session, phrase=phrase)


def _proves(end: _End) -> bool:
    """Whether an end requires authentication. The keys of both ends are not compared."""
    return "authentication" in end.device.running_config() or "message-digest" in end.device.running_config()


def _ospf(end: _End) -> tuple[list[ospf.OspfInterface], Mapping[tuple[str, str], str]]:
    vrf = end.interface.vrf
    words = f" vrf {vrf}" if vrf else ""
    answers = [_ask(end.device, "ospfd", f"show ip ospf{words} {what} json", vrf) for what in ("interface", "neighbor")]
    own = ospf.interfaces(end.where, answers[0])
    return [replace(side, node=end.where) for side in own], ospf.neighbours(answers[1])


def _ask(device: Device, daemon: str, command: str, vrf: str) -> Mapping[str, Any]:
    if daemon not in processes.running(device.node):
        return {}
    text = device.node.vty([(daemon, command)])[0][0]
    answer = json.loads(text[text.find("{") :]) if "{" in text else {}
    inner = answer.get(vrf) if vrf else None
    return inner if isinstance(inner, Mapping) else answer


# -- BGP ---------------------------------------------------------------------------------------------------------------


def _sessions(cables: Iterable[tuple[_End, _End]]) -> Iterator[Absence]:
    for near, far in cables:
        for end, peer in _wanted(near, far):
            vrf = end.interface.vrf
            words = f"vrf {vrf} " if vrf else ""
            state = (
                _ask(end.device, "bgpd", f"show bgp {words}neighbors {peer.address} json", "").get(peer.address) or {}
            )
            if state.get("bgpState") != "Established":
                phrase = (
                    f"{end.where}: BGP neighbor {peer.address} is {state.get('bgpState', 'Idle')}, expected Established"
                )
                yield Absence(session=_session("bgp", near, far), phrase=phrase)


def _wanted(near: _End, far: _End) -> Iterator[tuple[_End, Peer]]:
    """Yield each end with its neighbor, if both configs have the session."""
    here, there = _instance(near), _instance(far)
    if here is None or there is None:
        return
    one, other = _toward(here, far), _toward(there, near)
    if one is None or other is None or one.remote_as != _as(there, other) or other.remote_as != _as(here, one):
        return
    if (
        _said(one, "password") == _said(other, "password")
        and not _said(one, "shutdown")
        and not _said(other, "shutdown")
    ):
        yield near, one
        yield far, other


def _instance(end: _End) -> Instance | None:
    return next((one for one in instances(end.device.config) if one.vrf == end.interface.vrf), None)


def _toward(instance: Instance, end: _End) -> Peer | None:
    owned = {address.split("/")[0] for address in end.interface.addresses}
    return next((peer for peer in instance.peers if peer.address in owned and peer.families), None)


def _as(instance: Instance, peer: Peer) -> int:
    """Return the AS that an instance presents to a neighbor."""
    entry = peer.session.get(("neighbor local-as", ""))
    return int(entry["as"]) if entry is not None and str(entry["as"]).isdigit() else instance.local_as


def _said(peer: Peer, word: str) -> str:
    entry = peer.session.get((f"neighbor {word}", ""))
    return entry.text.split(word, 1)[1] + word if entry is not None else ""
