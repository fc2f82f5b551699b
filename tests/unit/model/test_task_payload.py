"""A task: what all tasks share, and the payload of its family, flat in JSON."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.model.configure import Configure, configuration_of
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from tests.support.memory_trial import task_of
from tests.support.records import record


def test_the_json_form_of_a_task_is_flat_and_reads_back_as_the_same_task():
    task = task_of(notes="for authors")
    flat = json.loads(task.model_dump_json())
    assert "payload" not in flat
    assert flat["testcases"][0]["name"] == "web"
    assert flat["task_name"] == "Reach the web server"
    assert Task.model_validate_json(task.model_dump_json(by_alias=True)) == task


def test_a_record_keeps_the_payload_of_its_task():
    kept = TrialRecord.model_validate_json(record(task=task_of()).model_dump_json())
    assert isinstance(kept.task.payload, Configure)
    assert kept.task == task_of()


def test_mistakes_in_a_payload_are_told_by_the_names_of_the_flat_form():
    with pytest.raises(ValidationError) as caught:
        task_of(intents=[], colour="red")
    assert {error["loc"] for error in caught.value.errors()} == {("intents",), ("colour",)}


def test_the_digest_ignores_remarks_and_nothing_else():
    digest = task_of().digest
    assert task_of(notes="x", accepted_survivors={"edge": {"no deny tcp 80 any": "why"}}).digest == digest
    assert task_of(tags=["x"]).digest != digest
    assert task_of(health_checks=[task_of().payload.testcases[0].model_dump(by_alias=True)]).digest != digest


def test_a_family_that_is_not_installed_is_named_with_those_that_are():
    with pytest.raises(UsageError, match=r"unknown family 'negotiate' \(known: configure, "):
        task_of(family="negotiate")


def test_a_task_without_a_network_says_so():
    class Question(Payload):
        question: str

    task = task_of().model_copy(update={"payload": Question(question="?"), "family": "riddle"})
    assert not task.has_network
    assert task.size is None
    with pytest.raises(UsageError, match="task reach of family 'riddle' has no network"):
        _ = task.network
    with pytest.raises(UsageError, match="has no intents to configure"):
        configuration_of(task)
    assert json.loads(task.model_dump_json())["question"] == "?"


def test_other_values_of_a_payload_make_a_copy():
    task = task_of()
    assert task.with_payload(platform="linux").network.platform == "linux"
    assert task.network.platform == "memory"
