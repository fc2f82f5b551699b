"""The nodes of a GNS3 lab: what is known of each, and its console."""

from __future__ import annotations

from typing import Any, TypeVar

from pytest_netbench.lab.consoles import Console
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")


class Gns3Node:
    """Implements ``lab.protocols.LabNode`` for what has a command line alone.

    Args:
        name: Of the node, in the task.
        platform: Name of its dialect.
        topology: Of the lab.
        console: Its console.
    """

    time_scale = 1.0

    def __init__(self, *, name: str, platform: str, topology: Topology, console: Console) -> None:
        self.name = name
        self.platform = platform
        self.role = topology.node(name).role
        self.interfaces = topology.interfaces(name)
        self.peers = topology.peers(name)
        self.line_rates = topology.line_rates(name)
        self.memory: dict[str, Any] = {}
        self.console = console

    def prepare(self) -> None:
        """Nothing is to be done once it shows its prompt."""

    def close(self) -> None:
        """End all sessions on it; the next request opens them anew."""
        self.memory.clear()

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({CLI.name: self.console}, owner=f"node {self.name}")


AnyNode = Gns3Node | ShellNode
"""A node of a lab: a device or a VPCS, or a Linux host."""
