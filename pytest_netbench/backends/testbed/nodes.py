"""The nodes of a testbed: devices with a command line, and Linux hosts with a shell."""

from __future__ import annotations

from typing import Final

from pytest_netbench.backends.testbed.connections import connections
from pytest_netbench.backends.testbed.inventory.reading import Known
from pytest_netbench.lab.connections import ConsoleConnections
from pytest_netbench.lab.device_node import DeviceNode
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Node, Topology

DRIVERS: Final = {
    "cisco_ios": "cisco_ios_ssh",
    "linux": "linux",
    "arista_eos": "arista_eos",
    "juniper_junos": "juniper_junos",
}
"""By dialect: the driver of its devices. Those of EOS and Junos never met a device."""
SHELLS: Final = frozenset({"linux"})
"""Dialects whose devices are Linux hosts: whoever logs in finds a shell of root."""


AnyNode = DeviceNode | ShellNode


def node_of(name: str, known: Known, topology: Topology | None, *, within_s: float) -> AnyNode:
    """The node that a device is.

    Args:
        name: Of the node.
        known: The device.
        topology: Of the task; ``None`` if it is only put back.
        within_s: The device must show its prompt within this time.

    Raises:
        RequirementMissing: The environment lacks a password.
    """
    reached = connections(name, known, within_s=within_s)
    platform, there = known.device.dialect, topology or Topology(nodes=(Node(name=name),))
    if platform not in SHELLS:
        return DeviceNode(name=name, platform=platform, topology=there, line=reached, hang_up=reached.close)
    one_line = isinstance(reached, ConsoleConnections)
    return ShellNode(name=name, platform=platform, topology=there, connect=reached.connect, has_one_line=one_line)
