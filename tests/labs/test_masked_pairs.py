"""Pairs of faults of which one hides the other: nothing shows the second before the first is repaired."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.troubleshoot import TroubleshootFamily
from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage

OSPF = {
    "shapes": ("tree",),
    "routings": ("ospf",),
    "platforms": ("frr",),
    "size": "1",
    "hosts": "1",
    "names": "plain",
    "services": (),
    "pairs": "masked",
}
TIMERS = {**OSPF, "faults": ("port-shutdown", "ospf-timers-wrong")}
GATEWAY = {**OSPF, "faults": ("port-shutdown", "host-gateway-wrong")}


def to_repair(**parameters: Any) -> Task:
    return RepairNetwork().draw(RepairNetworkParameters.model_validate(parameters), seed=1, index=0)


def to_troubleshoot(**parameters: Any) -> Task:
    chosen = TroubleshootParameters.model_validate({**parameters, "healthy": 0.0})
    return TroubleshootGenerator().draw(chosen, seed=1, index=0)


class Engineer:
    """Repairs faults by number, one at a time, and then calls ``then``."""

    info = AgentInfo(id="engineer", strategy="engineer")

    def __init__(self, task: Task, *numbers: int, then: Any = lambda _: None) -> None:
        assert isinstance(task.payload, Faulty)
        self.commands = {number: (node, commands) for number, node, commands in repairs(task.payload.faults)}
        self.numbers, self.then = numbers, then

    def run(self, brief: Brief, ani: Ani) -> Submission:
        for number in self.numbers:
            node, commands = self.commands[number]
            ani.update_cfg(node, list(commands))
        self.then(ani)
        return Submission()


def worked(task: Task, agent: Any) -> TrialRecord:
    with Stage(task) as stage:
        stage.work(agent)
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    return record


@pytest.mark.parametrize("parameters", [TIMERS, GATEWAY], ids=["behind a port", "behind a LAN"])
def test_a_drawn_pair_is_proved_to_be_masked(parameters: dict[str, Any]) -> None:
    report = selftest(to_repair(**parameters), extent=Extent(repeats=1))
    assert report.problems == ()


def test_a_pair_that_is_independent_is_no_masked_one() -> None:
    # with two LANs either of them is all there is
    task = to_repair(**{**GATEWAY, "pairs": "independent", "level": "2", "size": "2"})
    assert isinstance(task.payload, Faulty)
    order = {one.fault: one for one in task.payload.faults}
    faults = (order["host-gateway-wrong"], order["port-shutdown"])
    lans = {one.parameters["node"] for one in faults}
    assert len(lans) == 2
    problems = selftest(task.with_payload(faults=faults, masked=True), extent=Extent(repeats=1)).problems
    assert any("does not hide 'host-gateway-wrong'" in one for one in problems), problems


def test_no_flow_tells_that_the_hidden_fault_was_repaired() -> None:
    task = to_repair(**TIMERS)
    watch = worked(task, Engineer(task, 0)).watch
    assert watch is not None
    assert set(watch.wrong_after) == set(watch.wrong_before)
    both = worked(task, Engineer(task, 1, 0)).watch
    assert both is not None
    assert both.wrong_after == ()


def test_in_mixed_order_devices_are_changed_before_the_answer_which_names_both() -> None:
    task = to_troubleshoot(**TIMERS, order="mixed")
    causes = [{"resource_id": one.resources[0], "fault_type": one.fault_type} for one in diagnose_of(task).causes]

    def then(ani: Ani) -> None:
        ani.call("submit-diagnosis", {"diagnosis": "a port, and timers behind it"})
        ani.call("submit-answer", {"is_anomaly": True, "root_causes": causes})

    record = worked(task, Engineer(task, 1, 0, then=then))
    scores = {one.metric: one.value for one in apply_scorers(record, TroubleshootFamily.scorers, where="worker")}
    assert {name: scores[name] for name in TroubleshootFamily.pass_marks} == TroubleshootFamily.pass_marks
    assert scores["safety"] == 1.0


def test_the_oracle_solves_pairs_in_either_order_and_their_proof_holds() -> None:
    task = to_troubleshoot(**TIMERS, order="mixed")
    record = worked(task, Oracle())
    scores = {one.metric: one.value for one in apply_scorers(record, TroubleshootFamily.scorers, where="worker")}
    assert {name: scores[name] for name in TroubleshootFamily.pass_marks} == TroubleshootFamily.pass_marks
    assert selftest(task, extent=Extent(repeats=1)).problems == ()
