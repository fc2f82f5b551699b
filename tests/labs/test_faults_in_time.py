"""Faults that begin, are over and come again while an agent works, by the lab's clock; all of them are the truth."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.troubleshoot import TroubleshootFamily
from pytest_netbench.faults.cables import has_carrier
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.schedule import Schedule
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage

SMALL = {"shapes": ("ring",), "size": "1", "hosts": "1", "level": "1", "names": "plain", "services": (), "healthy": 0.0}
OSPF = {**SMALL, "routings": ("ospf",), "platforms": ("frr",), "faults": ("link-down",)}
CALLS = Settings(clock="calls")
LATE_S = 12.0
"""Lab seconds by which a change may be late: two looks at a time scale of 20, on a busy machine."""


def scheduled(task: Task, **when: float) -> Task:
    """The task with its one fault at times."""
    faults = tuple(one.model_copy(update={"when": Schedule(**when)}) for one in diagnose_of(task).faults)
    return task.with_payload(faults=faults, period_s=400.0)


@pytest.fixture(scope="module")
def diagnosis() -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(OSPF), seed=2, index=0)


@pytest.fixture(scope="module")
def repair() -> Task:
    parameters = TroubleshootParameters.model_validate({**OSPF, "handover": True})
    return TroubleshootGenerator().draw(parameters, seed=2, index=0)


class Watcher:
    """Notes whether the cable is cut, as its device shows it, and then calls ``then``."""

    info = AgentInfo(id="watcher", strategy="watcher")

    def __init__(self, task: Task, *, waits: list[float], then: Any = None) -> None:
        self.waits, self.then = waits, then
        self.end = diagnose_of(task).faults[0].parameters
        self.cut: list[bool] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        for seconds in self.waits:
            ani.call("wait", {"seconds": seconds})
            shown = ani.execute_cmd(self.end["node"], f"show interface {self.end['interface']}")
            self.cut.append("line protocol is down" in shown["output"])
        return self.then(ani) if self.then else Submission()


def watched(task: Task, agent: Watcher) -> TrialRecord:
    with Stage(task, CALLS) as stage:
        stage.work(agent)
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    return record


def scores_of(record: TrialRecord, family: Any) -> dict[str, float | None]:
    return {one.metric: one.value for one in apply_scorers(record, family.scorers, where="worker")}


def test_a_fault_begins_is_over_and_comes_again_by_the_clock_of_the_lab(diagnosis: Task) -> None:
    task = scheduled(diagnosis, begins_s=60, lasts_s=60, every_s=120)
    agent = Watcher(task, waits=[20, 60, 55, 55, 55])
    record = watched(task, agent)
    assert agent.cut == [False, True, False, True, False]
    happened = [(one["what"], one["lab_s"]) for one in record.other["happened"]]
    assert [what for what, _ in happened][:3] == ["begins", "is over", "begins"]
    for (_, lab_s), due_s in zip(happened, (60, 120, 180), strict=False):
        assert due_s <= lab_s <= due_s + LATE_S, happened


def test_the_cable_itself_is_cut_and_whole_again(diagnosis: Task) -> None:
    task = scheduled(diagnosis, begins_s=20, lasts_s=60)
    place = diagnose_of(task).faults[0].parameters
    with Stage(task) as stage:
        assert stage.lab is not None
        stage.scene.observe()
        scene: Any = stage.scene
        assert has_carrier(stage.lab, place["node"], place["interface"])
        scene.bring_all()
        assert not has_carrier(stage.lab, place["node"], place["interface"])
        scene._timetable.wind_up()
        assert has_carrier(stage.lab, place["node"], place["interface"])


@pytest.mark.parametrize("when", [{"begins_s": 200}, {"lasts_s": 60}, {"begins_s": 50, "lasts_s": 60}])
def test_what_was_wrong_at_any_time_is_the_truth_and_healthy_is_a_wrong_answer(
    diagnosis: Task, when: dict[str, float]
) -> None:
    task = scheduled(diagnosis, **when)

    def answered(*causes: dict[str, str]) -> float | None:
        def then(ani: Ani) -> Submission:
            ani.call("submit-diagnosis", {"diagnosis": "a cable"})
            return Submission(answer={"is_anomaly": bool(causes), "root_causes": list(causes)})

        return scores_of(watched(task, Watcher(task, waits=[], then=then)), DiagnoseFamily)["root_cause"]

    (cause,) = diagnose_of(task).causes
    assert answered({"resource_id": cause.resources[0], "fault_type": "link-down"}) == 1.0
    assert answered() == 0.0


@pytest.mark.parametrize(
    ("when", "must"), [({"lasts_s": 60}, False), ({"begins_s": 40}, True), ({"lasts_s": 60, "every_s": 120}, True)]
)
def test_only_what_does_not_heal_must_be_handed_over(repair: Task, when: dict[str, float], must: bool) -> None:
    task = scheduled(repair, **when)
    (cause,) = diagnose_of(task).causes
    named = {"resource_id": cause.resources[0], "fault_type": "link-down"}

    def then(ani: Ani) -> Submission:
        ani.call("submit-diagnosis", {"diagnosis": "a cable"})
        ani.call("submit-answer", {"is_anomaly": True, "root_causes": [named]})
        return Submission()

    record = watched(task, Watcher(task, waits=[], then=then))
    assert record.other["open_faults"] == (("link-down",) if must else ())
    scores = scores_of(record, TroubleshootFamily)
    assert scores["handed_over"] == (0.0 if must else 1.0)


def test_a_ticket_ends_what_comes_and_goes_for_good(repair: Task) -> None:
    task = scheduled(repair, begins_s=30, lasts_s=40, every_s=80)
    with Stage(task, CALLS) as stage:
        stage.work(Oracle())
        record = stage.evaluate()
    scores = scores_of(record, TroubleshootFamily)
    assert {name: scores[name] for name in TroubleshootFamily.pass_marks} == TroubleshootFamily.pass_marks
    assert record.other["open_faults"] == ()


def test_a_draw_with_faults_in_time_is_proved_and_healthy_ones_have_the_same_brief() -> None:
    parameters = DiagnoseParameters.model_validate(
        {**OSPF, "timing": "drawn", "faults": ("link-lossy",), "healthy": 0.5}
    )
    tasks = [DiagnoseGenerator().draw(parameters, seed=4, index=index) for index in range(12)]
    assert {bool(diagnose_of(one).faults) for one in tasks} == {True, False}
    assert all("All counts that is wrong at any time" in DiagnoseFamily().brief(one).intents[0] for one in tasks)
    timed = next(one for one in tasks if any(fault.when for fault in diagnose_of(one).faults))
    assert selftest(timed, extent=Extent(repeats=1)).problems == ()
