"""Startup configs of finished devices, by platform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_netbench.generators.networks.draft import Device
from pytest_netbench.generators.networks.writers import cisco_ios, frr, linux, openvswitch, p4

WRITERS: Final[dict[str, Callable[[Device], str]]] = {
    "cisco_ios": cisco_ios.write,
    "frr": frr.write,
    "linux": linux.write,
    "openflow_controller": openvswitch.write_controller,
    "openvswitch": openvswitch.write,
    "p4": p4.write,
}

__all__ = ["WRITERS"]
