"""Why trials on real networks failed: one played trial for each reason, and verdicts on how the agent worked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.repair_network import RepairNetwork
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.process import Process
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialResult
from pytest_netbench.trial.execution import evaluated
from pytest_netbench.trial.stage import Stage

SMALL = {"shapes": ("line",), "size": "1", "hosts": "1", "level": "1", "names": "plain", "services": ()}
ROUTER = {**SMALL, "faults": ("static-next-hop-wrong",), "routings": ("static",), "platforms": ("cisco_ios",)}
TWO = {**ROUTER, "faults": ("static-next-hop-wrong", "host-gateway-wrong"), "level": "2"}
ANOTHER = "access-list-order"
"""A fault type that is not there."""
Work = Callable[[Diagnose, Ani], Any]


class Player:
    """Plays a part; what it returns is its answer."""

    info = AgentInfo(id="player", strategy="player")

    def __init__(self, payload: Any, work: Work) -> None:
        self._payload, self._work = payload, work

    def run(self, _brief: Brief, ani: Ani) -> Submission:
        return Submission(answer=self._work(self._payload, ani))


def drawn(family: str, healthy: float = 0.0, **parameters: Any) -> Task:
    if family == "repair":
        chosen = RepairNetwork().parameters.model_validate(parameters)
        return RepairNetwork().draw(chosen, seed=2, index=0)
    if family == "diagnose":
        return DiagnoseGenerator().draw(
            DiagnoseParameters.model_validate({**parameters, "healthy": healthy}), seed=2, index=0
        )
    chosen = TroubleshootParameters.model_validate({**parameters, "healthy": healthy})
    return TroubleshootGenerator().draw(chosen, seed=2, index=0)


def played(task: Task, work: Work, **budget: float) -> tuple[TrialResult, Process]:
    payload = repair_of(task) if task.family == "repair" else diagnose_of(task)
    with Stage(task) as stage:
        stage.work(Player(payload, work), budget=budget or None)
        result = evaluated(stage)
    assert result.process is not None
    return result, result.process


def answer(*named: tuple[str, str]) -> dict[str, Any]:
    return {"is_anomaly": bool(named), "root_causes": [{"resource_id": r, "fault_type": t} for r, t in named]}


def right(payload: Diagnose) -> list[tuple[str, str]]:
    return [(one.resources[0], one.fault_type) for one in payload.causes]


def the_node(payload: Any, fault: int = 0) -> str:
    return str(payload.faults[fault].parameters["node"])


def another_router(payload: Any) -> str:
    platforms = {node.name: payload.platform_of(node.name) for node in payload.topology.nodes}
    return next(name for name, one in platforms.items() if one == "cisco_ios" and name != the_node(payload))


def reads_all(payload: Any, ani: Ani) -> None:
    for node in payload.topology.nodes:
        if payload.platform_of(node.name) == "cisco_ios":
            ani.execute_cmd(node.name, "show run")


# the answer


def says_false_alarm(payload: Diagnose, _: Ani) -> dict[str, Any]:
    return answer((payload.resources[0], payload.fault_types[0]))


def names_another_type(payload: Diagnose, _: Ani) -> dict[str, Any]:
    ((place, _),) = right(payload)
    return answer((place, ANOTHER))


def names_another_place(payload: Diagnose, _: Ani) -> dict[str, Any]:
    ((place, kind),) = right(payload)
    return answer((next(one for one in payload.resources if one != place), kind))


def stranger(payload: Diagnose) -> tuple[str, str]:
    ((place, _),) = right(payload)
    return next(one for one in payload.resources if one != place), ANOTHER


def looks_and_names_a_stranger(payload: Diagnose, ani: Ani) -> dict[str, Any]:
    reads_all(payload, ani)
    return answer(stranger(payload))


def names_a_stranger(payload: Diagnose, _: Ani) -> dict[str, Any]:
    return answer(stranger(payload))


def says_that_all_is_well(_payload: Diagnose, _: Ani) -> dict[str, Any]:
    return answer()


def names_too_much(payload: Diagnose, _: Ani) -> dict[str, Any]:
    return answer(*right(payload), stranger(payload))


def says_nothing(_payload: Diagnose, _: Ani) -> None:
    return None


def asks_for_ever(payload: Diagnose, ani: Ani) -> None:
    while True:
        ani.execute_cmd(another_router(payload), "show clock")


@pytest.mark.parametrize(
    ("healthy", "work", "budget", "reason", "completion"),
    [
        (1.0, says_false_alarm, {}, "false-alarm", "submitted-early"),
        (0.0, names_another_type, {}, "wrong-type", "submitted-early"),
        (0.0, names_another_place, {}, "wrong-place", "submitted-early"),
        (0.0, looks_and_names_a_stranger, {}, "seen-not-named", "submitted-early"),
        (0.0, names_a_stranger, {}, "wrong-cause", "submitted-early"),
        (0.0, says_that_all_is_well, {}, "all-clear", "submitted-early"),
        (0.0, names_too_much, {}, "surplus-cause", "submitted-early"),
        (0.0, says_nothing, {}, "no-answer", "submitted-early"),
        (0.0, asks_for_ever, {"calls": 3}, "out-of-budget-searching", "limit"),
    ],
)
def test_a_wrong_answer_has_a_reason(healthy, work, budget, reason, completion) -> None:
    result, process = played(drawn("diagnose", healthy, **ROUTER), work, **budget)
    assert (result.status, process.reason, process.completion) == ("failed", reason, completion)
    assert [one.shown_by is not None for one in process.causes] == ([] if healthy else [reason == "seen-not-named"])
    assert process.ended_by == ("calls" if budget else None)
    assert process.stopped_early is not bool(budget)
    assert process.repeated == (2 if budget else 0)


def test_a_cause_that_is_not_named_and_not_shown_is_told_from_one_that_is_named() -> None:
    def names_one(payload: Diagnose, _: Ani) -> dict[str, Any]:
        return answer(right(payload)[0])

    _, process = played(drawn("diagnose", **TWO), names_one)
    assert process.reason == "incomplete"
    assert sorted((one.named, one.shown_by) for one in process.causes) == [(False, None), (True, None)]
    assert (process.named_unseen, process.seen_unnamed) == (1, 0)


# the repair


def answered(payload: Diagnose, ani: Ani) -> None:
    ani.call("submit-diagnosis", {"diagnosis": "I know"})
    ani.call("submit-answer", answer(*right(payload)))


def repaired(payload: Any, ani: Ani, *numbers: int) -> None:
    for number, node, commands in repairs(payload.faults):
        if not numbers or number in numbers:
            ani.update_cfg(node, list(commands))


def does_nothing(_payload: Diagnose, _: Ani) -> None:
    return None


def types_nonsense(payload: Diagnose, ani: Ani) -> None:
    ani.update_cfg(the_node(payload), ["mend everything"])


def takes_it_back(payload: Diagnose, ani: Ani) -> None:
    repaired(payload, ani)
    ((_, node, commands),) = repairs(payload.faults)
    ani.update_cfg(node, [f"no {line}" for line in commands if not line.startswith("no ")])


def changes_without_looking(payload: Diagnose, ani: Ani) -> None:
    ani.update_cfg(the_node(payload), ["ip route 192.0.2.0 255.255.255.0 Null0"])


def changes_the_wrong_thing(payload: Diagnose, ani: Ani) -> None:
    changes_without_looking(payload, ani)
    ani.execute_cmd(the_node(payload), "show ip route")


def leaves_a_refused_command(payload: Diagnose, ani: Ani) -> None:
    ani.update_cfg(the_node(payload), ["ip route 192.0.2.0 255.255.255.0 Null0", "ip rout 10.0.0.0 mask"])
    ani.execute_cmd(the_node(payload), "show ip route")


def changes_for_ever(payload: Diagnose, ani: Ani) -> None:
    while True:
        changes_without_looking(payload, ani)


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (does_nothing, "changed-nothing"),
        (types_nonsense, "changes-refused"),
        (takes_it_back, "lost-again"),
        (changes_without_looking, "not-verified"),
        (changes_the_wrong_thing, "wrong-change"),
        (leaves_a_refused_command, "refused-command-left"),
        (changes_for_ever, "out-of-budget-changing"),
    ],
)
def test_a_right_answer_without_a_repair_has_a_reason(work: Work, reason: str) -> None:
    def all_of_it(payload: Diagnose, ani: Ani) -> None:
        ani.get_running_cfg(the_node(payload))
        answered(payload, ani)
        work(payload, ani)

    budget = {"calls": 6} if work is changes_for_ever else {}
    result, process = played(drawn("troubleshoot", **ROUTER), all_of_it, **budget)
    assert (result.status, result.score("root_cause"), process.reason) == ("failed", 1.0, reason)
    assert [(one.shown_by, one.named) for one in process.causes] == [(1, True)]
    assert bool(process.undone) is (reason == "lost-again")
    assert process.unverified is (reason in {"lost-again", "not-verified", "out-of-budget-changing"})
    assert bool(process.errors) is (reason in {"changes-refused", "refused-command-left"})
    assert process.changed_unread == ()


def test_what_was_right_and_is_wrong_at_the_end_was_broken() -> None:
    def breaks(payload: Diagnose, ani: Ani) -> None:
        answered(payload, ani)
        router = next(node.name for node in payload.topology.nodes if payload.platform_of(node.name) == "cisco_ios")
        for port in payload.topology.interfaces(router):
            ani.update_cfg(router, [f"interface {port}", " shutdown"])

    _, process = played(drawn("troubleshoot", 1.0, **ROUTER), breaks)
    assert (process.reason, process.causes, len(process.changed_unread)) == ("broke-something", (), 1)


def test_a_part_of_a_repair_is_told_from_none() -> None:
    def mends_one(payload: Diagnose, ani: Ani) -> None:
        answered(payload, ani)
        repaired(payload, ani, 0)
        ani.execute_cmd(the_node(payload), "ip route")

    task = drawn("troubleshoot", **{**TWO, "faults": ("host-gateway-wrong", "host-route-blackhole"), "hosts": "2"})
    assert played(task, mends_one)[1].reason == "partly-done"


def test_a_search_without_a_find_is_told_from_a_wrong_change() -> None:
    def searches(payload: Any, ani: Ani) -> None:
        ani.execute_cmd(the_node(payload), "show clock")
        ani.update_cfg(the_node(payload), ["ip route 192.0.2.0 255.255.255.0 Null0"])
        ani.execute_cmd(the_node(payload), "show clock")

    def finds(payload: Any, ani: Ani) -> None:
        reads_all(payload, ani)
        searches(payload, ani)

    task = drawn("repair", **ROUTER)
    assert [played(task, work)[1].reason for work in (searches, finds)] == ["cause-not-found", "wrong-change"]


def test_a_trial_that_passes_has_verdicts_and_no_reason() -> None:
    def works(payload: Diagnose, ani: Ani) -> None:
        ani.execute_cmd(the_node(payload), "show running-config | section ip route")
        ani.execute_cmd(the_node(payload), "show nonsense")
        answered(payload, ani)
        repaired(payload, ani)
        ani.execute_cmd(the_node(payload), "show ip route")

    result, process = played(drawn("troubleshoot", **ROUTER), works)
    assert (result.status, process.completion, process.reason) == ("passed", "correct", None)
    assert [(one.shown_by, one.named) for one in process.causes] == [(1, True)]
    assert (process.errors, process.unverified, process.changed_unread) == (1, False, ())
    assert process.actions == {"look": 3, "change": 1, "answer": 2}
