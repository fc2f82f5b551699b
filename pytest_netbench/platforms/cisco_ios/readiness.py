"""When IOS devices are ready: as FRR routers are, by the kernel's names of their interfaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios import vrfstate
from pytest_netbench.platforms.cisco_ios.device import Device
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.frr import processes, readiness, rib


def pending(devices: Mapping[str, Device]) -> Pending:
    """What is not yet up among all IOS devices of a lab."""
    nodes: dict[str, HostedNode] = {name: _KernelView(device.node) for name, device in devices.items()}
    routing = readiness.pending(nodes, {name: processes.running(node) for name, node in nodes.items()})
    waiting = [phrase for device in devices.values() for phrase in runner.waiting(device.node, device.plan.services)]
    if not any(device.plan.vrfs for device in devices.values()):
        return Pending(missing=(*routing.missing, *waiting), fingerprint=routing.fingerprint)
    waiting += vrfstate.missing(devices)
    fingerprint = routing.fingerprint + rib.fingerprint(vrfstate.tables(devices.values()))
    return Pending(missing=(*routing.missing, *waiting), fingerprint=fingerprint)


class _KernelView:
    """A node whose interfaces have the kernel's names, as FRR knows them."""

    def __init__(self, node: HostedNode) -> None:
        self._node = node
        self.interfaces = tuple(interfaces.kernel_name(name) for name in node.interfaces)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)
