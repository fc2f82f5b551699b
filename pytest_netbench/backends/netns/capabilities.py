"""The capabilities that a netns lab and its nodes offer beyond their core."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.lab import NetnsLab
from pytest_netbench.backends.netns.operations import (
    NetnsCaptures,
    NetnsCounters,
    NetnsLogs,
    NetnsSignals,
    NetnsSockets,
)
from pytest_netbench.backends.netns.streams import NetnsStreams
from pytest_netbench.errors import LabError
from pytest_netbench.lab.cables import Cables
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.deployment import serve
from pytest_netbench.platforms.capabilities import (
    CAPTURES,
    CLOCK,
    COUNTERS,
    DAEMONS,
    FRR_SOCKETS,
    LOGS,
    PROGRAMS,
    SOCKETS,
    STREAMS,
)
from pytest_netbench.platforms.frr.control import FrrDaemons
from pytest_netbench.platforms.power import EndsProcesses, Rebooting


def equip(lab: NetnsLab, channel: Channel, startup_configs: Mapping[str, str], *, redirecting: bool) -> None:
    """Let a lab and its nodes offer what this backend can do.

    Args:
        lab: The lab.
        channel: To its supervisor.
        startup_configs: By node, for reboots.
        redirecting: Whether the kernel can redirect frames. Otherwise cables cannot be cut, and nodes not be rebooted.
    """
    for name, node in lab.nodes.items():
        driver = lab.driver(name)
        node.offered[COUNTERS.name] = NetnsCounters(channel, node, driver.kernel_interface)
        node.offered[CAPTURES.name] = NetnsCaptures(channel, node, driver.kernel_interface, lab.clock.at)
        node.offered[CLOCK.name] = lab.clock
        node.offered[SOCKETS.name] = NetnsSockets(channel, name)
        node.offered[STREAMS.name] = NetnsStreams(channel, name)
        node.offered[LOGS.name] = NetnsLogs(channel, name)
        node.offered[PROGRAMS.name] = signals = NetnsSignals(channel, name)
        if FRR_SOCKETS.name in driver.requires:
            node.offered[DAEMONS.name] = FrrDaemons(node, signals)
    if not redirecting:
        return
    links = Cables(
        channel=channel,
        topology=lab.topology,
        kernel_name=partial(_kernel_name, lab),
        line_rates={name: node.line_rates for name, node in lab.nodes.items()},
        time_scale=lambda: lab.time_scale,
    )
    lab.offered[LINKS.name] = links
    lab.offered[NODES.name] = NetnsNodes(lab, channel, links, startup_configs)


def _kernel_name(lab: NetnsLab, node: str, interface: str) -> str:
    return lab.driver(node).kernel_interface(interface)


class NetnsNodes:
    """Implements ``lab.capabilities.NodeControl``."""

    def __init__(self, lab: NetnsLab, channel: Channel, links: Cables, startup_configs: Mapping[str, str]) -> None:
        self._lab = lab
        self._channel = channel
        self._links = links
        self._startup_configs = startup_configs
        self._crashed: dict[str, None] = {}

    @property
    def crashed(self) -> Collection[str]:
        return tuple(self._crashed)

    def crash(self, node: str) -> None:
        self._check(node)
        if node not in self._crashed:
            for name in self._lab.nodes[node].interfaces:
                self._links.block(node, name, blocked=True)
            self._crashed[node] = None

    def revive(self, node: str) -> None:
        self._check(node)
        if node in self._crashed:
            for name in self._lab.nodes[node].interfaces:
                self._links.block(node, name, blocked=False)
            del self._crashed[node]

    def _check(self, node: str) -> None:
        if node not in self._lab.nodes:
            raise LabError(f"there is no node {node!r} (known: {', '.join(self._lab.nodes)})")

    def reboot(self, node: str, *, config: str | None = None) -> None:
        self._check(node)
        driver, access = self._lab.driver(node), self._lab.nodes[node]
        if not isinstance(driver, Rebooting):
            raise LabError(f"{node}: driver {driver.name!r} cannot reboot its nodes")
        pulled = [name for name in access.interfaces if not self._links.is_cut(node, name)]
        for name in pulled:
            self._links.cut(node, name)
        try:
            if not isinstance(driver, EndsProcesses):
                self._channel.call("end-node", node=node)
            driver.reboot(access, self._startup_configs.get(node, "") if config is None else config)
            serve(self._lab, node)
        finally:
            for name in pulled:
                self._links.restore(node, name)
