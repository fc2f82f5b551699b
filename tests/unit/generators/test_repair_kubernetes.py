"""The generator ``repair-kubernetes`` on paper: what it draws, its effects, and that a draw can be repeated."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.agents.nop import Nop
from pytest_netbench.errors import UsageError
from pytest_netbench.faults.reasoning import known, repairs
from pytest_netbench.generators.kubernetes.labels import FAULTS, LEVELS, NETARENA
from pytest_netbench.generators.kubernetes.repair import RepairKubernetes, RepairKubernetesParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.objects import objects_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.writing import task_text
from pytest_netbench.trial.limits import brief_for, terms_for
from tests.support.json_patch import type_line

GENERATOR = RepairKubernetes()
CODE = """
from pytest_netbench.generators.kubernetes.repair import RepairKubernetes, RepairKubernetesParameters
for index in range(8):
    print(RepairKubernetes().draw(RepairKubernetesParameters(), seed=5, index=index).model_dump_json(by_alias=True))
"""


def one(index: int, *, seed: int = 1, **parameters: Any) -> Task:
    return GENERATOR.draw(RepairKubernetesParameters.model_validate(parameters), seed=seed, index=index)


@cache
def tasks() -> tuple[Task, ...]:
    return tuple(one(index) for index in range(200))


@cache
def tasks_with_ours() -> tuple[Task, ...]:
    return tuple(one(index, labels=tuple(FAULTS), level="1-2") for index in range(60))


def wrong(task: Task, objects: list[dict[str, Any]]) -> set[int]:
    return set(Connectivity(objects).wrong(repair_of(task).all_flows))


def healthy(task: Task) -> list[dict[str, Any]]:
    return objects_of(task.network.startup_configs["workstation"])


def broken(task: Task) -> list[dict[str, Any]]:
    objects = healthy(task)
    for fault, parameters in map(known, repair_of(task).faults):
        objects = fault.edit(parameters).applied(objects)
    return objects


def test_the_same_draw_has_the_same_bytes_in_another_process() -> None:
    drawn = [
        subprocess.run(
            [sys.executable, "-c", CODE], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0].decode().splitlines() == [one(index, seed=5).model_dump_json(by_alias=True) for index in range(8)]


def test_the_labels_and_levels_are_those_of_table_6() -> None:
    assert sum(map(len, LEVELS.values())) == 15
    assert {task.drawn.label for task in tasks() if task.drawn} == {label for few in LEVELS.values() for label in few}
    for task in tasks():
        assert task.drawn is not None
        assert task.drawn.label in LEVELS[task.drawn.level]


def test_the_task_names_its_draw_and_the_labels_of_its_faults() -> None:
    for task in (*tasks(), *tasks_with_ours()):
        assert task.drawn is not None
        assert task.drawn.label == "+".join(fault_of(fault.fault).label for fault in repair_of(task).faults)
        assert task.slug == task.drawn.slug
    for task in tasks()[:20]:
        assert task.drawn is not None
        assert one(task.drawn.index, **task.drawn.parameters) == task


def test_each_label_is_drawn_about_equally_often() -> None:
    counts = Counter(task.drawn.label for task in tasks() if task.drawn)
    mean = len(tasks()) / 15
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < 36.12  # upper 0.1 % point, 14 degrees


def test_at_least_half_of_the_applications_are_drawn() -> None:
    counts = Counter(task.drawn.scenario for task in tasks() if task.drawn)
    assert counts["drawn"] >= 100
    assert counts["boutique"] >= 40


def test_the_healthy_cluster_is_right_and_the_symptom_is_what_the_faults_make_wrong() -> None:
    for task in (*tasks(), *tasks_with_ours()):
        assert wrong(task, healthy(task)) == set(), task.slug
        symptom = repair_of(task).symptom
        assert symptom
        assert wrong(task, broken(task)) == set(symptom), task.slug


def test_each_fault_must_be_repaired_and_the_reference_repair_makes_nothing_wrong_on_its_way() -> None:
    for task in (*tasks(), *tasks_with_ours()):
        payload = repair_of(task)
        for left in range(len(payload.faults)):
            fault, parameters = known(payload.faults[left])
            assert wrong(task, fault.edit(parameters).applied(healthy(task))), f"{task.slug} without fault {left}"
        objects, before = broken(task), set(payload.symptom or ())
        for _, node, lines in repairs(payload.faults):
            assert node == "workstation"
            for line in lines:
                objects = type_line(objects, line)
            after = wrong(task, objects)
            assert after <= before
            before = after
        assert before == set()


def test_faults_of_one_task_are_of_different_objects() -> None:
    for task in (*tasks(), *tasks_with_ours()):
        touched = [thing for fault in repair_of(task).faults for thing in fault.touches]
        assert len(touched) == len(set(touched))


def test_the_targets_of_faults_are_spread_over_online_boutique() -> None:
    drawn = [one(index, applications=("boutique",), level="1", labels=("RI",)) for index in range(150)]
    counts = Counter(repair_of(task).faults[0].parameters["policy"] for task in drawn)
    assert len(counts) == 10, "all with a rule that says anything"
    mean = len(drawn) / 10
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < 27.88  # upper 0.1 % point, 9 degrees


def test_what_has_no_effect_is_dropped_and_counted_in_the_notes() -> None:
    notes = [task.notes for task in tasks() if task.notes]
    assert 10 < len(notes) < 150
    assert all(note.startswith("Dropped before it, as they ") for note in notes)
    assert any("change no flow: k8s-" in note or "change no flow" in note for note in notes)
    text = str([brief_for(task, terms_for(task, Nop().info)).model_dump_json() for task in tasks()[:20]])
    assert "Dropped" not in text


def test_every_label_of_ours_is_drawn_where_it_is_named() -> None:
    found = {label for task in tasks_with_ours() if task.drawn for label in task.drawn.label.split("+")}
    assert found == set(FAULTS)
    assert set(NETARENA) < found


def test_a_task_survives_its_file(tmp_path: Path) -> None:
    for task in tasks()[:10]:
        path = tmp_path / f"{task.slug}.task.yaml"
        path.write_text(task_text(task), encoding="utf-8")
        assert load_task(path).digest == task.digest


def test_each_workload_is_a_node_that_can_be_looked_at_and_the_workstation_is_managed() -> None:
    for task in tasks()[:20]:
        nodes = {node.name: node for node in task.network.topology.nodes}
        deployments = {one["metadata"]["name"] for one in healthy(task) if one["kind"] == "Deployment"}
        assert set(nodes) == {"workstation", "coredns", *deployments}
        workstation = nodes.pop("workstation")
        assert (task.network.platform_of("workstation"), workstation.control) == ("kubernetes", "managed")
        assert {(node.role, node.control, task.network.platform_of(name)) for name, node in nodes.items()} == {
            ("pod", "observed", "linux")
        }
        assert set(task.network.startup_configs) == {"workstation"}


def test_a_task_needs_a_cluster_and_probes() -> None:
    assert set(repair_of(tasks()[0]).needs) == {"probes", "cluster"}


def test_the_brief_tells_what_must_work_and_nothing_of_the_faults() -> None:
    for task in (*tasks()[:40], *tasks_with_ours()[:20]):
        brief = brief_for(task, terms_for(task, Nop().info)).model_dump_json()
        assert task.drawn is not None
        for secret in (
            *(fault.fault for fault in repair_of(task).faults),
            task.slug,
            "symptom",
            task.drawn.label + "]",
        ):
            assert secret not in brief, secret
        lines = [line for _, _, commands in repairs(repair_of(task).faults) for line in commands]
        assert not [line for line in lines if line in brief]


def test_services_are_as_many_as_asked_for() -> None:
    for services in ("6", "40"):
        task = one(0, services=services, applications=("drawn",), level="1")
        assert len(task.network.topology.nodes) == int(services) + 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"services": "5-9"}, "5-9 is not within 6-40"),
        ({"level": "4"}, "4 is not within 1-3"),
        ({"labels": ("XX",)}, "Input should be"),
        ({"applications": ()}, "at least 1 item"),
    ],
)
def test_what_is_out_of_range_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RepairKubernetesParameters.model_validate(parameters)


def test_what_cannot_be_drawn_is_refused_with_what_to_change() -> None:
    with pytest.raises(UsageError, match=r"nothing can be drawn with level=3, labels=RI: give more labels or another"):
        one(0, level="3", labels=("RI",))
    with pytest.raises(UsageError, match="in which NS changes a flow: give other labels"):
        one(0, level="1", labels=("NS",), applications=("boutique",))


def test_a_series_is_written_with_signs_of_addition() -> None:
    series = read_series("repair-kubernetes:n=3,seed=4,labels=RI+AE,level=3,applications=drawn,services=6-8")
    labels = {source.load().drawn.label for source in series.sources()}
    assert labels == {"RI+AE"}
