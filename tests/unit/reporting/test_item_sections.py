from __future__ import annotations

from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.reporting.item import item_sections
from tests.support.records import busy_result, result, score, unprotected


def section(title: str, **changes: object) -> str:
    return dict(item_sections(busy_result(**changes)))[title]


def test_sections_come_in_the_order_a_reader_asks():
    assert [title for title, _ in item_sections(busy_result())] == [
        "scores",
        "testcases",
        "commands (2, 1 refused)",
        "budget used",
        "transcript",
    ]


def test_scores_with_long_names_are_aligned():
    scores = (score("command", 0.9, "near"), score("netconfbench.command", 0.5, "far"))
    (found,) = [text for title, text in item_sections(busy_result(scores=scores)) if title == "scores"]
    assert found.splitlines() == ["command               0.90  near", "netconfbench.command  0.50  far"]


def test_scores_with_why():
    assert section("scores") == (
        "testcase    0.50  1 of 2 testcases passed\n"
        "command     0.86  3 of 4 changed lines are in the ground truth, which changes 3\n"
        "reasoning      –  not measured: the agent gives no reasoning"
    )


def test_testcases_have_a_line_each_because_the_failure_tells_what_was_expected():
    assert section("testcases") == (
        "PASS  voice is marked  (show, intent 1, 0.21s)\nFAIL  voice has priority  (throughput, intent 2, 1.50s)"
    )


def test_a_testcase_under_an_event_names_the_event():
    observed = [one.model_copy(update={"under": "exit-lost"}) for one in busy_result().testcase_results]
    first, *_ = section("testcases", testcase_results=tuple(observed)).splitlines()
    assert first == "PASS  voice is marked  (show, intent 1, under exit-lost, 0.21s)"


def test_commands_with_their_status():
    assert section("commands (2, 1 refused)") == (
        "R1    success  priority 512\nEdge  error    priorty 512  <- % Unknown command."
    )


def test_budget_used_and_whether_it_ran_out():
    assert section("budget used") == "12 calls, 34 commands, 12.3k tokens, 1m03s, $0.042"
    assert section("budget used", outcome="budget").endswith("$0.042, (budget exhausted)")


def test_that_nothing_keeps_read_only_commands_from_changing_nodes():
    assert section("isolation", **unprotected()) == "read-only not enforced: `execute-cmd` may have changed nodes"


def test_where_the_transcript_is():
    assert section("transcript") == "transcripts/llq-voice-react-gpt-4o-1a2b3c4d.json"


def test_an_infrastructure_error_has_nothing_to_show():
    assert item_sections(result(status="error", outcome=None)) == []


def test_a_flood_of_commands_is_cut():
    flood = tuple(CommandStatus(device="R1", command=f"line {i}", status="success") for i in range(1000))
    text = section("commands (1000, 0 refused)", commands=flood)
    assert text.splitlines()[-1] == "… and 800 more, all in the transcript"
    assert len(text.splitlines()) == 201
