"""Readiness of IOS devices: that of FRR routers, with the kernel's names of their interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.model.topology import Endpoint
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.readiness import vrfs
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.frr import processes, readiness, rib
from pytest_netbench.platforms.sessions import Excused, none_excused, split


def pending(devices: Mapping[str, Device], *, excused: Excused = none_excused) -> Pending:
    """Return what is not yet up on any IOS device of a lab."""
    nodes: dict[str, HostedNode] = {name: _KernelView(device.node) for name, device in devices.items()}
    routing = readiness.pending(nodes, {name: processes.running(node) for name, node in nodes.items()}, excused=excused)
    waiting = [phrase for device in devices.values() for phrase in runner.waiting(device.node, device.applied.services)]
    roles = "".join(role for device in devices.values() for role in _gateway_roles(device))
    routing = replace(routing, fingerprint=routing.fingerprint + roles if routing.fingerprint else "")
    if not any(device.applied.vrfs for device in devices.values()):
        return replace(routing, missing=(*routing.missing, *waiting))
    phrases, down = split(vrfs.missing(devices), excused)
    fingerprint = routing.fingerprint + rib.fingerprint(vrfs.tables(devices.values()))
    return Pending(
        missing=(*routing.missing, *waiting, *phrases), fingerprint=fingerprint, excused=(*routing.excused, *down)
    )


def _gateway_roles(device: Device) -> Iterator[str]:
    """Return the state of each HSRP and VRRP group: which router forwards is not in any routing table."""
    if "fhrp" in device.applied.services:
        groups = runner.state(device.node, "fhrp")
        for group in (*groups["hsrp"], *groups["vrrp"]):
            yield f" {device.node.name} {group['interface']} {group['group']} {group['state']}"


def _in_kernel(end: Endpoint) -> Endpoint:
    """Return an endpoint with the kernel's name of its interface. Endpoints of other platforms are unchanged."""
    try:
        return end.model_copy(update={"interface": interfaces.kernel_name(end.interface)})
    except ValueError:
        return end


class _KernelView:
    """A node whose interfaces have the kernel's names, which FRR uses."""

    def __init__(self, node: HostedNode) -> None:
        self._node = node
        self.interfaces = tuple(interfaces.kernel_name(name) for name in node.interfaces)
        self.peers = {
            interfaces.kernel_name(name): tuple(_in_kernel(end) for end in ends) for name, ends in node.peers.items()
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)
