"""The tasks in ``tasks/p4`` on switches that run here: who solves them, and who does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.families.configure import ConfigureFamily
from pytest_netbench.families.proof import Extent
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.platforms.p4 import switch
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.support.task_list import TASKS, p4_files

SETTINGS = Settings(where=TASKS)
of_each_task = pytest.mark.parametrize("path", p4_files(), ids=lambda path: path.name.partition(".")[0])


@pytest.fixture(autouse=True)
def _has_a_switch() -> None:
    if (lack := switch.lack()) is not None:
        pytest.skip(f"{lack[0]} (fix: {lack[1]})")


def attempted(path: Path, agent: object) -> TrialRecord:
    with Stage(load_task(path), SETTINGS) as stage:
        stage.work(agent)
        return stage.evaluate()


def failed(record: TrialRecord) -> set[str]:
    return {one.name for one in record.testcase_results if one.status == "fail"}


@of_each_task
def test_the_oracle_passes_with_the_commands_of_the_record(path: Path) -> None:
    record = attempted(path, Oracle())
    assert failed(record) == set()
    got = {one.metric: one.value for one in apply_scorers(record, ConfigureFamily.scorers, where="worker")}
    assert (got["testcase"], got["command"]) == (1.0, 1.0)


@of_each_task
def test_who_does_nothing_fails_what_the_task_asks_for_and_breaks_nothing(path: Path) -> None:
    record = attempted(path, Nop())
    asked = {one.name for one in record.testcase_results if one.role == "intent"}
    assert failed(record)
    assert failed(record) <= asked


@of_each_task
def test_the_self_test_passes(path: Path) -> None:
    report = selftest(load_task(path), SETTINGS, Extent(repeats=1))
    assert report.problems == ()
