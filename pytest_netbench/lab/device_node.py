"""A node of a lab of which only a command line is reached: a device, a VPCS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pytest_netbench.lab.node_facts import TopologyFacts
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.access import CommandLine
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")


def _nothing() -> None:
    """Nothing is open."""


class DeviceNode(TopologyFacts):
    """Implements ``lab.protocols.LabNode`` for what has a command line alone.

    Args:
        name: Of the node, in the task.
        platform: Name of its dialect.
        topology: Of the lab.
        line: Its command line.
        hang_up: Ends what is open of the line.
    """

    time_scale = 1.0

    def __init__(
        self,
        *,
        name: str,
        platform: str,
        topology: Topology,
        line: CommandLine,
        hang_up: Callable[[], None] = _nothing,
    ) -> None:
        super().__init__(name, platform, topology)
        self.memory: dict[str, Any] = {}
        self.line = line
        self._hang_up = hang_up

    def prepare(self) -> None:
        """Nothing is to be done once it shows its prompt."""

    def close(self) -> None:
        """End all sessions on it; the next request opens them anew."""
        self.memory.clear()
        self._hang_up()

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({CLI.name: self.line}, owner=f"node {self.name}")
