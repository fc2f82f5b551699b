"""External BGP between all routers, as RFC 7938 describes it for data centers."""

from __future__ import annotations

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.processes import Bgp, Neighbor
from pytest_netbench.generators.networks.routings.scheme import Scheme, add_loopbacks

_FIRST_PRIVATE = 64512
_LAST_PRIVATE = 65534
_PATHS = 16


def prepare(draft: Draft) -> None:
    """Give each router a loopback, and an AS number of its own unless its shape gave it one.

    Raises:
        UsageError: There are more routers than private AS numbers.
    """
    add_loopbacks(draft)
    routers = [device for device in draft.devices if device.forwards]
    taken = {device.autonomous_system for device in routers}
    free = (number for number in range(_FIRST_PRIVATE, _LAST_PRIVATE + 1) if number not in taken)
    for device in routers:
        if device.autonomous_system is None:
            device.autonomous_system = next(free, None)
            if device.autonomous_system is None:
                raise UsageError(
                    f"the network needs more AS numbers than {_FIRST_PRIVATE} to {_LAST_PRIVATE}: make it smaller"
                )


def add_external_bgp(draft: Draft) -> None:
    """Add a session on each link between routers. LANs and loopbacks are announced, links are not."""
    for device in draft.devices:
        if device.forwards:
            device.bgp = bgp_of(device)


def bgp_of(device: Device) -> Bgp:
    """Return a BGP process with a session to each router at the other end of a link."""
    assert device.autonomous_system is not None
    process = Bgp(autonomous_system=device.autonomous_system, router_id=device.loopback_address, paths=_PATHS)
    for port in device.routed_ports:
        if port.net.kind == "transit":
            process.neighbors += [
                Neighbor(address=far.routed.ip, autonomous_system=far.device.autonomous_system, name=far.device.name)
                for far in port.net.ports
                if far is not port and far.device.autonomous_system is not None
            ]
        else:
            process.networks.append(port.net.network)
    return process


EXTERNAL_BGP = Scheme(prepare=prepare, configure=add_external_bgp)
