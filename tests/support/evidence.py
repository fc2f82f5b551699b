"""Reference diagnoses of faults at places of drawn networks and sites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.faults.builders import SiteValue
from pytest_netbench.faults.evidence.network import Observable, observable_of
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.kubernetes.builders import ClusterValue
from pytest_netbench.faults.kubernetes.workers import WorkerValue
from pytest_netbench.faults.reasoning import evidence_of
from pytest_netbench.generators.default_faults import OF_DHCP, OF_LB, OF_QOS, OF_RPKI, OF_VPN, SERVED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.kubernetes.applications.addresses import WORKERS
from pytest_netbench.kubernetes.applications.drawing import drawn
from pytest_netbench.kubernetes.applications.manifests import manifests
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.task import Task
from tests.support.stars import star_site

_KINDS = (("clos", "frr"), ("clos", "cisco_ios"), ("line", "cisco_ios"), ("dual-homed-isp", "cisco_ios"))
_DRAWN_WITH = {"link-mtu-configured-low": "icmp-frag-needed-denied"}
"""Faults that are drawn only in the company of another one."""
_FURTHER = (
    ("campus", "cisco_ios"),
    ("mesh", "frr"),
    ("sdn-leaf-spine", "openvswitch"),
    ("p4-leaf-spine", "p4"),
    ("line", "frr"),
    ("dual-homed-isp", "frr"),
)


def drawn_with(name: str) -> Iterator[Task]:
    """Drawn diagnoses of one fault, in several shapes and platforms; none of a fault that is not drawn."""
    for shape, platform in (*_KINDS, *_FURTHER):
        chosen: dict[str, Any] = {"shapes": (shape,), "platforms": (platform,), "healthy": 0.0, "size": "1"}
        services: tuple[str, ...] = ("dns", "web") if name in SERVED else ("filter", "nat")
        services = ("dns", "web", "dhcp") if name in OF_DHCP else services
        services = ("dns", "web", "lb") if name in OF_LB else services
        services = ("vpn",) if name in OF_VPN else services
        services = ("qos",) if name in OF_QOS else services
        services = ("rpki",) if name in OF_RPKI else services
        for index in range(3):
            try:
                parameters = DiagnoseParameters.model_validate(
                    {
                        **chosen,
                        "faults": (_DRAWN_WITH.get(name, name),),
                        "level": "1",
                        **({"services": services} if index != 1 else {}),
                    }
                )
                yield DiagnoseGenerator().draw(parameters, seed=3, index=index)
            except (UsageError, ValueError):
                continue  # the shape has no place for it


def evidence_in(task: Task, name: str) -> tuple[Observation, ...]:
    """The evidence of a fault of a drawn diagnosis."""
    payload = diagnose_of(task)
    return evidence_of(_fault(task, name), observable_of(payload))


def on_a_site(name: str) -> tuple[Observation, ...]:
    """The evidence of a fault at a site of Linux, or of one in a cluster; none of a fault of networks."""
    fault, site = fault_of(name), star_site(2, 3)
    if isinstance(fault, ClusterValue | WorkerValue):
        return _on_a_cluster(fault)
    if not isinstance(fault, SiteValue):
        return ()
    parameters = next(iter(fault.targets(site))).model_dump(mode="json")
    network = Observable(platforms={site.router: "linux"}, addresses={}, pairs=())
    return evidence_of(InjectedFault(fault=name, parameters=parameters), network)


def _on_a_cluster(fault: ClusterValue[Any] | WorkerValue) -> tuple[Observation, ...]:
    """The evidence of a fault of an object or a machine, in the first drawn application that has a place for it."""
    network = Observable(platforms={"workstation": "kubernetes"}, addresses={}, pairs=())
    found = (one for seed in range(20) for one in fault.choices(manifests(drawn(seed, services=14))))
    parameters = next(found).model_dump(mode="json")
    return evidence_of(InjectedFault(fault=fault.name, parameters=parameters), network)


def table() -> Iterator[str]:
    """The rows of the table in docs/reference/evidence.md: what each observation says, with parameters in italics."""
    for name in parts.names("faults"):
        found = [(task, evidence_in(task, name)) for task in drawn_with(name)]
        task, observations = max(found, key=lambda one: len(one[1]), default=(None, on_a_site(name)))
        cells = [f"{_general(one.because, task, name)} (`{one.method}`)" for one in observations]
        yield f"| `{name}` | {'<br>'.join(dict.fromkeys(cells))} |"


def _fault(task: Task, name: str) -> InjectedFault:
    return next(one for one in diagnose_of(task).faults if one.fault == name)


def _general(sentence: str, task: Task | None, name: str) -> str:
    """A sentence with the names of parameters in the place of their values."""
    if task is None:
        if isinstance(fault_of(name), WorkerValue):
            return sentence.replace(WORKERS[0], "*node*")
        # what is wrong with an object has parameters in its words
        return fault_of(name).about if isinstance(fault_of(name), ClusterValue) else sentence
    if sentence == fault_of(name).about:
        return sentence
    values = {str(value): f"*{field}*" for field, value in reversed(_fault(task, name).parameters.items()) if value}
    others = {node.name: "another node" for node in diagnose_of(task).topology.nodes}
    for value, words in sorted({**others, **values}.items(), key=lambda one: -len(one[0])):
        sentence = re.sub(rf"(?<![\w.*]){re.escape(value)}(?![\w*]|\.\d)", words, sentence)
    sentence = re.sub(r"\b\d+\.\d+\.\d+\.\d+\b", "an address", sentence)
    return sentence[:1].upper() + sentence[1:]


if __name__ == "__main__":
    print("\n".join(table()))
