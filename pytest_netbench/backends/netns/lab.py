"""A running netns lab."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.node import NetnsNode
from pytest_netbench.backends.netns.prober import NetnsProber
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.driver import Driver


class NetnsLab:
    """Implements ``lab.protocols.Lab``."""

    def __init__(
        self,
        *,
        channel: Channel,
        topology: Topology,
        nodes: Mapping[str, NetnsNode],
        drivers: Mapping[str, Driver[Any]],
        time_scale: float,
        features: tuple[str, ...],
        substitutes: Mapping[str, str],
    ) -> None:
        self.topology = topology
        self.nodes = nodes
        self.time_scale = time_scale
        self.prober = NetnsProber(channel=channel, nodes=nodes)
        self.features = features
        self.substitutes = dict(substitutes)
        self.deploy_s = 0.0
        self.readiness = Readiness()
        self.destroy_s = 0.0
        self._drivers = drivers
        self._channel = channel
        self._destroyed = False

    def driver(self, node: str) -> Driver[Any]:
        return self._drivers[node]

    @property
    def supervisor_pid(self) -> int:
        """The process whose end is the end of the lab."""
        return self._channel.pid

    def set_pace(self, factor: float) -> None:
        """Let lab time pass at another speed."""
        self._channel.call("scale", factor=factor)

    def destroy(self) -> None:
        if self._destroyed:
            return
        self._destroyed = True
        started = time.monotonic()
        self._channel.close()
        for node in self.nodes.values():
            node.close()
        self.destroy_s = time.monotonic() - started
