"""The generator ``repair-routing`` on paper: what it draws, how often, and that it can be repeated."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench import parts
from pytest_netbench.agents.nop import Nop
from pytest_netbench.errors import UsageError
from pytest_netbench.generators.repair_routing import FAULTS, LEVELS, RepairRouting, RepairRoutingParameters, effects_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.limits import brief_for, terms_for

GENERATOR = RepairRouting()
CODE = """
from pytest_netbench.generators.repair_routing import RepairRouting, RepairRoutingParameters
parameters = RepairRoutingParameters(subnets="2-3", hosts="2", level="1-4")
for index in range(12):
    print(RepairRouting().draw(parameters, seed=5, index=index).model_dump_json(by_alias=True))
"""
# upper 0.1 % points of the chi-square distribution by degrees of freedom
CRITICAL = {7: 24.32, 14: 36.12, 90: 137.21}


def one(index: int, *, seed: int = 1, **parameters: Any) -> Task:
    return GENERATOR.draw(RepairRoutingParameters.model_validate(parameters), seed=seed, index=index)


def many(count: int, **parameters: Any) -> list[Task]:
    return [one(index, **parameters) for index in range(count)]


def test_the_same_draw_has_the_same_bytes_in_another_process() -> None:
    drawn = [
        subprocess.run(
            [sys.executable, "-c", CODE], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    here = [
        one(index, seed=5, subnets="2-3", hosts="2", level="1-4").model_dump_json(by_alias=True) for index in range(12)
    ]
    assert drawn[0] == drawn[1]
    assert drawn[0].decode().splitlines() == here


def test_the_task_names_its_draw_and_the_classes_of_its_faults() -> None:
    for task in many(40, level="1-4"):
        assert task.drawn is not None
        labels = "+".join(fault_of(fault.fault).label for fault in repair_of(task).faults)
        assert labels == task.drawn.label
        assert labels in LEVELS[task.drawn.level]
        assert task.slug == task.drawn.slug
        assert (
            GENERATOR.draw(
                RepairRoutingParameters.model_validate(task.drawn.parameters), seed=1, index=task.drawn.index
            )
            == task
        )


def test_every_fault_with_a_name_of_netarena_is_drawn_in_its_class() -> None:
    catalogue = [fault_of(name) for name in parts.names("faults")]
    routing = [one for one in catalogue if one.domain != "kubernetes"]
    known = {label: {one.name for one in routing if one.label == label} for label in FAULTS}
    assert {label: set(names) for label, names in FAULTS.items()} == known


def test_every_label_of_the_papers_table_is_drawn() -> None:
    drawn = Counter(task.drawn.label for task in many(600) if task.drawn)
    assert set(drawn) == {label for level in (1, 2, 3) for label in LEVELS[level]}


@pytest.mark.parametrize(("label", "subnets", "effects"), [("DR", 3, 8), ("WR", 3, 15), ("DR+WR", 3, 91)])
def test_each_distinct_effect_is_drawn_equally_often(label: str, subnets: int, effects: int) -> None:
    level = 1 + label.count("+")
    given = {"subnets": str(subnets), "hosts": "4", "level": str(level), "labels": tuple(label.split("+"))}
    tasks = many(30 * effects * level, **given)
    counts = Counter(repair_of(task).symptom for task in tasks if task.drawn and task.drawn.label == label)
    assert len(counts) == effects == len(effects_of(subnets, 4, False, label).all)
    mean = counts.total() / effects
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < CRITICAL[effects - 1]


def test_values_with_the_same_effect_are_one_effect() -> None:
    tasks = many(200, subnets="2", hosts="2", level="1", labels=("DI",))
    values = {repair_of(task).faults[0].model_dump_json() for task in tasks}
    effects = {repair_of(task).symptom for task in tasks}
    assert len(values) == 8, "each interface down, or with one of three values of its MTU"
    assert len(effects) == 2, "one for each interface"


def test_no_mask_is_drawn_that_loses_no_host() -> None:
    faults = [fault for task in many(400, level="1", labels=("RI",)) for fault in repair_of(task).faults]
    masks = {fault.parameters["instead"].split("/")[1] for fault in faults if fault.fault == "address-mask-too-long"}
    assert masks
    assert not masks & {"8", "16", "24"}
    assert all(repair_of(task).symptom for task in many(50, level="1", labels=("RI",)))


def test_a_fault_that_needs_netem_is_drawn_only_if_asked_for() -> None:
    def names(**parameters: Any) -> set[str]:
        return {
            fault.fault
            for task in many(150, level="1", labels=("DT",), **parameters)
            for fault in repair_of(task).faults
        }

    assert "traffic-delayed" not in names()
    assert "traffic-delayed" in names(delay=True)
    task = next(
        task
        for task in many(150, level="1", labels=("DT",), delay=True)
        if repair_of(task).faults[0].fault == "traffic-delayed"
    )
    assert "netem" in task.network.needs


def test_a_policy_is_in_the_healthy_router_and_among_the_flows_that_must_not_work() -> None:
    for task in many(20):
        (denied,) = [group for group in repair_of(task).flows if not group.allowed]
        assert (denied.protocol, denied.port) == ("tcp", 23)
        assert "tcp dport 23 drop" in task.network.startup_configs["r0"]
        assert not set(denied.sources) & set(denied.targets)
    for task in many(5, policy=False):
        assert all(group.allowed for group in repair_of(task).flows)
        assert "nft" not in task.network.startup_configs["r0"]


def test_what_cannot_be_drawn_is_refused_with_what_to_change() -> None:
    with pytest.raises(UsageError, match=r"level=2, labels=RI\+WR and subnets=2: give more subnets, more labels or"):
        one(0, subnets="2", level="2", labels=("RI", "WR"))
    wide = many(20, subnets="2-4", level="2", labels=("RI", "WR"))
    assert {len(task.network.topology.links) for task in wide} == {3, 4}
    with pytest.raises(ValidationError, match="1-4 is not within 2-8"):
        RepairRoutingParameters(subnets=Span(low=1, high=4))
    with pytest.raises(ValidationError, match="5 is not within 1-4"):
        RepairRoutingParameters(level=Span(low=5, high=5))


def test_the_brief_tells_what_must_work_and_nothing_of_the_faults() -> None:
    for task in many(30, level="1-4"):
        brief = brief_for(task, terms_for(task, Nop().info)).model_dump_json()
        for fault in repair_of(task).faults:
            assert fault.fault not in brief
        assert task.drawn is not None
        for secret in (task.slug, task.drawn.label + "]", "symptom", "nft", "sysctl", "mtu", "route"):
            assert secret not in brief.replace("Repair the routing", "").replace("routing", ""), secret
        assert "TCP port 80 from each of these nodes to each other one" in brief


def test_a_thousand_tasks_are_drawn_in_ten_seconds() -> None:
    began = time.process_time()
    many(1000, level="1", labels=("WR",))
    assert time.process_time() - began < 10
