"""Troubleshooting with faults that no command repairs: a right ticket ends them, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.families.troubleshoot import TroubleshootFamily
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.stage import Stage

SMALL = {"shapes": ("line",), "size": "1", "hosts": "1", "level": "1", "names": "plain", "services": (), "healthy": 0.0}
OSPF = {**SMALL, "routings": ("ospf",), "platforms": ("frr",), "handover": True}


def drawn(**parameters: Any) -> Task:
    return TroubleshootGenerator().draw(TroubleshootParameters.model_validate(parameters), seed=2, index=0)


class Engineer:
    """Names the right causes, then calls ``repair`` with them."""

    info = AgentInfo(id="engineer", strategy="engineer")

    def __init__(self, task: Task, repair: Any, *, before: Any = lambda _: None) -> None:
        self.causes = [
            {"resource_id": one.resources[0], "fault_type": one.fault_type} for one in diagnose_of(task).causes
        ]
        self.repair, self.before = repair, before

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.before(ani)
        ani.call("submit-diagnosis", {"diagnosis": "a cable"})
        self.before(ani)
        ani.call("submit-answer", {"is_anomaly": True, "root_causes": self.causes})
        self.repair(ani, self.causes)
        return Submission()


def ticket(ani: Ani, cause: dict[str, str], **others: str) -> dict[str, Any]:
    return ani.call("open-ticket", {**cause, "evidence": "no carrier", **others})


def worked(task: Task, agent: Any) -> tuple[TrialRecord, dict[str, float | None]]:
    with Stage(task) as stage:
        stage.work(agent)
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    scores = apply_scorers(record, TroubleshootFamily.scorers, where="worker")
    return record, {score.metric: score.value for score in scores}


@pytest.mark.parametrize("fault", ["link-down", "link-multicast-lost", "node-crashed"])
def test_the_oracle_hands_over_what_no_command_repairs(fault: str) -> None:
    record, scores = worked(drawn(**OSPF, faults=(fault,)), Oracle())
    assert {name: scores[name] for name in TroubleshootFamily.pass_marks} == TroubleshootFamily.pass_marks
    assert scores["blast_radius"] == 0
    (opened,) = record.other["tickets"]
    assert opened["outcome"] == "mended"
    assert record.other["open_faults"] == ()
    assert record.watch is not None
    assert record.watch.wrong_before
    assert not record.watch.wrong_after


def test_a_wrong_ticket_mends_nothing_and_counts_as_a_needless_change() -> None:
    task = drawn(**OSPF, faults=("link-down",))
    seen: list[Any] = []

    def repair(ani: Ani, causes: list[dict[str, str]]) -> None:
        seen.append(ticket(ani, causes[0], fault_type="link-slow"))
        seen.append(ticket(ani, causes[0], resource_id="node/nothing"))

    record, scores = worked(task, Engineer(task, repair))
    # a wrong one and a right one are answered alike
    assert seen == [{"ticket": 1}, {"ticket": 2}]
    assert [one["outcome"] for one in record.other["tickets"]] == ["nothing-found"] * 2
    assert record.other["open_faults"] == ("link-down",)
    assert scores["blast_radius"] == 2
    assert (scores["root_cause"], scores["handed_over"], scores["correctness"]) == (1.0, 0.0, 0.0)


def test_a_ticket_is_refused_before_the_answer_and_repeated_without_harm() -> None:
    task = drawn(**OSPF, faults=("link-down",))
    refused: list[str] = []

    def before(ani: Ani) -> None:
        with pytest.raises(AniError) as caught:
            ticket(ani, {"resource_id": "node/r1", "fault_type": "link-down"})
        refused.append(str(caught.value))

    def repair(ani: Ani, causes: list[dict[str, str]]) -> None:
        for _ in range(2):
            ticket(ani, causes[0])

    record, scores = worked(task, Engineer(task, repair, before=before))
    assert "nothing may be changed until 'submit-answer' is called" in refused[0]
    assert "no device answers after 'submit-diagnosis'" in refused[1]
    assert [one["outcome"] for one in record.other["tickets"]] == ["mended"] * 2
    assert scores["handed_over"] == scores["correctness"] == 1.0


def test_what_no_flow_shows_must_be_handed_over_too() -> None:
    task = drawn(**{**OSPF, "shapes": ("ring",)}, faults=("link-down",))
    _, scores = worked(task, Engineer(task, lambda *_: None))
    assert (scores["root_cause"], scores["correctness"], scores["handed_over"]) == (1.0, 1.0, 0.0)


def shut(task: Task, *, faulty: bool) -> Any:
    """A repair that shuts down an end of the faulty cable, or of another one between routers."""
    place = diagnose_of(task).faults[0].parameters
    cables = [
        link.endpoints
        for link in diagnose_of(task).topology.links
        if all(diagnose_of(task).platform_of(end.node) == "frr" for end in link.endpoints)
    ]
    end = next(
        one
        for one, _ in cables
        if (((one.node, one.interface) in _ends(place)) is faulty) and (faulty or one.node != place["node"])
    )
    return lambda ani, _: ani.update_cfg(end.node, [f"interface {end.interface}", "shutdown"])


def _ends(place: Any) -> set[tuple[str, str]]:
    return {(place["node"], place["interface"]), (place["peer_node"], place["peer_interface"])}


@pytest.mark.parametrize("fault", ["link-lossy", "link-data-lost"])
def test_traffic_that_is_taken_off_a_cable_ends_its_fault(fault: str) -> None:
    task = drawn(**{**OSPF, "shapes": ("ring",)}, faults=(fault,))
    record, scores = worked(task, Engineer(task, shut(task, faulty=True)))
    assert (record.other["mitigated"], record.other["open_faults"]) == ((fault,), ())
    assert {name: scores[name] for name in TroubleshootFamily.pass_marks} == TroubleshootFamily.pass_marks


@pytest.mark.parametrize("acts", [False, True])
def test_a_cable_that_is_still_used_is_not_relieved(acts: bool) -> None:
    task = drawn(**{**OSPF, "shapes": ("ring",)}, faults=("link-lossy",))
    record, scores = worked(task, Engineer(task, shut(task, faulty=False) if acts else lambda *_: None))
    assert (record.other["mitigated"], record.other["open_faults"]) == ((), ("link-lossy",))
    assert scores["handed_over"] == 0.0


def test_a_cable_that_its_fault_has_relieved_must_be_handed_over() -> None:
    task = drawn(**{**OSPF, "shapes": ("ring",)}, faults=("link-multicast-lost",))
    record, scores = worked(task, Engineer(task, shut(task, faulty=True)))
    assert (record.other["mitigated"], scores["handed_over"]) == ((), 0.0)


def test_commands_repair_the_rest_and_a_ticket_for_that_mends_nothing() -> None:
    task = drawn(**{**OSPF, "level": "1"}, faults=("ospf-timers-wrong",))
    record, scores = worked(task, Engineer(task, lambda ani, causes: ticket(ani, causes[0])))
    assert [one["outcome"] for one in record.other["tickets"]] == ["not-theirs"]
    assert (scores["handed_over"], scores["correctness"], scores["blast_radius"]) == (1.0, 0.0, 0.0)


def test_without_handover_no_ticket_is_offered() -> None:
    task = drawn(**{**OSPF, "handover": False}, faults=("ospf-timers-wrong",))
    brief = TroubleshootFamily().brief(task)
    assert "open-ticket" not in {one.name for one in brief.methods}
    assert "open-ticket" not in brief.model_dump_json()
