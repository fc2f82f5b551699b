"""What the topology of a lab says of one of its nodes."""

from __future__ import annotations

from pytest_netbench.model.topology import Topology


class TopologyFacts:
    """Those of ``platforms.access.NodeFacts`` that any backend takes from the topology.

    Args:
        name: Of the node, in the task.
        platform: Name of its dialect.
        topology: Of the lab.
    """

    def __init__(self, name: str, platform: str, topology: Topology) -> None:
        self.name = name
        self.platform = platform
        self.role = topology.node(name).role
        self.interfaces = topology.interfaces(name)
        self.peers = topology.peers(name)
        self.line_rates = topology.line_rates(name)
