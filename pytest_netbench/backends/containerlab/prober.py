"""Probes between the nodes of a lab whose containers are entered; nobody probes from a device."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.probing import Hop, Probe, ProbeResult
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber


class HostsProber(NamespaceProber):
    """Implements ``lab.probing.Samples`` beside ``Prober``: what begins or is listened for on a device is not measured.

    Args:
        hosts: Where probes are sent from, and listened for.
        devices: The other nodes.
    """

    probes_per_s: Final = 500.0

    def __init__(self, hosts: Mapping[str, Namespace], devices: Collection[str]) -> None:
        super().__init__(hosts)
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


def prober_of(hosts: Mapping[str, ContainerNode], *, devices: Collection[str]) -> NamespaceProber | None:
    """What sends probes; ``None`` if all nodes are devices."""
    if not hosts:
        return None
    places = {name: Namespace(pid=one.place.pid, interfaces=(*one.interfaces, "lo")) for name, one in hosts.items()}
    return HostsProber(places, devices) if devices else NamespaceProber(places)
