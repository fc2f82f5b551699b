"""The generators ``diagnose-kubernetes`` and ``troubleshoot-kubernetes`` on paper."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.faults.reasoning import known
from pytest_netbench.generators.kubernetes.diagnose import (
    DiagnoseKubernetes,
    TroubleshootKubernetes,
)
from pytest_netbench.generators.kubernetes.labels import ALL, FAULTS, WORKER_FAULTS
from pytest_netbench.generators.kubernetes.repair import RepairKubernetes
from pytest_netbench.kubernetes.applications.addresses import WORKERS
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.words import POLICIES
from pytest_netbench.model.diagnosis import Diagnosis, RootCause, diagnose_of
from pytest_netbench.model.objects import objects_of
from pytest_netbench.model.task import Task
from pytest_netbench.reporting.page.geometry import drawing
from pytest_netbench.reporting.page.wiring import faults
from pytest_netbench.scorers.causes import canonical
from pytest_netbench.scorers.diagnosis import agreement
from pytest_netbench.trial.limits import brief_for, terms_for

GENERATORS: dict[str, Any] = {"diagnose": DiagnoseKubernetes(), "troubleshoot": TroubleshootKubernetes()}


def one(family: str, index: int, **parameters: Any) -> Task:
    generator = GENERATORS[family]
    made: Task = generator.draw(generator.parameters.model_validate(parameters), seed=1, index=index)
    return made


def is_of_machine(task: Task) -> bool:
    return any(one.fault in WORKER_FAULTS.values() for one in diagnose_of(task).faults)


@cache
def tasks(family: str) -> tuple[Task, ...]:
    return tuple(one(family, index, services="6-12") for index in range(60))


@pytest.mark.parametrize("family", GENERATORS)
def test_three_of_ten_applications_are_healthy_and_tell_nothing_of_it(family: str) -> None:
    healthy = [task for task in tasks(family) if not diagnose_of(task).faults]
    assert len(healthy) == 18
    for task in tasks(family):
        payload = diagnose_of(task)
        assert task.drawn is not None
        assert (task.drawn.label == "healthy") is (not payload.faults) is (payload.symptom == ())
    texts = {brief_for(task, terms_for(task, Nop().info)).model_dump_json() for task in healthy}
    assert not any("healthy application" in text or "Nothing is wrong in this" in text for text in texts)


@pytest.mark.parametrize("family", GENERATORS)
def test_the_symptom_is_what_the_faults_make_wrong(family: str) -> None:
    for task in tasks(family):
        payload = diagnose_of(task)
        if is_of_machine(task):
            assert payload.symptom is None, "it depends on where pods run"
            continue
        objects = objects_of(payload.startup_configs["workstation"])
        for injected in payload.faults:
            fault, parameters = known(injected)
            objects = fault.edit(parameters).applied(objects)
        assert Connectivity(objects).wrong(payload.all_flows) == payload.symptom


def policies_by_workload(task: Task, *, with_faults: bool) -> list[set[str]]:
    """What the policies of each workload are called, behind its name, with what is injected or without."""
    objects = objects_of(diagnose_of(task).startup_configs["workstation"])
    for injected in diagnose_of(task).faults if with_faults else ():
        fault, parameters = known(injected)
        objects = fault.edit(parameters).applied(objects)
    names = [one["metadata"]["name"] for one in objects if one["kind"] == "NetworkPolicy"]
    workloads = [one["metadata"]["name"] for one in objects if one["kind"] == "Deployment"]
    return [{name.removeprefix(one) for name in names if name in seconds(one)} for one in workloads]


def seconds(workload: str) -> list[str]:
    return [workload, *(f"{workload}-{one}" for one in POLICIES)]


@pytest.mark.parametrize(("label", "applications"), [("DENY", "drawn"), ("ALLOW", "drawn"), ("ALLOW", "boutique")])
def test_the_name_of_a_policy_too_many_is_one_that_policies_have_in_healthy_applications(
    label: str, applications: str
) -> None:
    drawn = [
        one("diagnose", index, labels=(label,), level=1, healthy=0, services="6-12", applications=(applications,))
        for index in range(40)
    ]
    healthy = [found for task in drawn for found in policies_by_workload(task, with_faults=False)]
    faulty = [found for task in drawn for found in policies_by_workload(task, with_faults=True)]
    assert max(map(len, faulty)) == max(map(len, healthy)) == 2
    ours, theirs = (Counter(name for found in each for name in found) for each in (healthy, faulty))
    assert ours.keys() == theirs.keys() == {"", *(f"-{one}" for one in POLICIES)}
    # in each application several have two policies anyhow
    several = [sum(len(found) == 2 for found in policies_by_workload(task, with_faults=False)) for task in drawn]
    assert sum(map(bool, several)) > 25
    assert sum(several) > 40


def test_the_workstation_can_be_changed_where_something_is_to_be_repaired() -> None:
    for family, control in (("diagnose", "observed"), ("troubleshoot", "managed")):
        for task in tasks(family)[:10]:
            assert task.family == family
            assert task.network.topology.node("workstation").control == control


@pytest.mark.parametrize("family", GENERATORS)
def test_causes_are_objects_that_an_answer_can_name(family: str) -> None:
    kinds: Counter[str] = Counter()
    for task in tasks(family):
        payload = diagnose_of(task)
        for cause, injected in zip(payload.causes, payload.faults, strict=True):
            (resource,) = cause.resources
            assert resource in payload.resources
            assert {resource} == injected.touches
            kinds[resource.split("/")[2 if resource.startswith("k8s/") else 0]] += 1
        for told, injected in zip(faults(payload), payload.faults, strict=True):
            if injected.fault in WORKER_FAULTS.values():
                continue
            assert " in namespace " in told.place
            ((node, interface),) = told.ends
            assert (node in task.network.startup_configs or f" {node} " in told.place, interface) == (True, "")
        drawing(task.network.topology, {}, {}, [told.ends for told in faults(payload)])
    assert set(kinds) == {"NetworkPolicy", "Deployment", *(["node"] if family == "diagnose" else [])}


def test_an_answer_is_compared_whatever_its_case() -> None:
    task = next(task for task in tasks("diagnose") if diagnose_of(task).faults)
    payload = diagnose_of(task)
    (resource,) = payload.causes[0].resources
    assert canonical(resource.upper(), payload) == canonical(resource, payload)
    answer = Diagnosis(is_anomaly=True, root_causes=(RootCause(resource_id=resource, fault_type="x"),))
    assert answer.root_causes[0].resource_id.startswith("k8s/")


def test_all_fault_types_of_clusters_can_be_named_and_are_drawn() -> None:
    assert set(diagnose_of(tasks("diagnose")[0]).fault_types) == set(ALL.values())
    assert set(diagnose_of(tasks("troubleshoot")[0]).fault_types) == set(FAULTS.values())
    drawn = {fault.fault for family in GENERATORS for task in tasks(family) for fault in diagnose_of(task).faults}
    assert len(drawn) >= len(ALL) - 1


def test_machines_are_nodes_where_a_fault_may_be_one_of_theirs_and_there_only() -> None:
    for task in tasks("diagnose"):
        machines = {node.name for node in task.network.topology.nodes if node.role == "worker"}
        assert machines == set(WORKERS)
        assert {task.network.topology.controls[name] for name in machines} == {"foreign"}
        assert {f"node/{name}" for name in machines} <= set(diagnose_of(task).resources)
        assert "workers" in diagnose_of(task).needs
    for task in (one("diagnose", 0, labels=("RI", "AI")), *tasks("troubleshoot")[:5]):
        assert not any(node.role == "worker" for node in task.network.topology.nodes)
        assert "workers" not in diagnose_of(task).needs


def test_the_brief_says_what_machines_are_whether_or_not_one_is_wrong() -> None:
    found = {family: brief_for(tasks(family)[0], terms_for(tasks(family)[0], Nop().info)) for family in GENERATORS}
    assert "worker-1, worker-2, worker-3 are no pods" in found["diagnose"].intents[0]
    assert "worker-1" not in found["troubleshoot"].intents[0]


def test_each_machine_is_drawn_as_often_as_the_others() -> None:
    labels = tuple(WORKER_FAULTS)
    tasks = [one("diagnose", index, labels=labels, level="1", healthy=0.0, services="6") for index in range(60)]
    places = Counter(diagnose_of(task).causes[0].resources[0] for task in tasks)
    kinds = Counter(diagnose_of(task).causes[0].fault_type for task in tasks)
    assert min(places.values()) > 10
    assert min(kinds.values()) > 10


def test_a_fault_of_a_machine_comes_after_those_of_objects() -> None:
    """A machine that is cut off would not hear of the objects."""
    found = [
        one("diagnose", index, level="2", healthy=0.0, labels=("RI", "LABEL", "CUT"), services="6")
        for index in range(8)
    ]
    orders = [[fault.fault in WORKER_FAULTS.values() for fault in diagnose_of(task).faults] for task in found]
    assert [False, True] in orders
    assert [True, False] not in orders


def test_a_fault_of_a_machine_is_for_diagnoses_only() -> None:
    with pytest.raises(ValueError, match="labels"):
        TroubleshootKubernetes.parameters.model_validate({"labels": ("CUT",)})
    with pytest.raises(ValueError, match="labels"):
        RepairKubernetes.parameters.model_validate({"labels": ("CUT",)})


def test_what_is_given_is_of_applications_in_which_something_is_wrong() -> None:
    for index in range(12):
        task = one("diagnose", index, given="localization", services="6-8", level="1")
        payload = diagnose_of(task)
        assert payload.faults
        assert payload.causes[0].resources[0] in brief_for(task, terms_for(task, Nop().info)).model_dump_json()


def test_what_explains_the_same_may_be_named_in_the_place_of_the_fault() -> None:
    """A policy that selects what no pod is, and pods that are not what it selects, are one state of a cluster."""
    found = [
        one("diagnose", index, labels=("SEL", "LABEL"), level="1", healthy=0.0, services="6-8") for index in range(30)
    ]
    ambiguous = [task for task in found if diagnose_of(task).equals]
    assert 0 < len(ambiguous) < len(found) / 2
    for task in ambiguous:
        payload = diagnose_of(task)
        (cause,) = payload.causes
        for resource, fault_type in cause.others:
            assert resource in payload.resources
            assert (resource, fault_type) != (cause.resources[0], cause.fault_type)
            named = [RootCause(resource_id=resource, fault_type=fault_type)]
            assert agreement(payload.causes, named, "root_cause").f1 == 1.0
            assert agreement(payload.causes, named, "localization").f1 == 1.0
            mixed = [RootCause(resource_id=cause.resources[0], fault_type=fault_type)]
            assert agreement(payload.causes, mixed, "root_cause").f1 == 0.0
            both = [*named, RootCause(resource_id=cause.resources[0], fault_type=cause.fault_type)]
            assert agreement(payload.causes, both, "root_cause").f1 < 1.0
