from __future__ import annotations

import threading
from typing import Any

import pytest

from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.families.configure.proof.omissions import SURVIVORS
from pytest_netbench.families.configure.proof.solutions import WITNESSES
from pytest_netbench.families.proof import Extent
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.trial import SelftestReport, Settings, selftest
from tests.support.memory_backend import MemoryBackend
from tests.support.memory_trial import WORK, task_of

pytestmark = pytest.mark.usefixtures("memory_parts")


def selftest_of(
    *, repeats: int = 1, claims: tuple[str, ...] | None = None, solutions: Any = None, **changes: Any
) -> SelftestReport:
    extent = Extent(repeats=repeats, claims=claims, solutions=solutions)
    return selftest(task_of(**changes), Settings(backend=MemoryBackend()), extent)


def test_a_sound_task_has_no_problems_and_its_truth_is_told():
    report = selftest_of(repeats=2)
    assert report.problems == ()
    assert report.stages == 2 * (2 + len(WORK))
    assert report.truth is not None
    assert "deny tcp 80 any" in report.truth.initial["edge"]
    assert "route 10.9.0.0/16 via 10.0.2.10" in report.truth.final["edge"]
    assert report.shown == {
        "oracle passes": "2 of 2",
        "nop passes": "0 of 2",
        "lines missed when left out": "2 of 2",
        "survivors explained": "0 of 0",
        "repeats": "2",
    }


class Counting(MemoryBackend):
    """Counts the labs that are there at a time; ``breaks`` is the number of a lab that cannot be deployed."""

    def __init__(self, *, breaks: int | None = None) -> None:
        super().__init__()
        self.open = self.most = self.count = 0
        self._breaks = breaks
        self._lock = threading.Lock()

    def deploy(self, request: Any) -> Any:
        with self._lock:
            self.open += 1
            self.count += 1
            self.most = max(self.most, self.open)
            if self.count == self._breaks:
                raise LabError("no lab")
        lab = super().deploy(request)
        destroy = lab.destroy

        def counted() -> None:
            destroy()
            with self._lock:
                self.open -= 1

        lab.destroy = counted
        return lab


@pytest.mark.parametrize("side_by_side", [1, 3])
def test_omissions_are_measured_side_by_side_with_the_same_result(side_by_side):
    backend = Counting()
    task = task_of(ground_truth_configs={"edge": [*WORK, "policy a", "policy b"]})
    report = selftest(task, Settings(backend=backend), Extent(repeats=1, side_by_side=side_by_side))
    assert report.listed == {SURVIVORS: ("edge: 'policy a': not explained", "edge: 'policy b': not explained")}
    assert report.shown["lines missed when left out"] == "2 of 4"
    assert report.stages == backend.count == 6
    assert 1 < backend.most <= 3 if side_by_side > 1 else backend.most == 1


def test_an_error_ends_what_is_measured_side_by_side():
    backend = Counting(breaks=4)
    task = task_of(ground_truth_configs={"edge": [*WORK, *(f"policy p{number}" for number in range(12))]})
    with pytest.raises(LabError, match="no lab"):
        selftest(task, Settings(backend=backend), Extent(repeats=1, side_by_side=2))
    assert backend.count < 8


def test_a_task_the_oracle_cannot_solve_is_named_with_what_was_seen():
    report = selftest_of(ground_truth_configs={"edge": WORK[:1]})
    (problem,) = report.problems
    assert problem.startswith("the oracle fails testcase 'dc': expected ")
    assert ", saw " in problem


def test_an_intents_testcase_that_passes_before_the_work_is_a_problem():
    easy = {"kind": "reachability", "name": "ping", "from": "branch", "to": "web", "within_s": 1}
    report = selftest_of(testcases=[*(one.model_dump(by_alias=True) for one in task_of().payload.testcases), easy])
    assert report.problems == (
        "testcase 'ping' passes before anything is done: make it miss the intent, or give it role: regression",
    )


def test_a_regression_testcase_may_pass_before_the_work():
    easy = {"kind": "reachability", "name": "ping", "role": "regression", "from": "branch", "to": "web", "within_s": 1}
    assert not selftest_of(
        testcases=[*(one.model_dump(by_alias=True) for one in task_of().payload.testcases), easy]
    ).problems


def test_a_line_that_no_testcase_misses_is_a_survivor():
    report = selftest_of(ground_truth_configs={"edge": [*WORK, "policy unused"]})
    assert report.problems == (
        (
            "edge: leaving out 'policy unused' fails no testcase: add a testcase that misses it, drop the line, or"
            " explain it under accepted_survivors"
        ),
    )
    assert report.listed == {SURVIVORS: ("edge: 'policy unused': not explained",)}


def test_a_survivor_that_the_task_file_explains_is_reported_and_no_problem():
    report = selftest_of(
        ground_truth_configs={"edge": [*WORK, "policy unused"]},
        accepted_survivors={"edge": {"policy unused": "a name for the operator"}},
    )
    assert not report.problems
    assert report.listed == {SURVIVORS: ("edge: 'policy unused': a name for the operator",)}


def further(**changes: Any) -> dict[str, Any]:
    """Another way to solve the task: both lines in one call of each, the other way round, and a line more."""
    way = ["policy x", *reversed(WORK)]
    return {"solution_id": "the long way", "configs": {"edge": way}, "reasoning": "more", **changes}


def test_every_ground_truth_of_a_task_is_proven_and_what_it_leaves_is_told():
    report = selftest_of(further_ground_truths=[further()])
    assert report.problems == ()
    assert report.shown["right pass"] == "1 of 1"
    assert report.stages == 3 + len(WORK)
    assert report.truth is not None
    assert "policy x" in report.truth.right["the long way"]["edge"]
    assert report.truth.right_reasoning == {"the long way": "more"}


def test_a_further_ground_truth_that_fails_a_testcase_is_a_problem():
    report = selftest_of(further_ground_truths=[further(configs={"edge": [*WORK[:1], "policy x"]})])
    assert report.problems == (
        "right solution 'the long way' fails 'dc': mend the testcase, or record the solution as wrong",
    )


def test_a_further_ground_truth_that_is_the_first_in_another_order_is_a_problem():
    report = selftest_of(further_ground_truths=[further(configs={"edge": [*reversed(WORK)]})])
    assert "it is the ground truth under other names or in another order" in report.problems[0]


def test_an_explanation_of_a_line_that_is_missed_is_a_problem():
    report = selftest_of(accepted_survivors={"edge": {WORK[0]: "why not"}})
    assert report.problems == (
        f"accepted_survivors: leaving out {WORK[0]!r} on edge is noticed; it needs no explanation",
    )


def test_an_explanation_of_a_line_that_is_not_there_is_a_problem():
    report = selftest_of(accepted_survivors={"edge": {"no such": "typo"}})
    assert report.problems == ("accepted_survivors: edge has no ground-truth line 'no such'",)


def test_a_ground_truth_command_that_the_device_refuses_is_the_problem():
    report = selftest_of(ground_truth_configs={"edge": [*WORK, "bogus"]})
    assert len(report.problems) == 1
    assert "refused ground-truth command 'bogus'" in report.problems[0]
    assert report.truth is None


def test_a_task_without_testcases_is_a_problem():
    assert "there are no testcases" in selftest_of(testcases=[]).problems


def test_results_that_differ_from_repeat_to_repeat_are_a_problem():
    class Moody(MemoryBackend):
        count = 0

        def deploy(self, request):
            lab = super().deploy(request)
            Moody.count += 1
            if Moody.count > 3:
                lab.nodes["web"].lines.append("policy of-the-day")
                lab.nodes["edge"].lines.remove("deny tcp 80 any")
            return lab

    report = selftest(task_of(ground_truth_configs={"edge": WORK[1:]}), Settings(backend=Moody()), Extent(repeats=2))
    assert "testcase 'web' comes out differently from repeat to repeat with the nop" in report.problems
    assert "web: its final running config differs from repeat to repeat" in report.problems


def test_a_lab_that_breaks_is_no_verdict_on_the_task():
    with pytest.raises(LabError, match="zebra"):
        selftest_of(requirements=["lab-breaks"])


def test_health_checks_that_fail_are_no_verdict_on_the_task():
    with pytest.raises(NotReady):
        selftest_of(
            health_checks=[{"kind": "reachability", "name": "up", "from": "branch", "to": "10.0.9.9", "within_s": 1}]
        )


def test_the_text_lists_one_problem_a_line():
    text = selftest_of(testcases=[], ground_truth_configs={"edge": WORK[:1]}).text()
    head, *rest = text.splitlines()
    assert head == "reach: 2 problems in the self-test"
    assert len(rest) == 2
    assert all(line.startswith("  - ") for line in rest)


def solution(name: str, *lines: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "reason": "for this test", "configs": {"edge": lines}, **more}


def recorded(*, right: Any = (), wrong: Any = ()) -> Solutions:
    return Solutions.model_validate({"right": right, "wrong": wrong})


def test_recorded_right_solutions_pass_and_wrong_ones_fail():
    right = solution("a longer way", "policy x", *WORK)
    wrong = solution("half of it", WORK[0])
    report = selftest_of(claims=("solutions",), solutions=recorded(right=[right], wrong=[wrong]))
    assert report.problems == ()
    assert report.stages == 2
    assert report.shown == {"right pass": "1 of 1", "wrong fail": "1 of 1", "repeats": "1"}
    assert report.listed == {WITNESSES: ("'half of it': 'dc'",)}


def test_a_right_solution_that_fails_is_a_problem_that_names_the_testcases():
    report = selftest_of(claims=("solutions",), solutions=recorded(right=[solution("half of it", WORK[0])]))
    assert report.problems == (
        "right solution 'half of it' fails 'dc': mend the testcase, or record the solution as wrong",
    )


def test_a_wrong_solution_that_passes_is_a_problem_with_its_reason():
    report = selftest_of(claims=("solutions",), solutions=recorded(wrong=[solution("all", "policy x", *WORK)]))
    assert report.problems == (
        "wrong solution 'all' passes every testcase: add a testcase that it fails (for this test)",
    )


def test_a_right_solution_that_only_reorders_the_truth_is_a_problem():
    report = selftest_of(claims=("solutions",), solutions=recorded(right=[solution("reversed", *reversed(WORK))]))
    (problem,) = report.problems
    assert problem.startswith("right solution 'reversed': it is the ground truth under other names or in another order")


def test_a_line_that_a_device_refuses_is_a_problem_of_the_solution():
    report = selftest_of(claims=("solutions",), solutions=recorded(wrong=[solution("typo", "bogus")]))
    (problem,) = report.problems
    assert problem.startswith("solution 'typo': edge refused 'bogus': ")


def test_a_solution_that_tampers_must_be_refused():
    report = selftest_of(claims=("solutions",), solutions=recorded(wrong=[solution("t", "policy x", tampers=True)]))
    assert report.problems == ("wrong solution 't' tampers, and the ANI lets it",)


def test_the_truth_is_told_only_if_the_basic_claims_are_measured():
    assert selftest_of(claims=("oracle", "nop")).truth is None
    right = solution("a longer way", "policy x", *WORK)
    truth = selftest_of(solutions=recorded(right=[right])).truth
    assert truth is not None
    assert truth.right is not None
    assert "policy x" in truth.right["a longer way"]["edge"]


def test_the_drawn_share_of_solutions_is_the_same_every_time_and_the_seeds_cover_all():
    solutions = recorded(wrong=[solution(f"s{n}", f"policy x{n}") for n in range(12)])
    drawn = []
    for seed in (1, 1, *range(2, 12)):
        extent = Extent(solutions=solutions, share=3, seed=seed)
        drawn.append({one.name for one in solutions.wrong if extent.drawn("solution", "reach", one.name)})
    assert drawn[0] == drawn[1]
    assert 0 < len(drawn[0]) < 12
    assert set().union(*drawn) == {one.name for one in solutions.wrong}


def test_mutants_that_a_device_refuses_are_counted_apart_from_those_a_testcase_catches():
    report = selftest_of(claims=("mutants",))
    assert report.problems == ()
    counts = {name: int(report.shown[name]) for name in ("refused", "caught", "equal", "survivors")}
    assert counts == {"refused": 3, "caught": 3, "equal": 1, "survivors": 0}


def test_an_explanation_of_a_mutant_that_is_caught_or_is_none_is_a_problem():
    explained = [
        {"node": "edge", "line": WORK[1], "mutant": "route 10.9.0.0/17 via 10.0.2.10", "reason": "why not"},
        {"node": "edge", "line": WORK[1], "mutant": "route of all evil", "reason": "why not"},
    ]
    report = selftest_of(claims=("mutants",), solutions=Solutions.model_validate({"mutants": explained}))
    none, caught = report.problems
    assert none == f"explained mutant 'route of all evil' of edge {WORK[1]!r}: there is no such mutant"
    assert caught.startswith(
        f"explained mutant edge: {WORK[1]!r} as 'route 10.9.0.0/17 via 10.0.2.10' is caught (dc); "
    )


def test_a_share_of_the_omissions_is_measured_and_the_seeds_cover_all():
    lines = [*WORK, *(f"policy unused{number}" for number in range(3))]
    why = dict.fromkeys(lines[len(WORK) :], "a name for the operator")
    counts, survivors = set(), set()
    for seed in (1, 2, 3):
        extent = Extent(repeats=1, claims=("omissions",), share=2, seed=seed)
        task = task_of(ground_truth_configs={"edge": lines}, accepted_survivors={"edge": why})
        report = selftest(task, Settings(backend=MemoryBackend()), extent)
        assert report.problems == ()  # what is explained and not measured is no problem
        counts.add(int(report.shown["lines missed when left out"].split()[-1]))
        survivors |= {line.split("'")[1] for line in report.listed[SURVIVORS]}
    assert max(counts) < len(lines)
    assert survivors == set(why)
