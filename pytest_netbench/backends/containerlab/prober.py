"""Probes between the nodes of a lab whose containers are entered; nobody probes from a device."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pytest_netbench.backends.containerlab import authorities
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.probing import Hop, Probe, ProbeResult
from pytest_netbench.probing.children import Process, Start
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber


class HostsProber(NamespaceProber):
    """Implements ``lab.probing.Samples`` beside ``Prober``: what begins or is listened for on a device is not measured.

    Args:
        namespaces: Where probes are sent from, and listened for.
        started_by: Starts the processes that measure.
        devices: The other nodes.
    """

    probes_per_s: Final = 500.0

    def __init__(self, namespaces: Mapping[str, Namespace], started_by: Start, devices: Collection[str]) -> None:
        super().__init__(namespaces, started_by=started_by)
        self._devices = frozenset(devices)

    def beyond(self, probe: Probe) -> str | None:
        """Why a probe cannot be measured."""
        if probe.source in self._devices:
            return f"{probe.source} sends no probes: it is a device"
        heard = {probe.listen_on, *probe.arrives_at, *probe.follow} & self._devices
        return f"nobody listens on {min(map(str, heard))}: it is a device" if heard else None

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        for one in probes:
            if (why := self.beyond(one)) is not None:
                raise RequirementMissing(f"a probe from {one.source} to {one.target} cannot be measured: {why}")
        return super().probe(probes, repetitions=repetitions, seed=seed)

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        if source in self._devices:
            raise RequirementMissing(f"{source} traces no paths: it is a device")
        return super().path(source, target, max_hops=max_hops, timeout_s=timeout_s)

    def addresses(self, node: str) -> tuple[str, ...]:
        if node in self._devices:
            raise RequirementMissing(f"the addresses of {node} are not known: it is a device")
        return super().addresses(node)


def prober_of(hosts: Mapping[str, ContainerNode], *, devices: Collection[str] = ()) -> NamespaceProber | None:
    """What sends probes by processes of whoever may enter the containers; ``None`` if all nodes are devices.

    Raises:
        LabError: The process that measures failed.
    """
    if not hosts:
        return None
    with contextlib.ExitStack() as stack:
        namespaces = {}
        for name, node in hosts.items():
            network = node.place.by.network(node.place.pid, node.place.started)
            stack.callback(os.close, network)
            namespaces[name] = Namespace(descriptor=network, interfaces=(*node.interfaces, "lo"))
        by = next(iter(hosts.values())).place.by

        def started(stdio: tuple[int, int, int], passed: Sequence[int]) -> Process:
            return by.start(authorities.module("measuring"), stdio, passed)

        if devices:
            return HostsProber(namespaces, started, devices)
        return NamespaceProber(namespaces, started_by=started)
