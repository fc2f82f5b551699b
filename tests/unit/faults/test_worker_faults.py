"""Faults of machines of a cluster, on paper."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.kubernetes.workers import WorkerValue
from pytest_netbench.faults.reasoning import OUTSIDE, evidence_of, reasoning
from pytest_netbench.generators.kubernetes.labels import WORKER_FAULTS
from pytest_netbench.kubernetes.applications.addresses import WORKERS
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.probing.records import Probe, ProbeResult

NAMES = tuple(WORKER_FAULTS.values())
NETWORK = Observable(platforms={"workstation": "kubernetes"}, addresses={}, pairs=())
DROPPED = {
    "k8s-worker-services-dropped": "services",
    "k8s-worker-dns-dropped": "dns",
    "k8s-worker-cut-off": "api",
}


class MemoryWorkers:
    """A cluster that drops what it is told to: what faults of machines ask of a lab."""

    def __init__(self) -> None:
        self.dropped: dict[str, str] = {}
        self.probed: list[Probe] = []

    prober = property(lambda self: self)
    nodes: dict[str, Any] = {}

    def capability(self, kind: Any) -> MemoryWorkers:
        assert kind.name == "workers"
        return self

    def drop(self, worker: str, what: str) -> None:
        self.dropped[worker] = what

    def restore(self, worker: str) -> None:
        del self.dropped[worker]

    def pods(self, worker: str) -> list[str]:
        return {"worker-1": ["cart", "coredns"], "worker-2": ["shop"], "worker-3": []}[worker]

    def is_ready(self, worker: str) -> bool:
        return self.dropped.get(worker) != "api"

    def probe(self, probes: list[Probe]) -> list[ProbeResult]:
        self.probed += probes
        return [ProbeResult(delivered=not self.dropped, detail="") for _ in probes]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_made_seen_and_taken_away(name: str) -> None:
    fault, lab = fault_of(name), MemoryWorkers()
    parameters = fault.parameters(node="worker-1")
    with pytest.raises(FaultHasNoEffect, match="worker-1"):
        fault.observe(parameters, lab)
    fault.inject(parameters, lab)
    assert lab.dropped == {"worker-1": DROPPED[name]}
    fault.observe(parameters, lab)
    fault.undo(parameters, lab)
    assert lab.dropped == {}


def test_dns_is_asked_by_pods_of_the_machine_and_not_by_itself() -> None:
    fault, lab = fault_of("k8s-worker-dns-dropped"), MemoryWorkers()
    lab.drop("worker-1", "dns")
    fault.observe(fault.parameters(node="worker-1"), lab)
    assert {(one.source, one.listen_on) for one in lab.probed} == {("cart", "coredns")}


def test_a_machine_without_pods_shows_no_fault() -> None:
    fault, lab = fault_of("k8s-worker-services-dropped"), MemoryWorkers()
    lab.drop("worker-3", "services")
    with pytest.raises(FaultHasNoEffect, match="worker-3 has no pods"):
        fault.observe(fault.parameters(node="worker-3"), lab)


@pytest.mark.parametrize("name", NAMES)
def test_any_machine_can_have_it_and_no_command_repairs_it(name: str) -> None:
    fault = fault_of(name)
    assert isinstance(fault, WorkerValue)
    assert isinstance(fault, FromOutside)
    assert not fault.repairable
    assert [fault.resource(one) for one in fault.choices([])] == [f"node/{one}" for one in WORKERS]
    one = InjectedFault(fault=name, parameters={"node": "worker-2"})
    assert one.touches == {"node/worker-2"}
    assert OUTSIDE in reasoning([one])
    assert "worker-2" in reasoning([one])


@pytest.mark.parametrize("name", NAMES)
def test_it_is_shown_by_the_workstation_and_by_no_object_of_the_fault(name: str) -> None:
    found = evidence_of(InjectedFault(fault=name, parameters={"node": "worker-3"}), NETWORK)
    assert len(found) >= 2
    assert {one.params["device"] for one in found} == {"workstation"}
    assert "worker-3" in found[0].params["command"]
    nobody = Observable(platforms={}, addresses={}, pairs=())
    assert evidence_of(InjectedFault(fault=name, parameters={"node": "worker-3"}), nobody) == ()
