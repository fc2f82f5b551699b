"""What Inspect's users rely on: errors of samples, working time, epochs, limits, retries, other agents."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.generators.series import read_series
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.writing import task_text
from tests.integration.inspect_session import Session
from tests.integration.inspect_site import PROVIDER, Site, running, scores_in
from tests.support.openai_server import CONDENSED, Calls, Forever, Hang, OpenAIServer, Reply, Request, Text
from tests.support.reference_turns import reference_turns
from tests.support.task_list import TASKS

AGENTS = Path(__file__).with_name("inspect_agents.py")
STAR = "repair-routing:seed=7,level=1,subnets=2,hosts=2"
STATIC = TASKS / "routing/static-routing.task.json"
NEVER_HEALTHY = """\
health_checks:
  - {name: never, kind: route, device: NewYork, prefix: 9.9.9.0/24, next_hops: [1.1.1.1], within_s: 1}
"""
DONE = Calls(("task_done", {"reasoning": CONDENSED}))


def stars(count: int) -> tuple[str, ...]:
    """Arguments: so many tasks of small stars."""
    return ("pytest_netbench/drawn", "-T", f"generate={STAR},n={count}", "-T", "heavy=false")


def solving_star(request: Request) -> Reply:
    """The reference solution of the first star, turn by turn."""
    turns = reference_turns(next(read_series(f"{STAR},n=1").sources()).load(), reasoning=CONDENSED)
    return Calls(*turns[sum(message["role"] == "assistant" for message in request["messages"])])


def looking(request: Request) -> Reply:
    """Looks again and again."""
    return Calls(("get_topology", {}), usage=(1000, 10))


@pytest.fixture(scope="module")
def session(inspect_environment, tmp_path_factory) -> Iterator[Session]:
    with Session(Site(inspect_environment.python, tmp_path_factory.mktemp("session"))) as session:
        yield session


@pytest.fixture
def evaluate(session):
    """Evaluates tasks with a script, by default of small stars; the log."""

    def _evaluate(script: Any, count: int = 1, **arguments: Any) -> dict[str, Any]:
        task = arguments.pop("task", "pytest_netbench/drawn")
        drawn = {"generate": f"{STAR},n={count}"} if task.endswith("drawn") else {}
        options = {**drawn, "heavy": False, "labs": 1, **arguments.pop("options", {})}
        with OpenAIServer(script) as server:
            log = session.evaluate(task, server=server, task_args=options, **arguments)
            return log | {"requests": len(server.requests)}

    return _evaluate


def test_what_was_not_measured_is_unscored_with_our_explanation(evaluate) -> None:
    options = {"tasks": str(STATIC), "heavy": True}
    log = evaluate([Forever(DONE)], task="pytest_netbench/configure", options=options)
    (sample,) = log["samples"]
    found = scores_in(sample)
    unscored = {name for name, value in found.items() if value is None}
    assert unscored == {"reasoning", "netconfbench.reasoning"}, "the model that measures them is not installed there"
    assert all(sample["scores"][name]["explanation"] for name in found)
    means = {
        one["name"]: one["metrics"]["mean"]["value"] for one in log["results"]["scores"] if one["name"] != "verdict"
    }
    assert all((means[name] != means[name]) == (name in unscored) for name in means)


@pytest.mark.parametrize("careless", [True, False])
def test_a_lab_that_breaks_is_an_error_of_its_sample_and_never_a_score(evaluate, careless: bool) -> None:
    breaking = {"solver": f"{AGENTS}@breaking", "solver_args": {"careless": careless}}
    log = evaluate([Forever(DONE)], **breaking, score_on_error=careless)
    (sample,) = log["samples"]
    assert "LabDied" in sample["error"]["traceback"]
    assert not sample.get("scores")
    assert log["requests"] == 0
    assert log["status"] == "success", "others would have gone on"


def test_a_lab_that_cannot_be_deployed_is_an_error_of_its_sample_and_others_go_on(evaluate, tmp_path) -> None:
    text = task_text(load_task(STATIC))
    (tmp_path / "good.task.yaml").write_text(text.replace("slug: static-routing", "slug: good"))
    (tmp_path / "bad.task.yaml").write_text(text.replace("slug: static-routing", "slug: bad") + NEVER_HEALTHY)
    options = {"tasks": str(tmp_path)}
    log = evaluate([Forever(DONE)], task="pytest_netbench/configure", options=options, score_on_error=True)
    by_id = {sample["id"]: sample for sample in log["samples"]}
    assert "NotReady" in by_id["bad"]["error"]["traceback"]
    assert not by_id["bad"].get("scores")
    assert by_id["good"].get("error") is None
    assert scores_in(by_id["good"])["verdict"] == "I"


def test_the_wait_for_a_lab_is_no_working_time(evaluate) -> None:
    log = evaluate([Forever(DONE)], count=3, max_samples=3)
    for sample in log["samples"]:
        waits = [_span(sample, name) for name in ("pytest_netbench/stage", "verdict")]
        assert all(working < 0.2 * wall for wall, working in waits), waits
        assert sample["working_time"] <= sample["total_time"] - 0.8 * sum(wall for wall, _ in waits)
    stages = [_span(sample, "pytest_netbench/stage")[0] for sample in log["samples"]]
    assert max(stages) > 1.5 * min(stages), "with one lab at a time the last one waits for the others"


def _span(sample: dict[str, Any], name: str) -> tuple[float, float]:
    """Wall and working seconds of a solver or scorer."""
    begin = next(one for one in sample["events"] if one["event"] == "span_begin" and one["name"] == name)
    end = next(one for one in sample["events"] if one["event"] == "span_end" and one["id"] == begin["id"])
    moments = [datetime.fromisoformat(one["timestamp"]) for one in (begin, end)]
    return (moments[1] - moments[0]).total_seconds(), end["working_start"] - begin["working_start"]


def test_an_epoch_is_a_trial(evaluate, tmp_path) -> None:
    log = evaluate(solving_star, epochs=2, options={"results": str(tmp_path / "results")})
    assert [(sample["epoch"], scores_in(sample)["verdict"]) for sample in log["samples"]] == [(1, "C"), (2, "C")]
    kept = ResultsDir(tmp_path / "results").results()
    assert sorted(one.trial for one in kept) == [1, 2]
    assert {one.status for one in kept} == {"passed"}


@pytest.mark.parametrize(
    ("ours", "theirs", "limit", "words"),
    [
        ({"calls": 3}, {"message_limit": 100}, "custom", "calls"),
        ({"calls": 100}, {"message_limit": 8}, "message", "message"),
        ({"tokens": 3000}, {"token_limit": 100_000}, "custom", "tokens"),
        ({"tokens": 100_000}, {"token_limit": 3000}, "token", "token"),
    ],
)
def test_of_both_limits_the_tighter_holds(evaluate, ours, theirs, limit: str, words: str) -> None:
    log = evaluate(looking, options={"budget": ours}, **theirs)
    (sample,) = log["samples"]
    assert sample["limit"]["type"] == limit
    assert scores_in(sample)["verdict"] == "I"
    about = sample["scores"]["verdict"]["metadata"]
    assert about["outcome"] == "budget"
    assert words in about["error"].lower()
    assert 2 <= about["budget_used"]["calls"] <= 3


@pytest.mark.parametrize(("ours", "theirs", "limit"), [({"wall_s": 4}, 600, "custom"), ({"wall_s": 600}, 60, "time")])
def test_a_model_that_does_not_answer_is_out_of_time_by_the_tighter_limit(evaluate, ours, theirs, limit) -> None:
    log = evaluate([Forever(Hang(300))], options={"budget": ours}, time_limit=theirs)
    (sample,) = log["samples"]
    assert sample["limit"]["type"] == limit
    assert scores_in(sample)["verdict"] == "I"
    assert sample["scores"]["verdict"]["metadata"]["outcome"] == "budget"
    assert sample["total_time"] < 250


def test_eight_samples_side_by_side_do_not_hold_up_the_loop(session) -> None:
    with OpenAIServer([Forever(DONE)]) as server:
        log = session.evaluate(
            f"{AGENTS}@watched",
            server=server,
            task_args={"generate": f"{STAR},n=8"},
            max_samples=8,
            max_connections=8,
        )
    assert [sample.get("error") for sample in log["samples"]] == [None] * 8
    begun = [datetime.fromisoformat(sample["started_at"]) for sample in log["samples"]]
    ended = [datetime.fromisoformat(sample["completed_at"]) for sample in log["samples"]]
    assert max(begun) < min(ended), "all eight were open at one moment"
    held_up = [sample["store"]["longest_hold_up_s"] for sample in log["samples"]]
    waits = [_span(sample, "pytest_netbench/stage")[0] for sample in log["samples"]]
    assert max(held_up) < 0.5 * max(waits), (held_up, waits)


def test_a_retry_runs_only_what_was_not_finished(inspect_site) -> None:
    replies = [DONE, Forever(Hang(300))]
    with OpenAIServer(replies) as server:
        argv = ("eval", *stars(2), "-T", "labs=1", "--max-samples=1", f"--model={PROVIDER}/m")
        with running(inspect_site, *argv, server=server) as process:
            _until(lambda: len(server.requests) >= 2)
            process.send_signal(signal.SIGINT)
            process.wait(300)
        (first,) = inspect_site.log_files()
        assert inspect_site.read(first)["status"] == "cancelled"
        replies[1] = Forever(DONE)
        done = inspect_site.inspect("eval-retry", str(first), server=server)
        assert done.status == 0, done.output
        (second,) = set(inspect_site.log_files()) - {first}
        log = inspect_site.read(second)
        assert len(server.requests) == 3
    assert log["status"] == "success"
    assert [scores_in(sample)["verdict"] for sample in log["samples"]] == ["I", "I"]


def _until(condition: Any) -> None:
    ends = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.1)


@pytest.mark.parametrize("chosen", [f"{AGENTS}@plain_react", "generate"])
def test_agents_of_others_work_on_our_stages(evaluate, chosen: str) -> None:
    def script(request: Request) -> Reply:
        answered = [message for message in request["messages"] if message["role"] == "tool"]
        if any(message["content"].startswith('{"ok"') for message in answered):
            return Text("That is all.")
        return solving_star(request)

    log = evaluate(script, solver=chosen)
    (sample,) = log["samples"]
    assert sample.get("error") is None
    assert scores_in(sample)["verdict"] == "C"


def test_an_agent_that_fails_is_an_error_and_failed_if_samples_with_errors_are_scored(evaluate) -> None:
    log = evaluate([Forever(DONE)], solver=f"{AGENTS}@failing")
    assert "a mistake of the agent" in log["samples"][0]["error"]["message"]
    assert not log["samples"][0].get("scores")
    log = evaluate([Forever(DONE)], solver=f"{AGENTS}@failing", score_on_error=True)
    assert scores_in(log["samples"][0])["verdict"] == "I"
    assert log["samples"][0]["scores"]["verdict"]["metadata"]["outcome"] == "agent-error"


def test_nothing_of_a_killed_evaluation_remains(inspect_site) -> None:
    with OpenAIServer([Forever(Hang(300))]) as server:
        with running(inspect_site, "eval", *stars(2), f"--model={PROVIDER}/m", server=server) as process:
            _until(lambda: len(server.requests) >= 2)
            labs = _descendants(process.pid)
            assert labs
            os.kill(process.pid, signal.SIGKILL)
        _until(lambda: not any(_alive(pid) for pid in labs))


def _descendants(pid: int) -> list[int]:
    children = [
        int(one) for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()
    ]
    return children + [further for child in children for further in _descendants(child)]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
