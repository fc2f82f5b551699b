"""Levels 4 and 5: rows of a table that set what is not chosen, and the draws of levels up to 3 as they were."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.faults.reasoning import reference_diagnosis
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.levels import CONFIGURED, CONFIGURED_OF_REPAIRS, HIDDEN, OUTSIDE_IN_FLOWS
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Budget, Task


def drawn(count: int, **parameters: Any) -> list[Task]:
    chosen = DiagnoseParameters.model_validate(parameters)
    return [DiagnoseGenerator().draw(chosen, seed=9, index=index) for index in range(count)]


@pytest.mark.parametrize(("level", "most", "history"), [("4", 1, "short"), ("5", 2, "none")])
def test_a_row_sets_what_is_not_chosen(level: str, most: int, history: str) -> None:
    kinds: Counter[bool] = Counter()
    for task in drawn(60, level=level, healthy=0.0):
        payload = diagnose_of(task)
        assert task.drawn is not None
        assert task.drawn.level == int(level)
        assert len(payload.faults) <= most + sum(fault_of(one.fault).company is not None for one in payload.faults)
        assert payload.history == history
        assert payload.report_truth is not None
        assert len(payload.test_hosts) >= 2
        hosts = {name for group in payload.flows for name in group.sources}
        assert all(payload.topology.controls[name] == "foreign" for name in hosts)
        assert not any(cause.nodes <= hosts for cause in payload.causes)
        kinds.update(one.fault in HIDDEN for one in payload.faults)
    assert kinds[True] / kinds.total() >= 0.4, kinds


def test_what_is_chosen_stays() -> None:
    chosen = DiagnoseParameters.model_validate(
        {"level": "4", "access": "all", "size": "1", "faults": ("ospf-cost-wrong",)}
    )
    assert (chosen.access, str(chosen.size), chosen.faults) == ("all", "1", ("ospf-cost-wrong",))
    assert (chosen.history, chosen.reports) == ("short", "mixed")


def test_faults_that_are_there_all_the_time_can_be_chosen_at_level_5() -> None:
    parameters = {"level": "5", "faults": ("ospf-cost-wrong",)}
    assert DiagnoseParameters.model_validate(parameters).timing == "steady"
    with pytest.raises(ValueError, match="timing=drawn needs a fault of a cable"):
        DiagnoseParameters.model_validate({**parameters, "timing": "drawn"})
    assert DiagnoseParameters.model_validate({"level": "5"}).timing == "drawn"


def test_more_faults_are_hidden_than_are_configured_and_none_is_of_hosts() -> None:
    assert len(HIDDEN) == 21
    assert len(CONFIGURED) == 10
    assert not any(fault_of(name).platforms == ("linux",) for name in (*HIDDEN, *CONFIGURED))


def test_causes_that_cannot_be_told_apart_are_right_together_from_level_4_on() -> None:
    (task,) = drawn(1, level="4", healthy=0.0, faults=("link-lossy",))
    (cause,) = diagnose_of(task).causes
    assert {kind for _, kind in cause.others} == {"link-corrupting"}
    assert {place for place, _ in cause.others} == {*cause.resources}
    (before,) = drawn(1, level="3", healthy=0.0, faults=("link-lossy",))
    assert not diagnose_of(before).equals


def test_an_agent_chooses_from_more_than_is_drawn() -> None:
    (task,) = drawn(1, level="5")
    assert {"host-mask-wrong", "link-corrupting", "link-delayed"} <= {*diagnose_of(task).fault_types}


@pytest.mark.parametrize(
    ("level", "said"), [("4-5", "drawn one at a time"), ("3-4", "drawn one at a time"), ("6", "not within 1-5")]
)
def test_levels_that_do_not_exist_are_refused(level: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        DiagnoseParameters.model_validate({"level": level})


@pytest.mark.parametrize(("level", "most"), [("4", 1), ("5", 2)])
def test_a_repair_has_rows_of_what_flows_show(level: str, most: int) -> None:
    chosen = RepairNetworkParameters.model_validate({"level": level})
    assert (chosen.handover, chosen.access) == (True, "managed")
    kinds: Counter[str] = Counter()
    for index in range(60):
        task = RepairNetwork().draw(chosen, seed=9, index=index)
        payload = repair_of(task)
        assert task.drawn is not None
        assert task.drawn.level == int(level)
        assert 1 <= len(payload.faults) <= most
        assert {"link-down", "link-delayed"} <= {*payload.tickets}
        hosts = {name for group in payload.flows for name in group.sources}
        assert all(payload.topology.controls[name] == "foreign" for name in hosts)
        kinds.update(one.fault for one in payload.faults)
    assert set(kinds) <= {*OUTSIDE_IN_FLOWS, *CONFIGURED_OF_REPAIRS}
    assert sum(kinds[name] for name in OUTSIDE_IN_FLOWS) >= 0.35 * kinds.total(), kinds


def test_what_no_command_repairs_must_be_handed_over() -> None:
    with pytest.raises(ValidationError, match="link-down: no command repairs it; give handover=true"):
        RepairNetworkParameters.model_validate({"faults": ("link-down",)})
    with pytest.raises(ValidationError, match="a fault that can be drawn"):
        RepairNetworkParameters.model_validate({"faults": ("link-lossy",), "handover": True})


def test_troubleshoot_hands_over_what_is_hidden_and_its_other_faults_are_repaired_by_commands() -> None:
    chosen = TroubleshootParameters.model_validate({"level": "4", "healthy": 0.0})
    assert chosen.handover
    assert [fault_of(name).repairable for name in chosen.faults] == [False] * 20 + [True] * 10
    assert all(fault_of(name).shown_by == "flows" for name in chosen.faults)
    drawn = [diagnose_of(TroubleshootGenerator().draw(chosen, seed=9, index=index)) for index in range(40)]
    assert all(one.tickets and one.history == "short" and one.test_hosts for one in drawn)
    assert 15 <= sum(not fault_of(one.faults[0].fault).repairable for one in drawn) <= 35


def test_tests_start_at_the_ends_of_a_demand() -> None:
    for task in drawn(20, level="4"):
        payload = diagnose_of(task)
        inside = [one for one in payload.demands if {one.source, one.target} <= {*payload.test_hosts}]
        assert inside or len(payload.demands) == 0


def test_four_faults_in_the_words_of_nika_are_refused() -> None:
    with pytest.raises(UsageError, match="at most 3 things are wrong at the same time"):
        read_series("diagnose:n=1,faults=4")


def test_with_less_access_each_fault_has_an_observation_that_needs_no_other() -> None:
    for task in drawn(40, level="5", healthy=0.0):
        payload = diagnose_of(task)
        readable = {name for name, control in payload.topology.controls.items() if control != "foreign"}
        for _, found in reference_diagnosis(payload):
            assert found
            for one in found:
                asked = {one.params[key] for key in ("device", "node") if key in one.params}
                tested = {one.params[key] for key in ("source", "target") if one.method == "measure-rate"}
                assert asked <= readable
                assert tested <= {*payload.test_hosts}


def test_each_of_two_faults_has_an_observation_that_the_other_one_does_not_disturb() -> None:
    pairs = 0
    for task in drawn(16, level="5", healthy=0.0, config="lean", shapes=("line", "ring", "tree")):
        payload = diagnose_of(task)
        one, *others = payload.faults
        if not others or fault_of(one.fault).company or fault_of(others[0].fault).company:
            continue
        pairs += 1
        for cause, (_, found) in zip(reversed(payload.causes), reference_diagnosis(payload), strict=True):
            network = observable_of(payload).beside([cause.nodes])
            tests = [(each.params["source"], each.params["target"]) for each in found if "source" in each.params]
            assert {*tests} <= {*network.pairs} | {(far, near) for near, far in network.pairs}
    assert pairs


def test_every_kind_is_drawn() -> None:
    kinds = Counter(one.fault for task in drawn(300, level="4", healthy=0.0) for one in diagnose_of(task).faults)
    assert min(kinds[name] for name in (*HIDDEN, *CONFIGURED)) >= 3, kinds


@pytest.mark.parametrize(("level", "lab_s"), [("4", 3600.0), ("5", 7200.0)])
@pytest.mark.parametrize("generator", ["diagnose", "repair-network", "troubleshoot"])
def test_a_level_of_the_table_has_a_budget_of_lab_time(generator: str, level: str, lab_s: float) -> None:
    task = read_series(f"{generator}:level={level},n=1,seed=3").source(0).load()
    assert task.budget.lab_s == lab_s
    assert task.budget.wall_s is not None
    assert task.budget.wall_s >= 2 * lab_s
    assert read_series(f"{generator}:level=2,n=1,seed=3").source(0).load().budget == Budget()
