"""Defects that were seen in other benchmarks of repairs and plans: each has a test, here or in a file named here.

Not here: defects of benchmarks that ask whether anything is wrong (a repair always has something to repair), and of
intervals and repetitions, which are not of a family.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.datacenter_graph import golden
from pytest_netbench.families.faulty.flows import words
from pytest_netbench.families.plan.execution import Execution
from pytest_netbench.families.plan.judging import Truth, judge
from pytest_netbench.families.plan.payload import plan_of
from pytest_netbench.faults.reasoning import known
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.trial.limits import brief_for, terms_for
from tests.support.plans import drawn, plans
from tests.support.repairs import drawn_repair
from tests.support.stars import star_site

TESTS = Path(__file__).parents[2]
HERE = "unit/families/test_defects_of_other_benchmarks.py"
REPAIRS, FAULTS = "labs/test_repairs.py", "labs/test_faults.py"
SCORES, DRAWS = "unit/scorers/test_scorer_watched.py", "unit/generators/test_repair_routing.py"
DEFECTS: dict[str, tuple[tuple[str, str], ...]] = {
    "a healthy network reports loss right after it is built": (
        (REPAIRS, "test_the_first_report_of_a_large_network_shows_the_fault_and_nothing_else"),
        (REPAIRS, "test_a_healthy_network_in_which_a_flow_does_not_work_is_no_baseline"),
    ),
    "a fault that the kernel cannot make is silently not made": (
        (REPAIRS, "test_a_fault_that_the_machine_cannot_make_is_a_requirement"),
        (FAULTS, "test_a_delay_is_made_or_refused_with_what_is_missing"),
    ),
    "the command of a fault fails and nobody looks": ((FAULTS, "test_a_fault_that_a_node_refuses_is_an_error"),),
    "a fault has no observable effect, and doing nothing wins": (
        (REPAIRS, "test_a_fault_without_the_effect_that_the_task_names_is_an_error_and_no_score"),
        ("unit/faults/test_catalogue.py", "test_a_mask_that_loses_no_host_is_no_fault"),
        (DRAWS, "test_no_mask_is_drawn_that_loses_no_host"),
    ),
    "the name of a fault and its effect differ": (
        (FAULTS, "test_a_fault_breaks_what_it_breaks_on_paper_and_its_repair_restores_the_router"),
        (FAULTS, "test_a_loop_is_a_real_loop"),
        (HERE, "test_a_filter_of_a_subnet_drops_what_is_forwarded"),
    ),
    "faults that differ in a number that nobody sees": ((DRAWS, "test_values_with_the_same_effect_are_one_effect"),),
    "values are drawn when the fault is injected": (
        (HERE, "test_a_task_from_its_file_injects_the_same_faults"),
        (DRAWS, "test_the_same_draw_has_the_same_bytes_in_another_process"),
    ),
    "no two runs at once": ((REPAIRS, "test_two_repairs_at_once_do_not_disturb_each_other"),),
    "clues are left in a node": ((REPAIRS, "test_the_agent_sees_no_trace_of_the_injection"),),
    "the ground truth is where the agent can read it": (
        ("labs/plan/test_hostile_code.py", "test_files_of_the_host_are_not_there"),
        (DRAWS, "test_the_brief_tells_what_must_work_and_nothing_of_the_faults"),
        ("unit/families/plan/test_plan_family.py", "test_the_brief_does_not_contain_the_query"),
        (HERE, "test_the_reasoning_of_the_truth_is_not_in_the_brief"),
    ),
    "percent lost is truncated to an integer": (
        (SCORES, "test_percent_is_not_truncated"),
        (
            "unit/evaluation/monitor/test_matrix.py",
            "test_percent_is_not_truncated_two_of_272_and_ten_of_1056_lost_are_not_zero",
        ),
    ),
    "the repair of the last step is not checked": (
        (SCORES, "test_the_repair_of_the_last_step_is_checked"),
        ("labs/test_monitor_on_a_real_network.py", "test_repairs_are_seen_step_by_step_also_the_last"),
    ),
    "the model is asked once more although all is well": (
        ("agents/test_multi_turn_over_http.py", "test_the_last_answer_may_also_change_something"),
    ),
    "safe means that total loss does not rise": (
        (SCORES, "test_total_loss_is_not_safety"),
        (SCORES, "test_blocking_everything_but_ping_is_unsafe"),
        (SCORES, "test_safety_never_rises_when_a_step_breaks_a_working_flow_whatever_else_it_mends"),
    ),
    "reference answers that the checker calls unsafe": (
        ("unit/datacenter_graph/test_golden.py", "test_the_golden_graph_of_a_thousand_drawn_queries_keeps_the_rules"),
        (REPAIRS, "test_the_oracle_repairs_three_faults_and_breaks_nothing_and_nop_does_not"),
    ),
    "an answer in the documented format is not accepted": (
        ("unit/agents/test_few_shot_examples.py", "test_each_program_of_an_example_answers_its_question"),
        ("labs/test_netarena_agents.py", "test_a_model_that_answers_the_question_passes"),
    ),
    "the target is drawn again at evaluation": ((HERE, "test_the_target_is_not_drawn_again_at_evaluation"),),
    "targets are not random": (
        (DRAWS, "test_each_distinct_effect_is_drawn_equally_often"),
        ("unit/generators/test_plan_generator.py", "test_targets_of_a_type_are_drawn_with_equal_probability"),
    ),
    "an invalid answer scores -1 and is averaged": (
        (HERE, "test_an_invalid_answer_is_wrong_and_has_no_number_of_its_own"),
        ("labs/plan/test_plan_trials.py", "test_an_answer_without_code_is_the_agents_failure"),
    ),
    "an equivalent answer is refused": (
        (REPAIRS, "test_a_repair_that_is_written_another_way_is_as_good"),
        ("unit/datacenter_graph/test_comparison.py", "test_the_order_of_nodes_edges_and_attributes_does_not_matter"),
    ),
    "the prompt contradicts the oracle": ((HERE, "test_the_brief_wants_what_is_evaluated"),),
    "the prompt offers a tool that is refused": ((HERE, "test_a_task_without_a_network_offers_no_method_of_networks"),),
}
"""By defect: files and names of tests."""


@pytest.mark.parametrize("defect", DEFECTS)
def test_every_defect_has_a_test(defect: str) -> None:
    for file, name in DEFECTS[defect]:
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE), (file, name)


@pytest.mark.parametrize(
    "name", ["forward-drop-subnet", "traffic-dropped", "traffic-rejected", "icmp-blocked", "forward-drop-all"]
)
def test_a_filter_of_a_subnet_drops_what_is_forwarded(name: str) -> None:
    fault: Any = fault_of(name)
    for parameters in fault.targets(star_site(3, 2)):
        commands = fault.change(parameters).inject
        assert any("hook forward" in command for command in commands)


def test_a_task_from_its_file_injects_the_same_faults() -> None:
    for index in range(60):
        task = drawn_repair(index, subnets="3", level="1-4")
        again = Task.model_validate_json(task.model_dump_json(by_alias=True))
        for one, other in zip(repair_of(task).faults, repair_of(again).faults, strict=True):
            fault: Any = known(one).fault
            assert fault.change(known(one).parameters).inject == fault.change(known(other).parameters).inject
        assert repair_of(again).symptom == repair_of(task).symptom


def test_the_reasoning_of_the_truth_is_not_in_the_brief() -> None:
    for task in (*drawn(30), *(drawn_repair(index) for index in range(30))):
        told = brief_for(task, terms_for(task, Nop().info)).model_dump_json()
        for line in task.ground_truth_reasoning.splitlines():
            assert line not in told


def test_the_target_is_not_drawn_again_at_evaluation() -> None:
    for task in drawn(20):
        again = plan_of(Task.model_validate_json(task.model_dump_json(by_alias=True)))
        plan = plan_of(task)
        assert Truth.of(plan.query, plan.graph.graph()) == Truth.of(again.query, again.graph.graph())


@pytest.mark.parametrize("status", ["error", "timeout", "killed", None])
def test_an_invalid_answer_is_wrong_and_has_no_number_of_its_own(status: Any) -> None:
    (plan,) = plans(1)
    execution = None if status is None else Execution(status=status, error="it broke")
    judgement, findings = judge(Truth.of(plan.query, plan.graph.graph()), execution)
    assert (judgement.correct, judgement.run_s, findings.answered) == (False, None, False)


def test_an_equal_answer_of_another_type_is_right() -> None:
    plan = next(plan for plan in plans(60) if plan.query.answer_type == "text")
    answer, after = golden.answer(plan.query, plan.graph.graph())
    truth = Truth.of(plan.query, plan.graph.graph())
    for given in (answer, str(answer), f" {answer}\n"):
        assert judge(truth, Execution(status="done", data=given, graph=after))[0].correct


def test_the_brief_wants_what_is_evaluated() -> None:
    for index in range(30):
        task = drawn_repair(index, subnets="3", level="1-4")
        (text,) = brief_for(task, terms_for(task, Nop().info)).intents
        wanted, _, unwanted = text.partition("These must not work when you are done:")
        for group in repair_of(task).flows:
            assert words(group) in (wanted if group.allowed else unwanted)
        lines = [line for line in text.splitlines() if line.startswith("- ")]
        assert len(lines) == len(repair_of(task).flows)


def test_a_task_without_a_network_offers_no_method_of_networks() -> None:
    overrides = AgentSettings(extras=("get-reachability", "search-manual"))
    info = AgentInfo(id="a", strategy="a", overrides=overrides)
    plan, repair = drawn(1)[0], drawn_repair()
    assert [method.name for method in brief_for(plan, terms_for(plan, info)).methods] == ["run-code"]
    offered = [method.name for method in brief_for(repair, terms_for(repair, info)).methods]
    assert offered[-2:] == ["get-reachability", "search-manual"]
