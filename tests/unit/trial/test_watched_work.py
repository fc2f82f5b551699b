"""A scene that watches an agent's work is told of each change, and its findings are in the record."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.evaluation.monitor.monitor import Monitor
from pytest_netbench.families.configure import ConfigureFamily
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.model.trial import Brief, Findings, Submission, TrialRecord
from pytest_netbench.model.watch import WatchedFlow
from pytest_netbench.trial import Settings, Stage
from tests.support.memory_trial import WORK, Own, task_of

pytestmark = pytest.mark.usefixtures("memory_parts")
FLOWS = [
    WatchedFlow(source="branch", target="web", address="10.0.2.10"),
    WatchedFlow(source="branch", target="web", address="10.0.2.10", protocol="tcp", port=80),
]


class WatchingScene(NetworkScene):
    def observe(self) -> None:
        super().observe()
        self.watcher = Monitor(self.lab, FLOWS)
        self.watcher.begin()

    def evaluate(self, submission: Submission) -> Findings:
        watch = self.watcher.end()
        return super().evaluate(submission).model_copy(update={"watch": watch})


class WatchingFamily(ConfigureFamily):
    def prepare(self, task, deploy):
        return WatchingScene(deploy())


def record_of(work) -> TrialRecord:
    stage = Stage(task_of(), Settings(backend="memory", time_scale=100.0))
    stage.family = WatchingFamily()
    with stage:
        stage.work(Own(work))
        return stage.evaluate()


def test_each_change_of_the_agent_is_in_the_record():
    def work(_: Brief, ani: Ani) -> Submission:
        ani.get_running_cfg("edge")
        ani.update_cfg("edge", ["deny icmp any any"])
        ani.update_cfg("edge", WORK)
        return Submission()

    watch = record_of(work).watch
    assert watch is not None
    assert watch.wrong_before == (1,)
    assert [(step.number, step.broke, step.mended) for step in watch.steps] == [(1, (0,), ()), (2, (), (1,))]
    assert (watch.wrong_after, watch.changes) == ((0,), 2)


def test_a_record_with_a_watch_survives_json():
    record = record_of(lambda _, ani: ani.update_cfg("edge", WORK) and Submission())
    assert TrialRecord.model_validate_json(record.model_dump_json()).watch == record.watch


class SlowWatcher:
    """Takes longer for each change than the agent has time."""

    @contextmanager
    def changing(self, device, lines, *, at_s):
        yield
        time.sleep(1.0)


class SlowlyWatchedScene(NetworkScene):
    watcher = SlowWatcher()


class SlowlyWatchedFamily(ConfigureFamily):
    def prepare(self, task, deploy):
        return SlowlyWatchedScene(deploy())


def test_an_agent_is_not_given_up_for_the_time_that_it_waited_for_the_evaluation():
    def work(_: Brief, ani: Ani) -> Submission:
        for command in WORK:
            ani.update_cfg("edge", [command])
        return Submission()

    stage = Stage(task_of(), Settings(backend="memory", time_scale=100.0))
    stage.family = SlowlyWatchedFamily()
    with stage:
        done = stage.work(Own(work), budget={"wall_s": 0.8}, grace_s=0.1)
    assert (done.outcome, done.error) == ("done", None)
    assert done.seconds > 2.0
