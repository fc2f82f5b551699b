"""The nodes of a testbed: devices with a command line, and Linux hosts with a shell."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from pytest_netbench.backends.testbed.connections import Connections, ConsoleConnections, connections
from pytest_netbench.backends.testbed.inventory.reading import Known
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Node, Topology
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
DRIVERS: Final = {
    "cisco_ios": "cisco_ios_ssh",
    "linux": "linux",
    "arista_eos": "arista_eos",
    "juniper_junos": "juniper_junos",
}
"""By dialect: the driver of its devices. Those of EOS and Junos never met a device."""
SHELLS: Final = frozenset({"linux"})
"""Dialects whose devices are Linux hosts: whoever logs in finds a shell of root."""


class TestbedNode:
    """Implements ``lab.protocols.LabNode``: facts of the topology, and a command line."""

    __test__ = False  # no class of tests, whatever its name
    time_scale = 1.0

    def __init__(self, name: str, platform: str, topology: Topology, reached: Connections) -> None:
        self.name = name
        self.platform = platform
        self.role = topology.node(name).role
        self.interfaces = topology.interfaces(name)
        self.peers = topology.peers(name)
        self.line_rates = topology.line_rates(name)
        self.memory: dict[str, Any] = {}
        self._reached = reached

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({CLI.name: self._reached}, owner=f"node {self.name}")

    def close(self) -> None:
        """End all connections. Idempotent."""
        self.memory.clear()
        self._reached.close()


AnyNode = TestbedNode | ShellNode


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
        return TestbedNode(name, platform, there, reached)
    one_line = isinstance(reached, ConsoleConnections)
    return ShellNode(name=name, platform=platform, topology=there, connect=reached.connect, has_one_line=one_line)
