"""Repairs at levels 4 and 5: what no command repairs is handed over by a ticket, and flows judge."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.repair import RepairFamily
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage

LEVEL = {
    "level": "4",
    "shapes": ("line",),
    "routings": ("ospf",),
    "platforms": ("frr",),
    "size": "1",
    "hosts": "1",
    "names": "plain",
    "services": (),
}


def drawn(**parameters: Any) -> Task:
    return RepairNetwork().draw(RepairNetworkParameters.model_validate({**LEVEL, **parameters}), seed=1, index=0)


class Caller:
    """Opens tickets, and nothing else."""

    info = AgentInfo(id="caller", strategy="caller")

    def __init__(self, *tickets: dict[str, str]) -> None:
        self.tickets = tickets
        self.answers: list[Any] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.answers = [ani.call("open-ticket", {**one, "evidence": "no carrier"}) for one in self.tickets]
        return Submission()


def worked(task: Task, agent: Any) -> tuple[TrialRecord, dict[str, float | None]]:
    with Stage(task) as stage:
        stage.work(agent)
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    scores = apply_scorers(record, RepairFamily.scorers, where="worker")
    return record, {score.metric: score.value for score in scores}


@pytest.mark.parametrize("fault", ["link-down", "link-multicast-lost", "interface-detached", "ospf-area-wrong"])
def test_the_oracle_repairs_or_hands_over_and_nop_does_not(fault: str) -> None:
    task = drawn(faults=(fault,))
    record, scores = worked(task, Oracle())
    assert (scores["correctness"], scores["safety"], scores["blast_radius"]) == (1.0, 1.0, 0.0)
    assert record.other["open_faults"] == ()
    assert record.watch is not None
    assert record.watch.wrong_before
    _, scores = worked(task, Nop())
    assert scores["correctness"] == 0.0


def test_a_draw_of_level_5_is_proved() -> None:
    assert selftest(drawn(level="5", size="2"), extent=Extent(repeats=1)).problems == ()


def test_a_wrong_ticket_mends_nothing_and_is_a_needless_change() -> None:
    task = drawn(faults=("link-down",))
    (cause,) = repair_of(task).causes
    right = {"resource_id": cause.resources[0], "fault_type": "link-down"}
    agent = Caller({**right, "fault_type": "link-slow"}, {**right, "resource_id": "node/nothing"})
    record, scores = worked(task, agent)
    assert agent.answers == [{"ticket": 1}, {"ticket": 2}]
    assert record.other["open_faults"] == ("link-down",)
    assert (scores["correctness"], scores["blast_radius"]) == (0.0, 2.0)
    _, scores = worked(task, Caller(right))
    assert (scores["correctness"], scores["blast_radius"]) == (1.0, 0.0)


def test_the_brief_says_what_can_be_handed_over_and_not_what_is_wrong() -> None:
    texts = set()
    for fault in ("link-down", "link-multicast-lost"):
        brief = RepairFamily().brief(drawn(faults=(fault,)))
        assert "open-ticket" in {one.name for one in brief.methods}
        assert "foreign" in set(brief.control.values()) or not brief.control
        texts.add(brief.intents[0].partition("These connections")[0])
    (text,) = texts
    assert "- link-delayed, at a link: " in text
    assert "open-ticket" not in RepairFamily().brief(drawn(level="1")).model_dump_json()
