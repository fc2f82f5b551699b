"""Agents on models of every kind, through litellm and HTTP, on real routers, with all outputs of one run checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import run_trial
from tests.end_to_end import models
from tests.end_to_end.conftest import Bench, Ended, scores
from tests.support.openai_server import OpenAIServer
from tests.support.reasoning_extra import needs_reasoning_extra

ITEM = "two-sites[{}]"


def run_matrix(folder: Path, *arguments: str, only: tuple[str, ...] = ()) -> tuple[Ended, list[dict]]:
    """Everyone on the two sites; the run, and the requests the provider saw."""
    bench = Bench(folder)
    path = bench.task()
    task = load_task(path)
    oracle = run_trial(task, Oracle()).record
    TruthStore.around(path.parent, root=folder).save(task, oracle.initial_configs, oracle.final_configs)
    everyone = {
        "react-gpt-4o": bench.agent("react-gpt-4o", model="openai/gpt-4o"),
        "single": bench.agent("single", strategy="single-turn"),
        "half": bench.agent("half"),
        "single-half": bench.agent("single-half", strategy="single-turn"),
        "chatty": bench.agent("chatty", strategy="single-turn"),
        "stumbles": bench.agent("stumbles"),
        "endless": bench.agent("endless", budget={"calls": 6}),
        "silent": bench.agent("silent"),
        "busy": bench.agent("busy"),
        "refused": bench.agent("refused"),
        "down": bench.agent("down"),
        "hangs": bench.agent("hangs", settings={"timeout_s": 0.3}),
        "late": bench.agent("late", budget={"wall_s": 1.5}),
        "locked-out": bench.agent("locked-out"),
    }
    chosen = [option for name, option in everyone.items() if not only or name in only]
    script = models.Models(
        gpt_4o=models.solves,
        single=models.answers_at_once,
        half=models.does_half,
        single_half=models.answers_half,
        chatty=models.talks_of_others,
        stumbles=models.stumbles,
        endless=models.never_stops,
        silent=models.answers_nothing,
        busy=models.solves,
        refused=models.refuses,
        down=models.is_down,
        hangs=models.never_answers,
        late=models.never_answers,
        locked_out=models.wrong_key,
    )
    with OpenAIServer(script) as server:
        return bench.pytest("tasks", *chosen, *arguments, env=server.environment), server.requests


@pytest.fixture(scope="session")
def matrix(once) -> Ended:
    return once("matrix", lambda folder: run_matrix(folder, "-n2"))[0]


@pytest.fixture(scope="session")
def requests(once) -> list[dict]:
    return once("matrix", lambda folder: run_matrix(folder, "-n2"))[1]


def test_whoever_solves_it_passes_whoever_does_not_fails_and_what_broke_is_an_error(matrix):
    by_status: dict[str, set[str]] = {}
    for result in matrix.results.values():
        by_status.setdefault(result["status"], set()).add(result["agent"]["id"])
    assert by_status == {
        "passed": {"react-gpt-4o", "single", "stumbles", "busy"},
        "failed": {"half", "single-half", "chatty", "endless", "silent", "late"},
        "error": {"refused", "down", "hangs", "locked-out"},
    }
    assert matrix.code == 1
    assert "6 failed, 4 passed, 4 errors" in matrix.last_line


def test_the_scores_of_one_that_solves_it_are_complete(matrix):
    for agent in ("react-gpt-4o", "single"):
        measured = scores(matrix.of(agent))
        assert measured["testcase"] == 1.0
        assert measured["command"] == 1.0


@needs_reasoning_extra
def test_the_reasoning_of_one_that_solves_it_is_scored(matrix):
    for agent in ("react-gpt-4o", "single"):
        assert 0.3 < scores(matrix.of(agent))["reasoning"] < 1.0


def test_node_ids_read_as_task_and_agent(matrix):
    ids = {result["node_id"] for result in matrix.results.values()}
    assert "tasks/routing/two-sites.task.yaml::two-sites[react-gpt-4o]" in ids


@pytest.mark.parametrize("agent", ["half", "single-half"])
def test_half_of_the_work_is_half_of_the_testcases_and_the_failure_says_which(matrix, agent):
    measured = scores(matrix.of(agent))
    assert measured["testcase"] == 0.5
    assert 0 < measured["command"] < 1
    failure = matrix.junit[ITEM.format(agent)].find("failure")
    assert failure.get("message") == "1 of 2 testcases failed: h1 reaches h2"
    assert "expected: icmp echo from h1 to h2: allowed" in failure.text
    assert "Hosts of both sites reach each other." in failure.text
    assert "Traceback" not in failure.text


def test_a_refused_command_is_shown_with_the_device_own_words(matrix):
    (refused,) = [one for one in matrix.of("single-half")["commands"] if one["status"] == "error"]
    assert refused["command"] == "ip routee 10.1.0.0/24 10.0.12.1"
    assert "nknown command" in refused["message"] or "mbiguous" in refused["message"]


def test_an_answer_that_configures_what_is_not_there_fails_and_says_so(matrix):
    result = matrix.of("chatty")
    assert result["outcome"] == "agent-error"
    assert "R9" in result["error"]
    assert "the agent failed: " in matrix.junit[ITEM.format("chatty")].find("failure").get("message")


def test_nonsense_in_tool_calls_is_answered_and_survived(matrix):
    notes = [step["data"]["text"] for step in matrix.transcript("stumbles")["trace"] if step["kind"] == "note"]
    assert any("not valid JSON" in note for note in notes)
    assert any("unknown tool 'configure'" in note for note in notes)
    asked = [step["data"] for step in matrix.transcript("stumbles")["trace"] if step["kind"] == "ani"]
    assert any("R9" in str(one.get("error")) for one in asked)


def test_a_model_that_never_stops_is_scored_on_what_it_left(matrix):
    result = matrix.of("endless")
    assert (result["outcome"], result["budget_used"]["calls"]) == ("budget", 6)
    assert scores(result)["testcase"] == 0.5


def test_a_model_that_answers_nothing_fails_and_it_is_said_why(matrix):
    assert matrix.transcript("silent")["submission"]["stop_reason"] == "no-progress"
    assert scores(matrix.of("silent"))["testcase"] == 0.0
    assert "the agent ended without being done: no-progress" in matrix.junit[ITEM.format("silent")].find("failure").text


def test_a_provider_that_asks_to_wait_is_waited_for(matrix):
    notes = [step["data"]["text"] for step in matrix.transcript("busy")["trace"] if step["kind"] == "note"]
    assert any("failed, next in" in note for note in notes)


def test_an_agent_out_of_wall_time_is_scored_on_what_it_left(matrix):
    result = matrix.of("late")
    assert result["outcome"] == "budget"
    assert "wall_s" in result["error"]
    assert result["agent_s"] < 5


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("refused", "Rate limit reached"),
        ("down", "The server had an error"),
        ("hangs", "did not answer within 0.3 s"),
        ("locked-out", "API key"),
    ],
)
def test_a_provider_that_keeps_failing_is_an_error_that_says_so_and_has_no_score(matrix, agent, words):
    result = matrix.of(agent)
    assert words in result["error"]
    assert result["scores"] == []
    case = matrix.junit[ITEM.format(agent)]
    assert case.find("failure") is None
    assert words in case.find("error").get("message")


def test_errors_are_counted_apart_and_in_no_mean(matrix):
    table = matrix.out.partition("agent refused")[2].partition("agent ")[0]
    assert "infrastructure errors, not scored: 1" in table
    assert "0/1" not in table


def test_transcripts_hold_prompts_answers_and_every_ani_call(matrix, requests):
    trace = matrix.transcript("react-gpt-4o")["trace"]
    said = [step["data"] for step in trace if step["kind"] == "completion"]
    asked = [request for request in requests if request["model"] == "gpt-4o"]
    assert len(said) == len(asked) == 5
    assert said[0]["new_messages"] == asked[0]["messages"]
    told = [message for one in said[:4] for message in one["new_messages"]]
    sent = [message for message in asked[3]["messages"] if message["role"] != "assistant"]
    assert [message["content"] for message in told] == [message["content"] for message in sent]
    assert said[-1]["purpose"] == "condense"
    calls = [(step["data"]["method"], step["data"]["params"]) for step in trace if step["kind"] == "ani"]
    assert [method for method, _ in calls] == [
        "get-topology",
        "get-running-cfg",
        "update-cfg",
        "update-cfg",
        "execute-cmd",
    ]
    assert calls[2][1] == {"device": "R1", "commands": [models.R1]}
    assert matrix.transcript("react-gpt-4o")["submission"]["reasoning"] == models.REASONING


def test_final_configs_are_kept_as_files(matrix):
    stem = Path(matrix.of("react-gpt-4o")["transcript"]).stem
    config = (matrix.folder / "out" / "configs" / stem / "R1.cfg").read_text()
    assert models.R1 in config
    assert (matrix.folder / "out" / "configs" / stem / "h1.cfg").is_file()


def test_no_key_is_in_anything_that_is_kept_or_shown(matrix):
    kept = [path for path in (matrix.folder / "out").rglob("*") if path.is_file()] + [matrix.folder / "junit.xml"]
    assert len(kept) > 20
    assert not [path for path in kept if "key-of-the-test-server" in path.read_text()]
    assert "key-of-the-test-server" not in matrix.out


def test_junit_carries_scores_as_properties(matrix):
    properties = {one.get("name"): one.get("value") for one in matrix.junit[ITEM.format("half")].iter("property")}
    assert properties["netbench.score.testcase"] == "0.5"
    assert (properties["netbench.agent"], properties["netbench.model"]) == ("half", "openai/half")


@needs_reasoning_extra
def test_junit_carries_the_reasoning_score(matrix):
    properties = {one.get("name"): one.get("value") for one in matrix.junit[ITEM.format("half")].iter("property")}
    assert float(properties["netbench.score.reasoning"]) > 0


def test_what_was_run_is_written_down(matrix):
    import json

    about = json.loads((matrix.folder / "out" / "run.json").read_text())
    assert "--agent=half" in about["argv"]
    assert {"netbench", "pytest", "python"} <= set(about["versions"])


def comparable(result: dict) -> dict:
    """A result without times and what hangs on them."""
    used = {name: value for name, value in result["budget_used"].items() if name != "wall_s"}
    same = ("node_id", "task_digest", "agent", "status", "outcome", "error", "usage", "commands", "transcript")
    return {
        **{name: result[name] for name in same},
        "budget_used": used,
        "scores": [(one["metric"], one["value"], one["scorer"]) for one in result["scores"]],
        "testcases": [(one["name"], one["status"], one["expected"]) for one in result["testcase_results"]],
    }


def test_one_process_gives_the_same_results_as_two_workers(matrix, once):
    chosen = ("react-gpt-4o", "single-half", "refused")
    alone, _ = once("alone", lambda folder: run_matrix(folder, "-p", "no:cacheprovider", only=chosen))
    assert {name: comparable(one) for name, one in alone.results.items()} == {
        name: comparable(one) for name, one in matrix.results.items() if one["agent"]["id"] in chosen
    }


def test_a_run_is_scored_again_with_the_same_numbers_where_no_lab_could_be(matrix, bench):
    again = bench.netbench("rescore", str(matrix.folder / "out"), env={"PATH": "/nonexistent"})
    assert again.code == 0, again.out
    assert "14 results, 50 scores equal, 0 different" in again.out
