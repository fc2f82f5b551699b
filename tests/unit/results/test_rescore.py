from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.model.trial import Submission, TrialRecord
from pytest_netbench.process import process_of
from pytest_netbench.results.rescore import rescore
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.scorers.apply import apply_scorers
from tests.support.records import ran, record, result, score, task

NAMES = ("testcase", "command", "reasoning", "netconfbench.command", "netconfbench.reasoning")


@pytest.fixture(autouse=True)
def _no_network_and_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a stored run needs neither network nor processes")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


def trial(node_id: str = "a", **changes: object) -> TrialRecord:
    about = task(platform="frr")
    truth = "router ospf\n network 10.0.0.0/8 area 0\nexit\n"
    fields = {
        "task": about,
        "node_id": node_id,
        "testcase_results": (ran("one"), ran("two", "fail"), ran("three")),
        "submission": Submission(reasoning=about.ground_truth_reasoning),
        "initial_configs": {"R1": ""},
        "final_configs": {"R1": truth + "ip forwarding\n"},
        "truth_initial_configs": {"R1": ""},
        "truth_configs": {"R1": truth},
    }
    return record(**{**fields, **changes})


def run_of(path: Path, *records: TrialRecord) -> ResultsDir:
    store = ResultsDir.create(path)
    for one in records:
        scores = (
            *apply_scorers(one, NAMES, where="worker"),
            *apply_scorers(one, NAMES, where="controller"),
        )
        verdicts = process_of(one, passed=True)
        store.append(result(node_id=one.node_id, scores=scores, process=verdicts), one, worker="gw0")
    store.merge()
    return store


def test_a_finished_run_gives_the_same_numbers_again(tmp_path: Path):
    store = run_of(tmp_path, trial("a"), trial("b", final_configs={"R1": ""}))
    report = rescore(tmp_path)
    assert report.same
    assert (report.equal, report.differences, report.unscored) == (10, (), ())
    assert report.results == store.results()
    assert report.lines() == [f"2 results, 10 scores equal, 0 different: {tmp_path}/results.rescored.jsonl"]
    assert (tmp_path / "results.rescored.jsonl").read_text() == (tmp_path / "results.jsonl").read_text()


def test_a_number_that_was_changed_by_hand_is_found(tmp_path: Path):
    run_of(tmp_path, trial())
    for path in (tmp_path / "results.jsonl", tmp_path / "results-gw0.jsonl"):
        path.write_text(path.read_text().replace("0.666667", "0.9"))
    report = rescore(tmp_path)
    assert not report.same
    assert report.lines()[1] == "  a trial 1: testcase: 0.9 (testcase/1) -> 0.666667 (testcase/1)"


def test_another_version_of_a_scorer_explains_another_number(tmp_path: Path):
    store = ResultsDir.create(tmp_path)
    store.append(result(node_id="a", scores=(score("testcase", 0.1, version=0),)), trial(), worker="gw0")
    report = rescore(tmp_path)
    assert report.differences[0].expected
    assert str(report.differences[0]) == "a trial 1: testcase: 0.1 (testcase/0) -> 0.666667 (testcase/1)"
    assert report.same
    assert report.lines()[1] == "  another version of a scorer: testcase/0 -> testcase/1"


def test_another_version_is_told_even_if_its_numbers_are_the_same(tmp_path: Path):
    store = ResultsDir.create(tmp_path)
    measured = trial()
    value = len([one for one in measured.testcase_results if one.status == "pass"]) / len(measured.testcase_results)
    store.append(result(node_id="a", scores=(score("testcase", value, version=0),)), measured, worker="gw0")
    assert rescore(tmp_path).versions == (("testcase/0", "testcase/1"),)


def test_a_run_of_before_is_scored_by_todays_versions_and_by_the_drafts_formulas(tmp_path: Path):
    store = ResultsDir.create(tmp_path)
    before = (score("testcase", 0.666667), score("command", 0.8), score("reasoning", 1.0))
    store.append(result(node_id="a", scores=before), trial(), worker="gw0")
    for path in (tmp_path / "transcripts").iterdir():  # a transcript of before has no right solutions
        stored = json.loads(path.read_text())
        del stored["right_configs"], stored["right_reasoning"]
        path.write_text(json.dumps(stored))
    report = rescore(tmp_path)
    assert report.same
    assert report.lines()[1:3] == [
        "  another version of a scorer: command/1 -> command/2",
        "  another version of a scorer: reasoning/1 -> reasoning/2",
    ]
    assert [str(one) for one in report.differences] == [
        "a trial 1: netconfbench.command: absent -> 0.8 (netconfbench.command/1)",
        "a trial 1: netconfbench.reasoning: absent -> 1 (netconfbench.reasoning/1)",
    ]


def test_a_stored_run_has_the_right_solutions_of_its_time(tmp_path: Path):
    run_of(tmp_path, trial(right_configs={"forwarding, too": {"R1": trial().final_configs["R1"]}}))
    report = rescore(tmp_path)
    assert report.same
    assert report.results[0].score("command") == 1.0
    assert report.results[0].score("netconfbench.command") == 0.8


def test_a_score_that_a_killed_run_had_not_made_yet_is_to_be_expected(tmp_path: Path):
    store = ResultsDir.create(tmp_path)
    store.append(result(node_id="a", scores=()), trial(), worker="gw0")
    report = rescore(tmp_path)
    assert len(report.differences) == 5
    assert report.same


def test_scores_that_a_killed_run_had_not_made_are_made(tmp_path: Path):
    store = ResultsDir.create(tmp_path)
    store.append(result(node_id="a", scores=(score("testcase", 0.666667),)), trial(), worker="gw0")
    report = rescore(tmp_path)
    assert {one.metric for one in report.results[0].scores} == set(NAMES)
    assert [str(one) for one in report.differences] == [
        "a trial 1: command: absent -> 0.8 (command/2)",
        "a trial 1: reasoning: absent -> 1 (reasoning/2)",
        "a trial 1: netconfbench.command: absent -> 0.8 (netconfbench.command/1)",
        "a trial 1: netconfbench.reasoning: absent -> 1 (netconfbench.reasoning/1)",
    ]


def test_an_infrastructure_error_has_nothing_to_score_and_stays(tmp_path: Path):
    store = ResultsDir.create(tmp_path)
    store.append(result(node_id="a", status="error", outcome=None, scores=()), None, worker="gw0")
    report = rescore(tmp_path)
    assert report.same
    assert report.unscored == ()
    assert report.results == store.results()


def test_a_transcript_that_is_gone_is_said_and_the_rest_is_scored(tmp_path: Path):
    store = run_of(tmp_path, trial("a"), trial("b"))
    first = store.results()[0]
    assert first.transcript is not None
    (tmp_path / first.transcript).unlink()
    report = rescore(tmp_path)
    assert report.equal == 10
    assert report.unscored == (
        f"a trial 1: {tmp_path}/{first.transcript}: the transcript cannot be read: No such file or directory",
    )


def test_a_directory_without_results_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match=r"no results here \(neither results\.jsonl nor results-\*\.jsonl\)"):
        rescore(tmp_path)
    with pytest.raises(UsageError, match="no such results directory"):
        rescore(tmp_path / "nowhere")


def test_what_is_written_is_plain_json_lines(tmp_path: Path):
    run_of(tmp_path, trial())
    rescore(tmp_path)
    (line,) = (tmp_path / "results.rescored.jsonl").read_text().splitlines()
    assert json.loads(line)["node_id"] == "a"
