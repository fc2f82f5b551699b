"""The draft's own "Static Routing", completed: in the draft's own fields, and a task like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.model.task import Task
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile import load_task

PATH = Path(__file__).parents[2] / "tasks/routing/static-routing.task.json"


@pytest.fixture
def printed() -> dict[str, Any]:
    return json.loads(PATH.read_text("utf-8"))


@pytest.fixture
def task() -> Task:
    return load_task(PATH)


def test_it_has_the_fields_of_the_draft_and_no_other(printed):
    assert list(printed) == [
        "task_name",
        "intents",
        "topology",
        "startup_configs",
        "ground_truth_configs",
        "ground_truth_reasoning",
        "testcases",
    ]
    assert list(printed["topology"]) == ["nodes", "links"]
    forms = [{"name", "expected_result"}, {"name", "device", "commands", "expected_output"}]
    assert [one for one in printed["testcases"] if set(one) not in forms] == []


def test_it_says_what_the_draft_prints(printed):
    assert printed["topology"] == {
        "nodes": ["NewYork", "Washington"],
        "links": ["NewYork S0/0 <-> Washington S0/0 ", "NewYork S0/1 <-> Washington S0/1"],
    }
    assert printed["ground_truth_configs"]["NewYork"] == [
        "ip route 2.2.2.0 255.255.255.252 192.168.1.2",
        "ip route 2.2.2.0 255.255.255.252 192.168.2.2 100",
    ]
    assert printed["testcases"][0] == {
        "name": "Static Route from NewYork to Washington",
        "expected_result": {"protocol": "static", "next_hop": "192.168.1.2"},
    }
    beginning = "!\r\nversion 12.4\r\nservice timestamps debug datetime msec\r\n"
    assert [text for text in printed["startup_configs"].values() if not text.startswith(beginning)] == []


def test_it_is_about_the_devices_of_the_draft(task):
    assert [task.network.platform_of(node.name) for node in task.network.topology.nodes] == ["cisco_ios", "cisco_ios"]


def test_a_backup_is_looked_for_where_it_waits_and_a_primary_where_packets_are_forwarded(task):
    assert [testcase.kind for testcase in task.payload.testcases[:4]] == ["route", "config", "route", "config"]


def test_its_ground_truth_is_recorded(task):
    assert TruthStore.around(PATH.parent, root=PATH.parents[1]).load(task) is not None
