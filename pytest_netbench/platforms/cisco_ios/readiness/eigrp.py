"""Session ends of EIGRP, which a service of IOS devices speaks, not FRR."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.ends import Address, End
from pytest_netbench.platforms.frr import eigrp


def ends(devices: Iterable[Device], addresses: Mapping[str, Mapping[str, tuple[Address, ...]]]) -> list[End]:
    """Return the session ends of all devices.

    Args:
        devices: The devices.
        addresses: By node and interface: the IPv4 addresses of interfaces that are up.
    """
    return [end for device in devices for end in _of(device, addresses[device.node.name])]


def _of(device: Device, addresses: Mapping[str, tuple[Address, ...]]) -> list[End]:
    config = device.applied.services.get("eigrp")
    if config is None:
        return []
    neighbors = runner.state(device.node, "eigrp")["neighbors"]
    return [
        eigrp.end(
            device.node.name,
            port["name"],
            addresses[port["name"]],
            [(one["address"], int(one["queue"])) for one in neighbors if one["interface"] == port["label"]],
            asn=str(config["asn"]),
            weights="",
            secret="",
        )
        for port in config["interfaces"]
        if not port["passive"] and addresses.get(port["name"])
    ]
