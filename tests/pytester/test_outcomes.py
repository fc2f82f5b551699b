"""What passes, fails, errs; and how it reads."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from tests.support.reasoning_extra import needs_reasoning_extra

NO_TRACEBACK = ("*Traceback*", "*pytest_netbench/*.py*", "*raise TrialFailed*")


def no_traceback(result: pytest.RunResult) -> None:
    for pattern in NO_TRACEBACK:
        result.stdout.no_fnmatch_line(pattern)


def test_the_oracle_passes_and_nop_fails(bench, workers):
    bench.task("reach")
    bench.task("other")
    result = bench.run("--agent=oracle", "--agent=nop", *workers)
    result.assert_outcomes(passed=2, failed=2)
    assert result.ret == 1
    assert len(bench.labs()) == len(bench.labs("destroy")) == 4


def test_a_verbose_failure_shows_intent_command_expected_and_actual_and_no_traceback(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=mine:Half", "-v", *workers)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*reach[[]mine.Half[]]*",
            "1 of 3 testcases failed: dc-route",
            "  dc-route [[]route[]]",
            "    intent:   2. The edge knows the data centre",
            "    command:  *10.9.0.0/16*",
            "    expected: *10.0.2.10*",
            "    actual:   *",
        ]
    )
    result.stdout.fnmatch_lines(
        ["FAILED tasks/access/reach.task.yaml::reach[[]mine.Half[]] - 1 of 3 testcases failed: dc-route"]
    )
    no_traceback(result)


def test_tb_long_shows_the_traceback_all_the_same(bench):
    bench.task("reach")
    bench.run("--agent=nop", "--tb=long").stdout.fnmatch_lines(["*raise TrialFailed*"])


def test_infrastructure_that_breaks_is_an_error_and_no_score(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=mine:LabDies", *workers)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["ERROR tasks/access/reach.task.yaml::reach* - the supervisor is gone"])
    no_traceback(result)
    (entry,) = bench.results()
    assert entry["status"] == "error"
    assert entry["scores"] == []
    assert "the supervisor is gone" in entry["error"]


@pytest.mark.parametrize("agent", ["NoProvider", "ClaimsBrokenLab", "ClaimsMissing", "ClaimsInput"])
def test_an_agent_that_raises_an_infrastructure_error_itself_has_failed(bench, workers, agent):
    bench.task("reach")
    result = bench.run(f"--agent=mine:{agent}", *workers)
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"FAILED tasks/access/reach.task.yaml::reach[[]mine.{agent}[]] - *"])
    result.stdout.no_fnmatch_line("ERROR*")
    (entry,) = bench.results()
    assert (entry["status"], entry["outcome"]) == ("failed", "agent-error")
    assert "openai: 503 after 4 attempts" in entry["error"]


def test_a_lab_that_cannot_be_deployed_is_an_error(bench, workers):
    bench.task("broken", requirements=["lab-breaks"])
    bench.task("reach")
    result = bench.run("--agent=oracle", *workers)
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(["ERROR *broken* - zebra of edge did not start*"])
    no_traceback(result)


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("mine:Fails", "the agent failed: I do not understand networks"),
        ("mine:Bug", "the agent failed: KeyError: 'nothing'"),
    ],
)
def test_an_agent_that_fails_is_failed_and_scored_on_what_it_left(bench, agent, said):
    bench.task("reach")
    result = bench.run(f"--agent={agent}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{said}*"])
    (entry,) = bench.results()
    assert entry["outcome"] == "agent-error"
    assert {score["metric"] for score in entry["scores"]} >= {"testcase"}


def test_an_agent_that_hangs_is_scored_on_what_it_left_and_the_run_goes_on(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=mine:Hangs", "--agent=oracle", "--netbench-budget=wall_s=0.4", *workers)
    result.assert_outcomes(passed=2)
    hung = next(entry for entry in bench.results() if entry["agent"]["id"] == "mine.Hangs")
    assert hung["outcome"] == "budget"
    assert "still busy in its own code" in hung["error"]


def test_junit_has_a_short_message_scores_as_properties_and_errors_apart(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=mine:Half", "--agent=mine:NotPrepared", "--junitxml=out.xml", *workers)
    result.assert_outcomes(failed=1, errors=1)
    suite = ET.parse(bench.path / "out.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")
    failed = next(case for case in suite.iter("testcase") if case.find("failure") is not None)
    assert failed.find("failure").get("message") == "1 of 3 testcases failed: dc-route"
    assert "expected:" in failed.find("failure").text
    properties = [(one.get("name"), one.get("value")) for one in failed.iter("property")]
    assert [name for name, _ in properties].count("netbench.score.testcase") == 1
    assert dict(properties)["netbench.score.testcase"].startswith("0.666")
    assert "warning" not in "\n".join(result.outlines)


def test_report_sections_show_scores_testcases_and_commands(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=mine:Half", "-v", *workers)
    result.stdout.fnmatch_lines(["*netbench scores*", "testcase *0.67 *2 of 3 testcases passed"])


def test_sections_of_passed_items_are_shown_on_request(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=oracle", "-rP", *workers)
    result.stdout.fnmatch_lines(["*netbench scores*"])


def test_the_summary_is_per_agent(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--agent=nop", *workers)
    text = "\n".join(result.outlines)
    summary = text[text.index("= netbench =") :]
    assert "oracle" in summary
    assert "nop" in summary
    result.stdout.fnmatch_lines(["results: *.netbench*"])


def test_results_are_the_same_with_and_without_xdist(bench):
    bench.task("reach")
    bench.task("other", domain="routing")
    agents = ("--agent=oracle", "--agent=mine:Half")
    bench.run(*agents, "--netbench-results=alone")
    bench.run(*agents, "--netbench-results=many", "-n2")

    def comparable(folder):
        kept = ("node_id", "status", "outcome", "scores", "commands", "task_digest", "domain", "trial")
        return sorted(
            ({name: entry[name] for name in kept} for entry in bench.results(folder)), key=lambda one: one["node_id"]
        )

    assert comparable("alone") == comparable("many")
    assert len(comparable("alone")) == 4


def test_hooks_are_called_with_what_they_promise(bench, workers):
    bench.task("reach")
    (bench.path / "conftest.py").write_text(
        "def note(text):\n"
        "    with open('hooks.txt', 'a') as file: file.write(text + '\\n')\n"
        "def pytest_netbench_lab_ready(lab, task): note(f'ready {task.slug} {sorted(lab.nodes)}')\n"
        "def pytest_netbench_trial_finished(record, result): note(f'finished {record.node_id} {result.status}')\n"
        "def pytest_netbench_result(result): note(f'result {result.node_id} {result.score(\"testcase\")}')\n"
    )
    bench.run("--agent=oracle", *workers).assert_outcomes(passed=1)
    assert (bench.path / "hooks.txt").read_text().splitlines() == [
        "ready reach ['branch', 'edge', 'web']",
        "finished tasks/access/reach.task.yaml::reach[oracle] passed",
        "result tasks/access/reach.task.yaml::reach[oracle] 1.0",
    ]


@needs_reasoning_extra
def test_the_reasoning_score_is_made_where_the_run_is_reported_and_kept(bench, workers):
    reasoning = "The edge drops port 80; take the rule away and add the route."
    bench.task("reach", ground_truth_reasoning=reasoning)
    bench.task("other", ground_truth_reasoning=reasoning)
    (bench.path / "conftest.py").write_text(
        "import sys\ndef pytest_sessionfinish(session):\n    assert 'torch' not in sys.modules\n"
    )
    result = bench.run("--agent=mine:Half", "--junitxml=out.xml", *workers, timeout=240)  # torch is slow to load
    result.assert_outcomes(failed=2)
    for entry in bench.results():
        scores = {score["metric"]: score["value"] for score in entry["scores"]}
        assert 0.3 < scores["reasoning"] < 1
    assert (bench.path / "out.xml").read_text().count('name="netbench.score.reasoning" value="0.') == 2
