"""Startup scripts of Open vSwitch, and of the controllers of its switches."""

from __future__ import annotations

from typing import Final

from pytest_netbench.dialects.openflow_controller.intents import written
from pytest_netbench.generators.networks.draft import Device

BRIDGE: Final = "br0"
_CONTROLLER: Final = "connection_mode=out-of-band max_backoff=1000"


def write(device: Device) -> str:
    """Return the startup script of a switch: a bridge with all interfaces but those that have an address."""
    assert device.datapath is not None
    ports = [port.interface for port in device.ports if port.subnet is None]
    settings = f"datapath_type=dummy fail_mode=secure other-config:datapath-id={device.datapath.number:016x}"
    target = f"tcp:{device.datapath.controller}:{device.datapath.port}"
    added = " -- ".join(
        f"add-port {BRIDGE} {name} -- set interface {name} ofport_request={name.removeprefix('eth')}" for name in ports
    )
    lines = [
        *(f"ip address add {port.routed} dev {port.interface}" for port in device.routed_ports),
        f"ovs-vsctl add-br {BRIDGE} -- set bridge {BRIDGE} {settings}",
        f"ovs-vsctl {added}",
        f"ovs-vsctl set-controller {BRIDGE} {target} -- set controller {BRIDGE} {_CONTROLLER}",
    ]
    return "\n".join([*lines, ""])


def write_controller(device: Device) -> str:
    """Return the startup config of a controller."""
    assert device.intents is not None
    lines = [
        *(f"ip address add {port.routed} dev {port.interface}" for port in device.routed_ports),
        *(f"controller {line}" for line in written(device.intents)),
    ]
    return "\n".join([*lines, ""])
