"""A failed trial in few lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.model.trial import BudgetUsed, Usage
from pytest_netbench.reporting.ending import ending, endings
from pytest_netbench.reporting.failure import LINES, failure_lines
from tests.support.records import busy_result, ran, result, score

REST = (("transcript", ".netbench/x/transcripts/a.json"), ("show all", "netbench show 'llq-voice[nop]'"))


def shown(*, width: int = 79, reason: str = "why", **changes: object) -> list[str]:
    return failure_lines(busy_result(**changes), reason=reason, width=width, rest=REST)


def test_it_says_how_the_agent_ended_what_it_did_what_failed_and_where_the_rest_is():
    found = shown(
        methods={"get-topology": 1, "update-cfg": 11},
        changed=("Edge", "R1"),
        duration_s=75.0,
        deploy_s=2.0,
        evaluate_s=10.0,
        usage=Usage(),
    )
    assert found == [
        "agent:      done after 1m03s",
        "did:        12 calls (update-cfg 11, get-topology 1), 34 commands (1 refused)",
        "changed:    Edge, R1",
        "time:       1m15s = deploy 2.00s + agent 1m03s + evaluation 10.0s",
        "1 of 2 testcases failed:",
        "  voice has priority [throughput]",
        "    expected: at least 900 kbit/s",
        "    actual:   412 kbit/s (2 of 3 runs)",
        "transcript: .netbench/x/transcripts/a.json",
        "show all:   netbench show 'llq-voice[nop]'",
    ]


def test_one_call_is_not_called_calls():
    (did,) = (line for line in shown(budget_used=BudgetUsed(calls=1, commands=1), commands=()) if "did:" in line)
    assert did.split(",")[:2] == ["did:        1 call", " 1 command"]


def test_a_traceback_stands_above_the_testcases_and_leaves_room_for_one():
    frames = [f'  File "mine.py", line {number}, in run' for number in range(40)]
    error = "\n".join(["KeyError: 'nothing'", *frames])
    found = shown(outcome="agent-error", error=error)
    assert len(found) <= LINES
    assert found[0] == "agent:      error after 1m03s: KeyError: 'nothing'"
    at = next(number for number, line in enumerate(found) if line.endswith("line 39, in run"))
    assert any("lines …" in line for line in found[:at])
    assert at < found.index("  voice has priority [throughput]")


def test_as_many_testcases_as_fit_are_shown_and_the_others_named():
    tests = tuple(ran(f"t{number}", "fail", expected="yes", actual="no") for number in range(30))
    found = shown(testcase_results=tests)
    assert len(found) <= LINES
    heads = [line for line in found if line.endswith("[show]")]
    assert len(heads) >= 4
    (more,) = (line for line in found if line.startswith("  and "))
    assert more.startswith(f"  and {30 - len(heads)} more: t{len(heads)}; ")
    last = tuple(ran(f"t{number}", "fail", expected="yes", actual="no") for number in range(len(heads)))
    assert not [line for line in shown(testcase_results=last) if line.startswith("  and ")]


def test_a_failure_without_failed_testcases_says_which_scores_are_low():
    scores = (score("detection", 1.0), score("localization", 0.0, "r2 was named, and r1 is broken"))
    found = shown(testcase_results=(), scores=scores, reason="localization 0 is under its pass mark 1")
    assert "localization 0 is under its pass mark 1" in found
    assert "  localization 0.00: r2 was named, and r1 is broken" in found
    assert not [line for line in found if "detection" in line]


def test_an_agent_that_used_its_budget_up_or_gave_up_is_said_to():
    assert shown(outcome="budget")[0] == "agent:      budget used up after 1m03s"
    assert shown(error="the agent ended without being done: tired")[0].startswith("agent:      gave up after 1m03s")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "done"),
        ({"error": "the agent ended without being done: tired"}, "gave up"),
        ({"outcome": "budget", "error": "wall_s"}, "budget"),
        ({"outcome": "agent-error", "error": "x"}, "agent error"),
    ],
)
def test_endings_have_one_word_each(changes, word):
    assert ending(result(**changes)) == word


def test_endings_are_counted_in_their_order():
    ends = ({"outcome": "agent-error"}, {}, {"outcome": "budget"}, {}, {"error": "tired"})
    assert endings([result(**changes) for changes in ends]) == "done 2, gave up 1, budget 1, agent error 1"


_texts = st.text(min_size=0, max_size=300) | st.sampled_from(["x" * 3000, "word " * 900, "line\n" * 200])


@given(
    st.lists(st.tuples(_texts, _texts, _texts), max_size=40),
    st.none() | _texts,
    st.integers(40, 120),
    st.integers(18, LINES),
    st.dictionaries(_texts, st.integers(1, 10**9), max_size=30),
)
def test_no_text_makes_it_longer_or_wider(tests, error, width, room, methods):
    one = busy_result(
        outcome="done" if error is None else "agent-error",
        error=error,
        testcase_results=tuple(ran(name, "fail", expected=wanted, actual=seen) for name, wanted, seen in tests),
        methods=methods,
        changed=tuple(methods),
    )
    found = failure_lines(one, reason="why " * 100, width=width, room=room, rest=REST)
    taken = sum(max(1, -(-len(line) // width)) for line in found)
    assert taken <= room
    assert all(len(line) <= width for line in found[:-2])
    assert not [line for line in found if "\n" in line]
    if tests:
        assert any(line.startswith(f"{len(tests)} of {len(tests)} testcases failed") for line in found)
