"""The agent files of NetArena's strategies on real tasks of both families, over HTTP with scripted models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.resolve import resolve_agent
from pytest_netbench.datacenter_graph import golden
from pytest_netbench.families.plan.payload import plan_of
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial import run_trial
from pytest_netbench.trial.limits import family_of
from tests.support.netarena_models import IN_TURNS, by_tools, in_turns
from tests.support.openai_server import Forever, OpenAIServer, Reply, Request, Script, Text, engineer
from tests.support.plans import drawn
from tests.support.repairs import drawn_repair

ROOT = Path(__file__).parents[2]
AGENTS = (*IN_TURNS, "netarena-react")
NONSENSE = Forever(Text("Networks are like rivers."))


@pytest.fixture(scope="module", autouse=True)
def _this_machine_can() -> None:
    if find_spec("litellm") is None:
        pytest.skip("litellm is not installed (fix: pip install 'pytest-netbench[llm]')")
    lack = parts.load("backends", "netns")().lacks(request_of(drawn_repair()))
    lack = lack or parts.load("sandboxes", "netns")().lacks()
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")


@pytest.fixture
def attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[str, Task, Script], tuple[TrialRecord, OpenAIServer]]]:
    """Lets an agent file work on a task with a scripted model."""
    with ExitStack() as stack:

        def run(name: str, task: Task, script: Script) -> tuple[TrialRecord, OpenAIServer]:
            server = stack.enter_context(OpenAIServer(script))
            for variable, value in server.environment.items():
                monkeypatch.setenv(variable, value)
            return run_trial(task, resolve_agent(name, rootdir=ROOT)).record, server

        yield run


@cache
def repair() -> Task:
    """Two faults in three LANs."""
    return drawn_repair(4, subnets="3", level="2")


@cache
def plan() -> Task:
    return next(task for task in drawn(60) if task.drawn and task.drawn.label == "RM+R")


def once(task: Task) -> Text:
    answer = {"answer": {"code": golden.source(plan_of(task).query)}}
    return Text(f"Only RK_CONTAINS edges count.\n```json\n{json.dumps(answer)}\n```")


def tried_first(task: Task) -> Callable[[Request], Reply]:
    code = golden.source(plan_of(task).query)
    return engineer([("run_code", {"code": code})], [("task_done", {"answer": {"code": code}})])


def passed(record: TrialRecord) -> bool:
    family = family_of(record.task)
    values = {score.metric: score.value for score in apply_scorers(record, tuple(family.pass_marks), where="worker")}
    return all((values[metric] or 0.0) >= mark for metric, mark in family.pass_marks.items())


@pytest.mark.parametrize("name", AGENTS)
def test_a_model_that_repairs_the_network_passes_and_sees_a_report_after_each_change(attempt, name):
    task = repair()
    in_words = name in IN_TURNS
    model = in_turns(task, "r0", "ip route", "nft list ruleset") if in_words else by_tools(task, "r0", "ip route")
    record, server = attempt(name, task, model)
    assert (record.outcome, record.error) == ("done", None)
    assert passed(record)
    methods = [step.data["method"] for step in record.trace if step.kind == "ani"]
    changes = methods.count("update-cfg")
    assert changes == len(repair_of(task).faults)
    assert methods.count("get-reachability") == 1 + changes
    told = [message["content"] for message in server.conversations[-1 if name in IN_TURNS else -2]]
    reports = [text for text in told if "Who reaches whom now" in text]
    assert " X" in reports[0]
    assert "\n0 of " in reports[-1]


@pytest.mark.parametrize("name", AGENTS)
def test_a_model_that_answers_the_question_passes(attempt, name):
    task = plan()
    record, server = attempt(name, task, [once(task)] if name in IN_TURNS else tried_first(task))
    assert (record.outcome, record.error) == ("done", None)
    assert passed(record)
    assert sum(step.kind == "completion" for step in record.trace) == (1 if name in IN_TURNS else 3)
    asked = json.dumps(server.conversations[0])
    assert "get-reachability" not in asked, "there is no network to report on"
    assert "get_reachability" not in json.dumps(server.requests[0].get("tools", []))


@pytest.mark.parametrize("make", [repair, plan])
@pytest.mark.parametrize("name", ["netarena-zero-shot", "netarena-react"])
def test_a_model_that_talks_nonsense_fails_with_a_reason_and_no_crash(attempt, name, make):
    record, _ = attempt(name, make(), [NONSENSE])
    assert not passed(record)
    assert not record.commands
    if name == "netarena-react":
        assert record.submission.stop_reason == "no-progress"
    else:
        assert record.outcome == "agent-error"
        assert "has no JSON object" in (record.error or "")


def test_each_strategy_tells_the_model_something_else(attempt):
    told = {name: attempt(name, plan(), [once(plan())])[1].conversations[0] for name in IN_TURNS}
    plain, few, thought = (told[name] for name in IN_TURNS)
    assert "## Example 1" in few[1]["content"]
    assert few[1]["content"].endswith(plain[1]["content"])
    assert "## Example" not in plain[1]["content"] + thought[1]["content"]
    assert thought[0]["content"].startswith(plain[0]["content"].rstrip())
    assert "Think step by step" in thought[0]["content"]
