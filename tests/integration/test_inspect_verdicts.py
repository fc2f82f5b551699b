"""The same calls of a model, under pytest and in Inspect's loop: equal verdicts and equal scores.

One task of each family runs here, and five with ``NETBENCH_WHOLE_CORPUS=1``.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.prompting import packaged
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.writing import task_text
from pytest_netbench.trial import brief_for, terms_for
from tests.integration.inspect_site import PROVIDER, Site, scores_in
from tests.support.openai_server import CONDENSED, Calls, OpenAIServer, Reply, Request, Text
from tests.support.reference_turns import reference_turns
from tests.support.task_list import TASKS

COUNT = 5 if os.environ.get("NETBENCH_WHOLE_CORPUS") else 1
FILES = (
    "routing/static-routing.task.json",
    "qos/dscp-marking.task.yaml",
    "routing/router-on-a-stick.task.yaml",
    "routing/bgp-two-providers.task.yaml",
    "routing/ospf-single-area.task.yaml",
)
SERIES = {
    "repair": "repair-routing:seed=7,level=1",
    "diagnose": "diagnose:seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0",
    "troubleshoot": "troubleshoot:seed=7,level=1,size=1,hosts=1,shapes=line,healthy=0",
    "plan": "plan:seed=7",
}
MEASURED_TIMES = {"latency", "netarena.latency", "outage"}
"""Scores that are times of the wall or depend on them: two runs never have the same."""
OPENING = Opening(system=packaged("react"), question=packaged("react-question"), instructions=None, examples={})
RIGHT, WRONG = "right", "wrong"


def chosen() -> list[Task]:
    files = [load_task(TASKS / name) for name in FILES[:COUNT]]
    return files + [source.load() for text in SERIES.values() for source in _sources(text)]


def _sources(series: str) -> list[Any]:
    head, _, rest = series.partition(":")
    return list(read_series(f"{head}:n={COUNT},{rest}").sources())


def script(tasks: list[Task]) -> Callable[[Request], Reply]:
    """The model `right` makes the calls of the reference solution, `wrong` hands in at once, or says it is done."""
    turns = {_words(task): reference_turns(task, reasoning=CONDENSED) for task in tasks}

    def reply(request: Request) -> Reply:
        if not request.get("tools"):
            return Text(CONDENSED)
        asked = json.dumps(request["messages"])
        (mine,) = (one for words, one in turns.items() if words in asked)
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        if request["model"].endswith(WRONG):
            return Calls(("task_done", {"reasoning": CONDENSED, **_wrong(mine[-1][0][1])}))
        return Calls(*mine[turn], text="This is what the task needs next.")

    return reply


def _wrong(done: dict[str, Any]) -> dict[str, Any]:
    answer = done.get("answer")
    if answer is None:
        return {}
    return {
        "answer": {"code": "def process_graph(graph_data):\n    return None\n"}
        if "code" in answer
        else {"is_anomaly": False}
    }


def _words(task: Task) -> str:
    """What is said in the conversation of no other task: all that a model is told before the versions of devices."""
    info = AgentInfo(id="any", strategy="any")
    text = OPENING.task_text(brief_for(task, terms_for(task, info)), how="")
    return json.dumps(text.partition("Hints:")[0].partition("Your budget:")[0])[1:-1]


@pytest.fixture(scope="module")
def verdicts_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("verdicts")


@pytest.fixture(scope="module")
def runs(inspect_environment, verdicts_folder) -> tuple[dict[tuple[str, str], Any], dict[tuple[str, str], Any]]:
    """By task and model: the results of pytest, and the samples of Inspect."""
    folder = verdicts_folder
    bench, tasks = folder / "tasks", chosen()
    bench.mkdir()
    for task in tasks:
        (bench / f"{task.slug}.task.yaml").write_text(task_text(task))
    for name in (".truth", ".reference"):
        (bench / name).symlink_to(TASKS / name)
    site = Site(inspect_environment.python, folder)
    with OpenAIServer(script(tasks)) as server:
        by_pytest = _by_pytest(site, server)
        families = sorted({task.family for task in tasks})
        done = site.inspect(
            "eval",
            *(f"pytest_netbench/{family}" for family in families),
            f"--model={PROVIDER}/{RIGHT},{PROVIDER}/{WRONG}",
            "-T",
            f"tasks={bench}",
            "-T",
            "labs=2",
            "-T",
            "results=inspect-results",
            "--max-samples=2",
            server=server,
        )
    logs = site.read_all(site.log_files())
    assert len(logs) == 2 * len(families), done.output
    by_inspect = {
        (str(sample["id"]), log["eval"]["model"].rpartition("/")[2]): sample
        for log in logs
        for sample in log["samples"]
    }
    return by_pytest, by_inspect


def _by_pytest(site: Site, server: OpenAIServer) -> dict[tuple[str, str], Any]:
    (site.folder / "agents").mkdir()
    for name in (RIGHT, WRONG):
        (site.folder / f"agents/{name}.agent.yaml").write_text(f"model: openai/{name}\nstrategy: react\n")
    argv = ["-m", "pytest", "tasks", f"--agent={RIGHT}", f"--agent={WRONG}", "--netbench-results=results"]
    done = subprocess.run(
        [site.python, *argv],
        cwd=site.folder,
        env=site.environment(**server.environment, LITELLM_LOCAL_MODEL_COST_MAP="True"),
        capture_output=True,
        text=True,
        check=False,
    )
    results = ResultsDir(site.folder / "results").results()
    assert results, done.stdout + done.stderr
    return {(one.node_id.partition("[")[0].rpartition("::")[2], one.agent.id): one for one in results}


@pytest.mark.parametrize("model", [RIGHT, WRONG])
@pytest.mark.parametrize("family", ["configure", "repair", "diagnose", "troubleshoot", "plan"])
def test_verdict_and_scores_are_those_of_pytest(runs, family: str, model: str) -> None:
    by_pytest, by_inspect = runs
    assert by_pytest.keys() == by_inspect.keys()
    mine = [key for key, one in by_pytest.items() if one.family == family and key[1] == model]
    assert len(mine) == COUNT
    for key in mine:
        expected, sample = by_pytest[key], by_inspect[key]
        assert sample.get("error") is None
        found = scores_in(sample)
        assert found.pop("verdict") == ("C" if expected.status == "passed" else "I")
        assert expected.status == ("passed" if model == RIGHT else "failed")
        assert found.keys() == {one.metric for one in expected.scores}
        for one in expected.scores:
            where = f"{key}: {one.metric}"
            assert (found[one.metric] is None) == (one.value is None), where
            if one.metric not in MEASURED_TIMES:
                assert found[one.metric] == one.value, where
                assert sample["scores"][one.metric]["explanation"] == one.explanation, where


def test_what_was_handed_in_and_used_is_that_of_pytest(runs, verdicts_folder) -> None:
    by_pytest, _ = runs
    kept = ResultsDir(verdicts_folder / "inspect-results")
    assert len(kept.results()) == len(by_pytest)
    for mine in kept.results():
        record = kept.record_of(mine)
        (expected,) = (
            one
            for key, one in by_pytest.items()
            if key == (mine.node_id.partition("[")[0], mine.agent.id.rpartition("/")[2])
        )
        other = ResultsDir(verdicts_folder / "results").record_of(expected)
        assert record.submission.reasoning == other.submission.reasoning
        assert record.submission.answer == other.submission.answer
        assert record.budget_used.calls == other.budget_used.calls
        assert record.budget_used.commands == other.budget_used.commands
        assert [step.data["params"] for step in record.trace if step.kind == "ani"] == [
            step.data["params"] for step in other.trace if step.kind == "ani"
        ]
        assert record.commands == other.commands
        assert record.final_configs == other.final_configs
