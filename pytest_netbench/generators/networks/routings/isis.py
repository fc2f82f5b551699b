"""IS-IS of level 2 on all routers: interfaces toward other routers are point-to-point, the others passive."""

from __future__ import annotations

from typing import Final

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.processes import Isis
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_loopbacks

_AREA: Final = "49.0001"


def add_isis(draft: Draft) -> None:
    """Run IS-IS on each device that forwards. Its system ID is made of the digits of its loopback address."""
    for device in draft.devices:
        if device.forwards:
            device.isis = isis_of(device)


def isis_of(device: Device) -> Isis:
    """Return an IS-IS process of ``device`` on all its interfaces."""
    digits = "".join(f"{byte:03}" for byte in device.loopback_address.packed)
    process = Isis(entity=f"{_AREA}.{digits[:4]}.{digits[4:8]}.{digits[8:]}.00")
    for port in device.routed_ports:
        (process.point_to_point if port.net.kind == "transit" else process.passive).append(port.interface)
        if port.net.cost is not None:
            process.costs[port.interface] = port.net.cost
    return process


ISIS = Scheme(prepare=add_loopbacks, configure=add_isis, platforms=("frr",))
