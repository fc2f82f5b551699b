"""Real packets between the pods of a cluster, sent by commands in them."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.backends.kubeconfig.batches import Try
from pytest_netbench.backends.kubeconfig.cluster import Cluster
from pytest_netbench.backends.kubeconfig.control import Control
from pytest_netbench.backends.kubeconfig.flows import tried
from pytest_netbench.backends.kubeconfig.measurable import PROTOCOLS
from pytest_netbench.backends.kubeconfig.permissions import DNS
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.kubernetes.applications.addresses import DNS_ADDRESS
from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import POD, SERVICE, Object, Refused
from pytest_netbench.lab.kubernetes.stores import key_of
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult
from pytest_netbench.model.testcase import Flow
from pytest_netbench.randomness import seeded

TO_POD: Final = "pod"
"""In place of an address: that of the target's pod at the moment."""
_PORTS: Final = (20_000, 60_000)


class ExecProber:
    """Implements ``lab.probing.Prober``. Only the source says what came of a probe.

    Args:
        control: The cluster.
    """

    def __init__(self, control: Control) -> None:
        self._control = control

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        for one in probes:
            if one.protocol not in PROTOCOLS or one.dscp or one.source_address or one.stand_in or one.follow:
                raise RequirementMissing("backend kubeconfig sends plain TCP and UDP between pods, and nothing else")
        if not probes:
            return []
        self._control.settle()
        draw = seeded(seed)
        patience = max(1 + (repetitions if one.repetitions is None else one.repetitions) for one in probes)
        timeout_s = max(one.timeout_s for one in probes)
        return self._control.run(_probed(self._control.cluster, probes, draw, timeout_s, patience))

    def path(
        self,
        source: str,
        target: str,
        *,
        max_hops: int = 16,
        timeout_s: float = 0.3,
    ) -> list[Hop]:
        raise RequirementMissing("backend kubeconfig traces no paths between pods")

    def traffic(
        self,
        flows: Sequence[Flow],
        targets: Sequence[str],
        *,
        duration_s: float,
        warmup_s: float | None = None,
    ) -> list[FlowReport]:
        raise RequirementMissing("backend kubeconfig cannot measure traffic between pods")

    def addresses(self, node: str) -> tuple[str, ...]:
        pod = self._control.run(self._control.cluster.pod_of(node))
        return () if pod is None else (str(pod["status"]["podIP"]),)


async def _probed(
    cluster: Cluster, probes: Sequence[Probe], draw: random.Random, timeout_s: float, attempts: int
) -> list[ProbeResult]:
    places = await _Places.now(cluster)
    found: dict[int, ProbeResult] = {}
    tries: dict[int, Try] = {}
    for number, one in enumerate(probes):
        translated = places.translated(one, draw)
        if isinstance(translated, Try):
            tries[number] = translated
        else:
            found[number] = ProbeResult(delivered=False, detail=translated, sent=False)
    found |= await tried(cluster, tries, places.pods, timeout_s=timeout_s, attempts=attempts)
    return [found[number] for number in range(len(probes))]


class _Places:
    """Where pods and services are at one moment."""

    def __init__(self, pods: Mapping[str, Object], services: Sequence[Object], given: Mapping[str, str]) -> None:
        self.pods = pods
        self._services = services
        self._given = given

    @classmethod
    async def now(cls, cluster: Cluster) -> _Places:
        """As they are now."""
        pods = await cluster.everywhere(POD)
        names = {name for one in pods if (name := workloads.workload_of(one)) is not None}
        standing = {name: pod for name in names if (pod := workloads.pod_of(pods, name)) is not None}
        services = await cluster.everywhere(SERVICE)
        actual = {key_of(one): str(one["spec"]["clusterIP"]) for one in services}
        given = {str(cluster.given[key]): address for key, address in actual.items() if cluster.given.get(key)}
        with contextlib.suppress(Refused):  # it was there before; what a probe of it says
            given[DNS_ADDRESS] = str((await cluster.api.read(SERVICE, *DNS))["spec"]["clusterIP"])
        return cls(standing, services, given)

    def translated(self, probe: Probe, draw: random.Random) -> Try | str:
        """What a pod tries, or why none can."""
        target = probe.listen_on or next(iter(probe.arrives_at), None)
        if probe.source not in self.pods:
            return f"{probe.source}: no pod of this Deployment is ready"
        port = draw.randint(*_PORTS) if probe.port is None else probe.port
        listener = probe.listen_on if probe.listen_on in self.pods else None
        standing = None if target is None else self.pods.get(target)
        there = None if standing is None else str(standing["status"]["podIP"])
        if probe.target not in (TO_POD, there):
            if probe.target not in self._given:
                return f"the cluster has no service that the task calls {probe.target}"
            address = self._given[probe.target]
            return Try(probe.source, probe.protocol, address, port, listener, self._pod_port(address, port, probe))
        if there is None:
            return f"{target}: no pod of this Deployment is ready"
        return Try(probe.source, probe.protocol, there, port, listener, port)

    def _pod_port(self, address: str, port: int, probe: Probe) -> int | None:
        """The port of pods behind a port of a service, if it is given by its number."""
        for one in self._services:
            if one["spec"].get("clusterIP") == address:
                for each in one["spec"].get("ports") or ():
                    if (each["port"], each.get("protocol", "TCP").lower()) == (port, probe.protocol):
                        found = each.get("targetPort", port)
                        return found if isinstance(found, int) else None
        return None
