"""The rules of NetArena's check beside the flows of a task, on paper."""

from __future__ import annotations

import pytest

from pytest_netbench.generators.series import read_series
from pytest_netbench.model.objects import objects_of
from pytest_netbench.model.task import Task
from tests.support.netarena_check import SENDS_NOT, asked, said, states

SERIES = "repair-kubernetes:seed=1,applications=boutique"


def draw(index: int, *, label: str, level: int = 1) -> Task:
    return read_series(f"{SERIES},level={level},labels={label}").source(index).load()


def test_the_check_sends_from_ten_workloads_to_ten_services() -> None:
    flows = list(asked(draw(0, label="RI")))
    assert len({flow.source for flow in flows}) == 10
    assert {flow.target for flow in flows}.isdisjoint({"frontend", "loadgenerator"})
    assert {flow.source for flow in flows}.isdisjoint(SENDS_NOT)
    assert sum(flow.allowed for flow in flows) == 15


def test_a_healthy_application_has_no_mismatch_and_an_open_one_has_each_that_must_be_closed() -> None:
    task = draw(0, label="RI")
    objects = objects_of(task.network.startup_configs["workstation"])
    assert said(task, objects) == (0, 0)
    opened = [one for one in objects if one["kind"] != "NetworkPolicy"]
    assert said(task, opened).mismatches == sum(not flow.allowed for flow in asked(task))


@pytest.mark.parametrize(("label", "level"), [("RI", 1), ("AI", 1), ("AE", 1), ("AI+AE", 3), ("CP+CPR", 3)])
def test_where_the_check_finds_something_a_flow_is_wrong(label: str, level: int) -> None:
    for index in range(3):
        task = draw(index, label=label, level=level)
        found = [said(task, objects) for objects in states(task)]
        assert all(one.wrong for one in found if one.mismatches)
        assert found[0].wrong
        assert found[-1] == (0, 0)
