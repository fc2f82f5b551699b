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
    DiagnoseKubernetesParameters,
    TroubleshootKubernetes,
)
from pytest_netbench.generators.kubernetes.labels import FAULTS
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.model.diagnosis import Diagnosis, RootCause, diagnose_of
from pytest_netbench.model.objects import objects_of
from pytest_netbench.model.task import Task
from pytest_netbench.reporting.page.geometry import drawing
from pytest_netbench.reporting.page.wiring import faults
from pytest_netbench.scorers.diagnosis import canonical
from pytest_netbench.trial.terms import brief_for, terms_for

GENERATORS: dict[str, Any] = {"diagnose": DiagnoseKubernetes(), "troubleshoot": TroubleshootKubernetes()}


def one(family: str, index: int, **parameters: Any) -> Task:
    made: Task = GENERATORS[family].draw(DiagnoseKubernetesParameters.model_validate(parameters), seed=1, index=index)
    return made


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
        objects = objects_of(payload.startup_configs["workstation"])
        for injected in payload.faults:
            fault, parameters = known(injected)
            objects = fault.edit(parameters).applied(objects)
        assert Connectivity(objects).wrong(payload.all_flows) == payload.symptom


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
            kinds[resource.split("/")[2]] += 1
        for told in faults(payload):
            assert " in namespace " in told.place
            ((node, interface),) = told.ends
            assert (node in task.network.startup_configs or f" {node} " in told.place, interface) == (True, "")
        drawing(task.network.topology, {}, {}, [told.ends for told in faults(payload)])
    assert set(kinds) == {"NetworkPolicy", "Deployment"}


def test_an_answer_is_compared_whatever_its_case() -> None:
    task = next(task for task in tasks("diagnose") if diagnose_of(task).faults)
    payload = diagnose_of(task)
    (resource,) = payload.causes[0].resources
    assert canonical(resource.upper(), payload) == canonical(resource, payload)
    answer = Diagnosis(is_anomaly=True, root_causes=(RootCause(resource_id=resource, fault_type="x"),))
    assert answer.root_causes[0].resource_id.startswith("k8s/")


def test_all_fault_types_of_clusters_can_be_named_and_are_drawn() -> None:
    assert set(diagnose_of(tasks("diagnose")[0]).fault_types) == set(FAULTS.values())
    drawn = {fault.fault for family in GENERATORS for task in tasks(family) for fault in diagnose_of(task).faults}
    assert len(drawn) >= len(FAULTS) - 1


def test_what_is_given_is_of_applications_in_which_something_is_wrong() -> None:
    for index in range(12):
        task = one("diagnose", index, given="localization", services="6-8", level="1")
        payload = diagnose_of(task)
        assert payload.faults
        assert payload.causes[0].resources[0] in brief_for(task, terms_for(task, Nop().info)).model_dump_json()
