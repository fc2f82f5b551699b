"""The HTML page of runs: what it says, that it asks for nothing, and that nobody's text becomes part of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.trial import BudgetUsed, Submission, TrialRecord, TrialResult, Usage
from pytest_netbench.reporting.page import writing
from pytest_netbench.reporting.page.overview import failing
from pytest_netbench.reporting.page.writing import trials_of, write_page
from tests.support.pages import HOSTILE, Read, trial, trials
from tests.support.records import ran, result, score


def written(tmp_path: Path, pairs: list[tuple[TrialResult, TrialRecord]], **options: object) -> Read:
    records = {(one.node_id, one.trial): record for one, record in pairs}
    path = tmp_path / "page.html"
    size = write_page(path, [one for one, _ in pairs], lambda one: records[one.node_id, one.trial], **options)
    assert size == path.stat().st_size
    return Read(path.read_text())


def test_a_page_tells_who_did_what(tmp_path):
    read = written(tmp_path, [trial(0, status="passed"), trial(1), trial(5), trial(2, status="error")])
    text = " ".join(read.text.split())
    assert "4 trials of 3 tasks by 3 agents" in text  # what was not scored is no row of the matrix
    assert "agent-0 1/1 21–100 %" in text
    assert "agent-1 0/2 0–66 %" in text
    rows = [one["data-kind"] for one in read.all("tr") if "data-kind" in one]
    assert sorted(rows) == ["lab", "passed", "wrong", "wrong"]
    assert {one["data-task"] for one in read.all("a") if "data-task" in one} == {"t0", "t1", "t5"}


def test_a_failed_trial_is_in_the_page_and_each_one_beside_it(tmp_path):
    read = written(tmp_path, [trial(0, status="passed"), trial(1)])
    assert read.kept == ["of-trial-0"]
    hrefs = [one["href"] for one in read.all("a") if one.get("href")]
    (failed,) = [one for one in read.all("a") if "data-trial" in one]
    assert failed["data-trial"] == "0"
    beside = [str(href) for href in hrefs if str(href).endswith(".html")]
    assert [name.partition("-")[0] for name in beside] == ["page", "page"]
    failure, other = (Read((tmp_path / name).read_text()) for name in beside)
    assert failed["href"] == beside[0]  # without scripts the link leads there
    assert "wrong result" in failure.text
    assert "passed" in other.text
    assert [one["class"] for one in other.all("circle")] == ["node managed changed", "node observed", "node foreign"]


def test_the_details_show_steps_testcases_and_the_diff(tmp_path):
    read = written(tmp_path, [trial(1, text="no shutdown")])
    assert "Config of R1 against the ground truth" in read.text
    assert "+banner no shutdown" in read.text
    assert "-login" in read.text
    assert read.text.index("failno shutdown") < read.text.index("passgood")
    for words in ("execute-cmd R1", "update-cfg no shutdown", "no shutdown", "Ground truth", "Reasoning", "Answer"):
        assert words in read.text
    assert len(read.all("line")) >= 2


def test_the_details_of_a_diagnosis_say_what_would_have_shown_the_fault(tmp_path):
    found, record = trial(1, text="x")
    told = {"reference_diagnosis": ["link-down on r1:", "  1. eth0 has no <b>carrier</b>."]}
    read = written(tmp_path, [(found, record.model_copy(update={"other": told}))])
    assert "What would have shown it" in read.text
    assert "eth0 has no <b>carrier</b>." in read.text
    assert "What would have shown it" not in written(tmp_path, [(found, record)]).text


def test_nobodys_text_becomes_an_element_or_a_request(tmp_path):
    pairs = [trial(1, text="x"), trial(2, text="x", status="passed")]
    plain = written(tmp_path, pairs, comparison=("x", [("failed", "x", ["x"])]))
    (tmp_path / "other").mkdir()
    pairs = [trial(1, text=HOSTILE), trial(2, text=HOSTILE, status="passed")]
    comparison = (HOSTILE, [("failed", HOSTILE, [HOSTILE])])
    read = written(tmp_path / "other", pairs, comparison=comparison)

    def names(of: Read) -> set[str]:
        return {name for name, _ in of.elements}

    assert names(read) == names(plain)
    assert len(read.all("script")) == 1
    for page in [tmp_path / "other" / "page.html", *(tmp_path / "other" / "page-trials").iterdir()]:
        found = Read(page.read_text())
        attributes = {name for _, some in found.elements for name in some}
        assert not {name for name in attributes if name.startswith("on")} | attributes & {"src", "action", "srcset"}
        assert all(one["href"].startswith(("#", "page-trials/")) for one in found.all("a") if one.get("href"))
        assert "default-src 'none'" in str(found.all("meta"))
        assert HOSTILE in found.text


def test_what_has_no_room_lies_only_beside_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MOST_INSIDE", 20_000)
    read = written(tmp_path, list(trials(12, failed=1)))
    inside = len(read.kept)
    assert 0 < inside < 12
    assert len(list((tmp_path / "page-trials").iterdir())) == 12


def test_a_page_that_is_made_again_has_only_its_own_details(tmp_path):
    written(tmp_path, [trial(0, status="passed"), trial(1, status="passed")])
    written(tmp_path, [trial(0, status="passed")])
    assert len(list((tmp_path / "page-trials").iterdir())) == 1


def test_the_folder_of_somebody_else_is_not_emptied(tmp_path):
    (tmp_path / "page-trials").mkdir()
    (tmp_path / "page-trials" / "thesis.tex").write_text("three years")
    with pytest.raises(UsageError, match=r"holds something else \(thesis\.tex\)"):
        written(tmp_path, [trial(1)])
    assert (tmp_path / "page-trials" / "thesis.tex").read_text() == "three years"


def test_equal_trials_of_two_runs_have_details_of_their_own(tmp_path):
    (one, first), (other, second) = trial(1, text="first", status="passed"), trial(1, text="second", status="passed")
    results, record_of = trials_of([([one], lambda _: first), ([other], lambda _: second)])
    write_page(tmp_path / "page.html", results, record_of)
    texts = [Read(path.read_text()).text for path in (tmp_path / "page-trials").iterdir()]
    assert sorted("+banner first" in text for text in texts) == [False, True]


def test_tasks_of_one_name_are_rows_of_their_own(tmp_path):
    pairs = [trial(1), trial(1)]
    pairs[1] = (pairs[1][0].model_copy(update={"node_id": "other/t1.task.yaml::t1[agent-1]"}), pairs[1][1])
    write_page(tmp_path / "page.html", [one for one, _ in pairs], lambda _: pairs[0][1])
    assert "2 trials of 2 tasks" in Read((tmp_path / "page.html").read_text()).text


def test_a_transcript_that_cannot_be_read_costs_no_page(tmp_path):
    def torn(_: TrialResult) -> TrialRecord:
        raise ResultsError("x.json: not a transcript")

    write_page(tmp_path / "page.html", [trial(1)[0]], torn)
    assert "x.json: not a transcript" in Read((tmp_path / "page.html").read_text()).text


@pytest.mark.parametrize(("costs", "words"), [((0.5, 0.25), "$0.75"), ((0.5, None), "$0.50+"), ((None, None), "–")])
def test_of_a_cost_it_is_told_how_much_is_not_known(tmp_path, costs, words):
    pairs = [trial(1), trial(5)]
    results = [
        one.model_copy(update={"usage": Usage(completions=1, cost_usd=cost)})
        for (one, _), cost in zip(pairs, costs, strict=True)
    ]
    write_page(tmp_path / "page.html", results, lambda _: None)
    read = Read((tmp_path / "page.html").read_text())
    assert words in read.text
    assert ("Passed against cost" in read.text) is (words != "–")


def test_a_trial_without_a_record_is_shown_by_its_result(tmp_path):
    write_page(tmp_path / "page.html", [result({"testcase": 0.5}, status="failed")], lambda _: None)
    assert "testcase" in Read((tmp_path / "page.html").read_text()).text


def test_progress_counts_to_the_end(tmp_path):
    told: list[tuple[int, int]] = []
    written(tmp_path, list(trials(3)), progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_records_are_found_in_the_directory_that_their_result_is_of():
    (one, first), (other, second) = trial(1), trial(1)
    results, record_of = trials_of([([one], lambda _: first), ([other], lambda _: second)])
    assert [record_of(found) for found in results] == [first, second]


@pytest.mark.parametrize("name", ["jinja2", "networkx"])
def test_without_the_extra_there_is_a_fix(tmp_path, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)  # so no import of it succeeds
    with pytest.raises(UsageError, match=rf"no HTML page without {name}; fix: pip install 'pytest-netbench\[report\]'"):
        writing.check(tmp_path / "page.html")


def test_where_no_page_can_be_is_said_before_anything_is_done(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        writing.check(tmp_path / "none" / "page.html")
    with pytest.raises(UsageError, match="is a folder"):
        writing.check(tmp_path)


def test_violations_of_a_policy_are_in_the_row_of_the_agent_and_in_the_details(tmp_path):
    pairs = [(one.model_copy(update={"violations": {"command": 3, "device": 1}}), record) for one, record in [trial(1)]]
    read = written(tmp_path, [*pairs, trial(2)])
    assert "policy violations" in read.text
    assert "Policy violations: command 3, device 1." in read.text
    assert "policy violations" not in written(tmp_path, [trial(1)]).text


def test_the_page_begins_with_the_result_in_words(tmp_path):
    read = written(tmp_path, [trial(0, status="passed"), trial(4, status="passed"), trial(1)])
    assert "agent-0 passed 2 of 2 tasks, agent-1 0 of 1 task; agent-0 and agent-1 ran no task in common." in read.text


def test_an_interrupted_run_says_so(tmp_path):
    assert "was cut off" in written(tmp_path, [trial(1)], note="It was cut off.").text


def test_reasoning_that_is_the_ground_truth_is_shown_once(tmp_path):
    found, record = trial(1)
    truth = record.task.ground_truth_reasoning
    told = record.model_copy(update={"submission": Submission(reasoning=f"{truth}\n")})
    read = written(tmp_path, [(found, told)])
    assert read.text.count(truth) == 1
    assert "Reasoning, which is the ground truth" in read.text
    assert written(tmp_path, [(found, record)]).text.count(truth) == 1


def test_an_agent_keeps_its_color_and_shape_in_all_drawings(tmp_path):
    read = written(tmp_path, [trial(number, status="passed" if number % 3 else "failed") for number in range(12)])
    looks: dict[str, set[tuple[str, str]]] = {}
    color = ""
    for name, attributes in read.elements:
        given = str(attributes.get("class") or "").split()
        color = next((one for one in given if re.fullmatch(r"a\d", one)), color)
        if name == "use":
            looks.setdefault(color, set()).add(("shape", str(attributes["href"])))
    assert {color: len(shapes) for color, shapes in looks.items()} == dict.fromkeys(["a0", "a1", "a2", "a3"], 1)


def test_sizes_and_levels_stand_in_their_order(tmp_path):
    def drawn(number: int, nodes: int, level: int) -> tuple[TrialResult, TrialRecord]:
        found, record = trial(number)
        draw = Drawn(generator="diagnose", seed=1, index=number, label="x", level=level)
        return found.model_copy(update={"drawn": draw, "regions": {"devices": (str(nodes),)}}), record

    read = written(tmp_path, [drawn(1, 40, 10), drawn(2, 9, 2), drawn(3, 3, 1), drawn(4, 0, 3)])
    places = [read.text.index(words) for words in ("S: to 5 nodes", "M: to 15 nodes", "L: more", "no network")]
    assert places == sorted(places)
    places = [read.text.index(words) for words in ("level 1", "level 2", "level 3", "level 10")]
    assert places == sorted(places)


def test_what_trials_took_is_shown_by_cost_else_tokens_else_calls(tmp_path):
    def text(**changes: object) -> str:
        results = [trial(number)[0].model_copy(update=changes) for number in (0, 1)]
        write_page(tmp_path / "page.html", results, lambda _: None)
        return Read((tmp_path / "page.html").read_text()).text

    asked = {"completions": 1, "prompt_tokens": 900, "completion_tokens": 100}
    assert "Passed against cost of a trial" in text(usage=Usage(**asked, cost_usd=0.5))
    assert "Passed against tokens of a trial" in text(usage=Usage(**asked))
    assert "Passed against calls of a trial" in text(budget_used=BudgetUsed(calls=3))
    assert "Passed against" not in text()


def test_times_are_shown_by_part(tmp_path):
    times = {"deploy_s": 2.0, "agent_s": 3.0, "evaluate_s": 5.0}
    write_page(tmp_path / "page.html", [trial(1)[0].model_copy(update=times)], lambda _: None)
    text = Read((tmp_path / "page.html").read_text()).text
    assert "deployment 2.00s, agent 3.00s, evaluation 5.00s" in text


def test_scores_of_a_family_by_its_own_name_are_shown_and_those_of_others_are_not(tmp_path):
    scores = (score("plan.safety", 1.0), score("netarena.safety", 1.0))
    write_page(tmp_path / "page.html", [result(family="plan", scores=scores)], lambda _: None)
    heads = Read((tmp_path / "page.html").read_text().partition("<dialog")[0]).text
    assert "plan.safety" in heads
    assert "netarena" not in heads


def test_testcases_that_fail_most_come_first(tmp_path):
    found = [
        trial(number)[0].model_copy(update={"testcase_results": cases})
        for number, cases in (
            (0, (ran("ping"), ran("route", "fail", under="cut"))),
            (50, (ran("ping", "fail"), ran("route", "fail", under="cut"))),
            (50, (ran("ping"), ran("never"))),
        )
    ]
    rows, more = failing(found)
    assert [(one.name, one.failed, one.runs) for one in rows] == [("route under cut", 2, 2), ("ping", 1, 3)]
    assert rows[1].agents == {"agent-0": (0, 1), "agent-2": (1, 2)}
    assert more == 0
