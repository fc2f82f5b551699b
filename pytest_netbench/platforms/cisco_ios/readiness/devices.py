"""Readiness of IOS devices: that of FRR routers, with the kernel's names of their interfaces, and of their VRFs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.readiness import eigrp, vrfs
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.ends import End, Exchange, Part
from pytest_netbench.platforms.frr import processes, readiness, rib
from pytest_netbench.platforms.frr.look import FrrLook


class IosLook:
    """One observation of all IOS devices of a lab: FRR's, and what FRR's leaves out, the VRFs."""

    def __init__(self, devices: Mapping[str, Device]) -> None:
        self._devices = devices
        self._frr = FrrLook(*_routers(devices))

    def waiting(self) -> list[str]:
        """Return what FRR and the services of the devices wait for."""
        return [*self._frr.waiting(), *_services(self._devices)]

    def part(self, protocol: str) -> Part:
        part = self._frr.part(protocol)
        more = self._eigrp() if protocol == "eigrp" else vrfs.ends(self._devices, protocol)
        return Part([*part.ends, *more], [*part.waiting, *vrfs.waiting(self._devices, protocol)])

    def _eigrp(self) -> list[End]:
        return eigrp.ends(self._devices.values(), {name: self._frr.snapshot.owned4(name) for name in self._devices})

    def closely(self, ends: Sequence[End]) -> Sequence[End]:
        inner = [end for end in ends if end.vrf]
        outer = [end for end in ends if not end.vrf]
        return [*(self._frr.closely(outer) if outer else ()), *vrfs.closely(self._devices, inner)]

    def exchanged(self, ends: Sequence[End]) -> Exchange:
        outer = [end for end in ends if not end.vrf]
        global_one = self._frr.exchanged(outer) if outer else Exchange()
        in_vrfs = vrfs.exchanged(self._devices, [end for end in ends if end.vrf])
        return Exchange([*global_one.waiting, *in_vrfs.waiting], {**global_one.databases, **in_vrfs.databases})


def pending(devices: Mapping[str, Device]) -> Pending:
    """Return what is not yet up on any IOS device of a lab, besides sessions."""
    routing = readiness.pending(*_routers(devices))
    if routing.missing:
        return routing
    roles = "".join(role for device in devices.values() for role in _gateway_roles(device))
    in_vrfs = rib.fingerprint(tables) if (tables := vrfs.tables(devices.values())) else ""
    return Pending(fingerprint=routing.fingerprint + roles + in_vrfs)


def _routers(devices: Mapping[str, Device]) -> tuple[dict[str, HostedNode], dict[str, frozenset[str]]]:
    nodes: dict[str, HostedNode] = {name: _KernelView(device.node) for name, device in devices.items()}
    return nodes, {name: processes.running(node) for name, node in nodes.items()}


def _services(devices: Mapping[str, Device]) -> list[str]:
    return [phrase for device in devices.values() for phrase in runner.waiting(device.node, device.applied.services)]


def _gateway_roles(device: Device) -> Iterator[str]:
    """Return the state of each HSRP and VRRP group: which router forwards is not in any routing table."""
    if "fhrp" in device.applied.services:
        groups = runner.state(device.node, "fhrp")
        for group in (*groups["hsrp"], *groups["vrrp"]):
            yield f" {device.node.name} {group['interface']} {group['group']} {group['state']}"


class _KernelView:
    """A node whose interfaces have the kernel's names, which FRR uses."""

    def __init__(self, node: HostedNode) -> None:
        self._node = node
        self.interfaces = tuple(interfaces.kernel_name(name) for name in node.interfaces)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)
