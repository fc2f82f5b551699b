"""A trial on a real network gives the same result in this process and, sent as JSON, in a fresh interpreter."""

from __future__ import annotations

from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import Draw, Store, TrialSpec, execute
from tests.support.trial_specs import ROOT, elsewhere, without_times

TASK = ROOT / "tasks/routing/default-route-for-a-shop.task.yaml"
STORE = Store(folder=str(TASK.parent), root=str(ROOT))
MEASURED = ("latency", "netarena.latency", "outage")


def test_the_result_of_a_task_file_is_the_same_in_a_fresh_interpreter():
    spec = TrialSpec(task=load_task(TASK), agent="oracle", agents=str(ROOT), store=STORE)
    here, there = execute(spec), elsewhere(spec)
    assert here.status == there.status == "passed", here.error or there.error
    assert here.record.truth_configs is not None
    assert _undisguised(without_times(here)) == _undisguised(without_times(there))


def _undisguised(result):
    """Ports, sizes and payloads of probes are drawn anew by each trial; these fields show them."""
    cases = [{**one, "command": "", "actual": ""} for one in result.pop("testcase_results")]
    return cases, result


def test_the_verdict_on_a_draw_is_the_same_in_a_fresh_interpreter():
    draw = Draw.read("repair-routing:level=1,labels=DI,subnets=2,seed=7")
    spec = TrialSpec(draw=draw, agent="oracle", agents=str(ROOT), store=STORE)
    here, there = execute(spec), elsewhere(spec)
    assert here.status == there.status == "passed", here.error or there.error
    assert here.task_digest == there.task_digest
    values = [
        {one.metric: one.value for one in result.scores if one.metric not in MEASURED} for result in (here, there)
    ]
    assert values[0] == values[1]
    assert values[0]["correctness"] == 1.0
