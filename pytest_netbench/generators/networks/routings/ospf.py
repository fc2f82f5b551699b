"""OSPF on all routers: interfaces toward other routers are point-to-point, LANs and loopbacks are passive."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_netbench.generators.networks.draft import Device, Draft, Port
from pytest_netbench.generators.networks.processes import Ospf
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_loopbacks


def add_ospf(draft: Draft) -> None:
    """Run OSPF on each device that forwards, in the areas of its subnets."""
    for device in draft.devices:
        if device.forwards:
            device.ospf = ospf_of(device, device.routed_ports)


def ospf_of(device: Device, ports: Iterable[Port]) -> Ospf:
    """Return an OSPF process of ``device`` on ``ports``. Its router ID is the loopback address."""
    process = Ospf(router_id=device.loopback_address)
    for port in ports:
        net = port.net
        process.networks.append((net.network, net.area))
        if net.kind == "transit":
            process.point_to_point.append(port.interface)
        else:
            process.passive.append(port.interface)
        if net.cost is not None:
            process.costs[port.interface] = net.cost
    return process


OSPF = Scheme(prepare=add_loopbacks, configure=add_ospf)
