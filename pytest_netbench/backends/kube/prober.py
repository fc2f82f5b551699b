"""Real packets between the pods of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pytest_netbench.backends.kube.control import Control
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.errors import LabError
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, Prober, ProbeResult
from pytest_netbench.model.testcase import Flow

POD: Final = "pod"
"""In place of an address: that of the target's pod at the moment."""


class ClusterProber:
    """Implements ``lab.probing.Prober``: probes of the lab below, between the nodes that pods are at the moment.

    Nothing is measured before machines act on changes for which they were waited for in vain. What is measured while a
    part of the cluster has ended is an error, and no result.

    Args:
        prober: Of the lab.
        control: The cluster.
        outside: By name: the hosts outside of the cluster.
    """

    def __init__(self, prober: Prober, control: Control, *, outside: Mapping[str, SlotNode]) -> None:
        self._prober = prober
        self._control = control
        self._outside = outside

    def _places(self) -> _Places:
        return _Places(self._control, self._outside)

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        self._control.settle()
        places = self._places()
        translated = [places.translated(probe) for probe in probes]
        asked = [one for one in translated if isinstance(one, Probe)]
        answers = iter(self._prober.probe(asked, repetitions=repetitions, seed=seed))
        self._control.check()
        results = [
            next(answers) if isinstance(one, Probe) else ProbeResult(delivered=False, detail=one, sent=False)
            for one in translated
        ]
        return [places.back(one) for one in results]

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        node, _ = self._places().of(source)
        return self._prober.path(node, target, max_hops=max_hops, timeout_s=timeout_s)

    def traffic(
        self, flows: Sequence[Flow], targets: Sequence[str], *, duration_s: float, warmup_s: float | None = None
    ) -> list[FlowReport]:
        places = self._places()
        moved = [
            flow.model_copy(update={"source": places.of(flow.source)[0], "target": places.of(flow.target)[0]})
            for flow in flows
        ]
        addresses = [
            places.of(flow.target)[1] if target == POD else target for flow, target in zip(flows, targets, strict=True)
        ]
        return self._prober.traffic(moved, addresses, duration_s=duration_s, warmup_s=warmup_s)

    def addresses(self, node: str) -> tuple[str, ...]:
        found = self._outside.get(node) or self._control.slot_of(node)
        return () if found is None else (found.address,)


class _Places:
    """Where pods are at one moment.

    Args:
        control: The cluster.
        outside: By name: the hosts outside of the cluster.
    """

    def __init__(self, control: Control, outside: Mapping[str, SlotNode]) -> None:
        self._control = control
        self._outside = outside
        self._known: dict[str, tuple[str, str] | None] = {}
        self._ports: dict[tuple[str, int | None, str], int | None] = {}

    def of(self, workload: str) -> tuple[str, str]:
        """The node and the address of a pod.

        Raises:
            LabError: There is none.
        """
        if workload not in self._known:
            slot = self._outside.get(workload) or self._control.slot_of(workload)
            self._known[workload] = None if slot is None else (slot.name, slot.address)
        found = self._known[workload]
        if found is None:
            raise LabError(f"{workload}: no pod of this Deployment is ready")
        return found

    def translated(self, probe: Probe) -> Probe | str:
        """The probe of the lab, or why there is none."""
        try:
            source, _ = self.of(probe.source)
            listener = None if probe.listen_on is None else self.of(probe.listen_on)
            arrivals = [self.of(one) for one in probe.arrives_at]
        except LabError as error:
            return str(error)
        target, port = probe.target, probe.listen_port
        if target == POD:
            target = (listener or arrivals[0])[1]
        elif probe.port is not None and listener is not None and target != listener[1]:
            port = self._port(probe)
            if port is None:
                return f"{target} has no port {probe.port} for {probe.protocol}"
        return replace(
            probe,
            source=source,
            target=target,
            listen_on=None if listener is None else listener[0],
            listen_port=port,
            arrives_at=tuple(node for node, _ in arrivals),
        )

    def _port(self, probe: Probe) -> int | None:
        key = probe.target, probe.port, probe.protocol
        if key not in self._ports:
            assert probe.port is not None
            self._ports[key] = self._control.target_port(probe.target, probe.port, probe.protocol)
        return self._ports[key]

    def back(self, result: ProbeResult) -> ProbeResult:
        """The result in terms of the cluster."""
        names: Mapping[str, str] = {found[0]: name for name, found in self._known.items() if found is not None}
        at = result.arrived_at
        return replace(result, arrived_at=None if at is None else names.get(at, at))
