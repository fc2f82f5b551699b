"""Flows in use, on a real network: what breaks between two changes is seen although it is right at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TestcaseResult
from pytest_netbench.trial.stage import Stage

AWAY = "ip route del 10.2.0.0/24"
BACK = "ip route add 10.2.0.0/24 via 10.0.0.2"
TASK = Task.model_validate(
    {
        "task_name": "Keep it working",
        "slug": "keep-it-working",
        "family": "configure",
        "domain": "misc",
        "platform": "linux",
        "intents": [{"text": "The route goes by another way."}],
        "topology": {
            "nodes": [{"name": "a"}, {"name": "b"}],
            "links": [{"endpoints": [{"node": "a", "interface": "eth0"}, {"node": "b", "interface": "eth0"}]}],
        },
        "startup_configs": {
            "a": f"ip addr add 10.0.0.1/24 dev eth0\nip link set eth0 up\n{BACK}\n",
            "b": "ip addr add 10.0.0.2/24 dev eth0\nip addr add 10.2.0.1/24 dev eth0\nip link set eth0 up\n",
        },
        "testcases": [
            {"name": "in use", "kind": "unbroken", "from": "a", "to": "10.2.0.1", "protocol": "tcp", "port": 80},
            {"name": "pinged", "kind": "unbroken", "from": "a", "to": "10.0.0.2"},
        ],
    }
)


class Changes:
    """Sends batches of commands."""

    info = AgentInfo(id="changes", strategy="changes")

    def __init__(self, *batches: Sequence[str]) -> None:
        self.batches = batches

    def run(self, brief: Brief, ani: Ani) -> Submission:
        for batch in self.batches:
            ani.update_cfg("a", batch)
        return Submission()


def results(*batches: Sequence[str]) -> dict[str, TestcaseResult]:
    with Stage(TASK) as stage:
        stage.work(Changes(*batches))
        return {one.name: one for one in stage.evaluate().testcase_results}


def test_a_flow_that_breaks_between_two_changes_fails_and_others_do_not() -> None:
    found = results([AWAY], [BACK])
    assert {name: one.status for name, one in found.items()} == {"in use": "fail", "pinged": "pass"}
    assert found["in use"].actual == f"not delivered after {AWAY!r}"


@pytest.mark.parametrize("batches", [(), ([AWAY, BACK],), (["ip route replace 10.2.0.0/24 via 10.0.0.2 metric 0"],)])
def test_what_works_after_each_change_passes(batches: Sequence[Sequence[str]]) -> None:
    found = results(*batches)
    assert {one.status for one in found.values()} == {"pass"}
    assert {one.actual for one in found.values()} == {"always delivered"}


def test_what_stays_broken_fails_and_is_not_waited_for() -> None:
    began = time.monotonic()
    assert results([AWAY])["in use"].status == "fail"
    assert time.monotonic() - began < 20, "the time that testcases may take is 30 s"


def test_nobody_watches_testcases_that_are_run_without_an_agent() -> None:
    with Stage(TASK) as stage:
        lab = stage.lab
        assert lab is not None
        first, _ = TaskEvaluation(lab).run_testcases(TASK.payload.testcases)
    assert (first.status, first.actual) == ("fail", "nobody watched the agent's work")
