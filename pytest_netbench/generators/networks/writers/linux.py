"""Startup scripts of Linux hosts and routers."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.linux.access import list_commands
from pytest_netbench.generators.networks.draft import Device


def write(device: Device) -> str:
    """Return the startup script of ``device``. Without access lists it can be applied without running a program."""
    lines = [
        f"ip link set dev {port.interface} address {port.hardware_address}"
        for port in device.routed_ports
        if port.hardware_address is not None
    ]
    if not any(one.kind == "dhcp-client" for one in device.services):
        lines += _addresses(device)
    lines += [f"ip route add {route.prefix} via {route.next_hop}" for route in device.routes]
    for access in device.access_lists:
        lines += list_commands(access)
    return "\n".join([*lines, ""])


def _addresses(device: Device) -> Iterator[str]:
    yield from (f"ip address add {port.routed} dev {port.interface}" for port in device.routed_ports)
    if device.forwards:
        yield "sysctl -w net.ipv4.ip_forward=1"
    elif device.kind == "host":
        yield from (f"ip route add default via {port.net.gateway}" for port in device.routed_ports)
