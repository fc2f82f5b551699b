"""Faults of one machine of a cluster, which drops packets that it should pass. No object of the API says so.

They are NIKA's ``k8s_clusterip_routing_broken``, ``k8s_coredns_isolated`` and ``k8s_worker_apiserver_partition``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench.faults.builders import FaultValue, FoundAt, FromOutside
from pytest_netbench.faults.change import Change, Check, OnNode, Symptom, given
from pytest_netbench.faults.kubernetes import sightings
from pytest_netbench.faults.kubernetes.patches import Object
from pytest_netbench.kubernetes.applications.addresses import DNS_ADDRESS, DNS_NODE, DNS_PORT, WORKERS
from pytest_netbench.lab.capabilities import WORKERS as CONTROL
from pytest_netbench.lab.capabilities import Dropped
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.objects import POD

_PROBE_S: Final = 0.3


class OnWorker(OnNode):
    """Parameters of a fault of one machine: ``node`` is its name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkerValue(FromOutside[OnWorker], FaultValue[OnWorker]):
    """A fault of a machine of a cluster. What it breaks depends on which pods run there, thus is not known on paper."""

    parameters: type[OnWorker] = OnWorker
    platforms: tuple[str, ...] = ("linux",)
    requires: tuple[str, ...] = ("cluster", "workers", "probes")
    domain: str = "kubernetes"
    found_at: FoundAt = "node"

    def choices(self, objects: Sequence[Object]) -> Iterator[OnWorker]:  # any cluster can have it
        """One for each machine."""
        return (OnWorker(node=name) for name in WORKERS)

    def resource(self, parameters: OnWorker) -> str:
        """The machine."""
        return f"node/{parameters.node}"


def worker_fault(
    name: str,
    what: Dropped,
    *,
    check: Callable[[Lab, str], Iterator[str]],
    seen: Callable[[str], Symptom],
    **fields: Any,
) -> WorkerValue:
    """Return the fault that a machine drops something. ``check`` says what shows that it does not."""

    def change(p: OnWorker) -> Change:
        checked: Check = given(check, p.node)
        return Change(
            act=lambda lab: lab.capability(CONTROL).drop(p.node, what),
            undo=lambda lab: lab.capability(CONTROL).restore(p.node),
            checks=(checked,),
            symptoms=(seen(p.node),),
            detail=f"It is {p.node}.",
        )

    return WorkerValue(name, language="shell", change=change, touches=lambda p: frozenset({f"node/{p.node}"}), **fields)


def _reaches(lab: Lab, worker: str, address: str, what: str) -> Iterator[str]:
    """Phrases for the pods of a machine that send to port 53 of the resolving pods by an address, and get through."""
    pods = [name for name in lab.capability(CONTROL).pods(worker) if name != DNS_NODE]
    if not pods:
        yield f"{worker} has no pods"
    probes = [
        Probe(source=name, target=address, protocol="udp", port=DNS_PORT, listen_on=DNS_NODE, timeout_s=_PROBE_S)
        for name in pods
    ]
    for name, result in zip(pods, lab.prober.probe(probes), strict=True):
        if result.delivered:
            yield f"{name} on {worker} reaches {what}"


def _reaches_services(lab: Lab, worker: str) -> Iterator[str]:
    yield from _reaches(lab, worker, DNS_ADDRESS, f"the service address {DNS_ADDRESS}")


def _reaches_resolver(lab: Lab, worker: str) -> Iterator[str]:
    yield from _reaches(lab, worker, POD, f"port {DNS_PORT} of {DNS_NODE}")


def _is_ready(lab: Lab, worker: str) -> Iterator[str]:
    if lab.capability(CONTROL).is_ready(worker):
        yield f"{worker} is ready"


SERVICES_DROPPED = worker_fault(
    "k8s-worker-services-dropped",
    "services",
    check=_reaches_services,
    seen=sightings.no_service_address,
    about="A machine of the cluster drops what its pods send to addresses of services; addresses of pods work.",
    label="SVC",
    called={"nika": "k8s_clusterip_routing_broken"},
)
DNS_DROPPED = worker_fault(
    "k8s-worker-dns-dropped",
    "dns",
    check=_reaches_resolver,
    seen=sightings.no_resolver,
    about="A machine of the cluster drops all packets to port 53 of pods, from whichever machine they come.",
    label="DNSDROP",
    called={"nika": "k8s_coredns_isolated"},
)
CUT_OFF = worker_fault(
    "k8s-worker-cut-off",
    "api",
    check=_is_ready,
    seen=sightings.no_report,
    about="A machine of the cluster drops all packets to and from the API: it is not ready, and its pods still serve.",
    label="CUT",
    called={"nika": "k8s_worker_apiserver_partition"},
)
