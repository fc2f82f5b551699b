"""``netbench export sft``: lines that OpenAI's own types take, made from real conversations over litellm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.agents.answer import read_answer
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.agents.react import React
from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.cli.main import main
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.scorers.apply import apply_scorers, load_scorers
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.names import known_platforms
from pytest_netbench.trial import Settings, family_of, judge, run_trial
from tests.support.memory_tasks import write_task
from tests.support.memory_trial import Own, does_it
from tests.support.openai_server import engineer, single_turn

SOLUTION = ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"]
CONFIGURE = ("update_cfg", {"device": "edge", "commands": SOLUTION})
HIDDEN = "stop dropping port 80"
"""A sub-intent of the task, which only agents with the extra are told."""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, memory_parts):
    monkeypatch.chdir(tmp_path)
    known_platforms.cache_clear()
    yield
    known_platforms.cache_clear()


@pytest.fixture
def keep(tmp_path):
    """Runs an agent on a task in memory and keeps the result in ``results``; returns the record."""

    def run(agent: Any, slug: str = "reach", **changes: object) -> Any:
        task = load_task(write_task(tmp_path, slug, **changes))
        record = run_trial(task, agent, settings=Settings(backend="memory")).record
        family = family_of(task)
        scores = apply_scorers(record, ["testcase"], where="worker", scorers=load_scorers(["testcase"]))
        result = judge(record, scores, pass_marks=family.pass_marks)
        ResultsDir.create(Path("results")).append(result, record, worker="main")
        return record

    return run


def exported(*arguments: str, status: int = 0) -> list[dict[str, Any]]:
    assert main(["export", "sft", *arguments, "-o", "out.jsonl"]) == status
    return [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()] if status == 0 else []


def checked(example: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of an example, after OpenAI's types have taken it with every field it has."""
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
    from pydantic import TypeAdapter

    messages = example["messages"]
    assert example.keys() <= {"messages", "tools", "parallel_tool_calls"}
    taken = TypeAdapter(list[ChatCompletionMessageParam]).validate_python(messages)
    assert [whole(message) for message in taken] == messages
    tools = example.get("tools", [])
    assert [whole(tool) for tool in TypeAdapter(list[ChatCompletionToolParam]).validate_python(tools)] == tools
    waiting: set[str] = set()
    names = {tool["function"]["name"] for tool in tools}
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting, "a call was not answered"
        for call in message.get("tool_calls", ()):
            assert call["function"]["name"] in names
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            waiting.add(call["id"])
    assert messages[0]["role"] == "system"
    assert messages[-1]["role"] == "assistant"
    return messages


def whole(value: Any) -> Any:
    """Pydantic takes iterables lazily; this reads them."""
    if isinstance(value, dict):
        return {name: whole(one) for name, one in value.items()}
    return value if isinstance(value, str | bool | int | float | None) else [whole(one) for one in value]


def test_the_conversation_of_react_is_written_as_it_was_sent(serve, agent_file, keep):
    server = serve(engineer([("get_topology", {}), ("get_running_cfg", {"device": "edge"})], [CONFIGURE]))
    keep(React(file=agent_file(parallel_tool_calls=True)))
    (example,) = exported("--results", "results")
    messages = checked(example)
    last = [one for one in server.requests if one.get("tools")][-1]
    sent = [{name: value for name, value in one.items() if name != "name"} for one in last["messages"]]
    assert messages[:-1] == sent
    assert messages[-1] == {"role": "assistant", "content": "Every intent holds: task done"}
    assert example["tools"] == last["tools"]
    assert example["parallel_tool_calls"] is True
    assert HIDDEN not in json.dumps(example)


def test_single_turn_is_written_without_tools(serve, agent_file, keep):
    serve([single_turn({"edge": SOLUTION})])
    keep(SingleTurn(file=agent_file(strategy="single-turn")))
    (example,) = exported("--results", "results")
    assert [one["role"] for one in checked(example)] == ["system", "user", "assistant"]
    assert "tools" not in example


def test_the_oracle_is_written_as_the_answer_of_single_turn_to_the_network_as_it_was(serve, agent_file, keep):
    keep(Oracle(), ground_truth_reasoning="Port 80 was dropped.")
    (example,) = exported("--results", "results")
    _, user, assistant = checked(example)
    assert "Running configuration of edge:\n\n```\naddress e0 10.0.1.1" in user["content"]
    assert "deny tcp 80 any" in user["content"]
    assert HIDDEN not in user["content"]
    assert "Port 80 was dropped." not in user["content"]
    assert read_answer(assistant["content"], ["edge"]) == ("Port 80 was dropped.", {"edge": SOLUTION})
    server = serve([single_turn({"edge": SOLUTION})])
    keep(SingleTurn(file=agent_file(strategy="single-turn")), ground_truth_reasoning="Port 80 was dropped.")
    assert server.conversations[0] == example["messages"][:2]


def test_only_trials_that_passed_and_were_asked_for_are_written(serve, agent_file, keep, capsys):
    serve(engineer([CONFIGURE]))
    keep(React(file=agent_file()))
    keep(Oracle(), slug="other")
    serve(engineer([("get_topology", {})]))
    keep(React(file=agent_file(name="looks")), slug="unsolved")
    assert len(exported("--results", "results")) == 2
    assert len(exported("--results", "results", "--agent", "oracle")) == 1
    assert len(exported("--results", "results", "--family", "configure", "--min-score", "testcase=1")) == 2
    exported("--results", "results", "--family", "plan", status=1)
    exported("--results", "results", "--min-score", "safety=0", status=1)
    assert capsys.readouterr().out.endswith("there is no example to write\n")


def test_what_cannot_be_rebuilt_is_left_out_with_the_reason(serve, agent_file, keep, capsys, monkeypatch):
    serve(engineer([CONFIGURE]))
    keep(React(file=agent_file()))
    monkeypatch.setattr("pytest_netbench.training.transcripts.tool_specs", lambda methods, answer: [])
    exported("--results", "results", status=1)
    said = capsys.readouterr()
    assert said.out.endswith(
        "left out 1: the tools that the model was offered are not those of this version of netbench\n"
    )
    for transcript in Path("results/transcripts").iterdir():
        transcript.unlink()
    exported("--results", "results", status=1)
    assert "the transcript cannot be read: No such file or directory" in capsys.readouterr().out


def test_a_conversation_that_is_not_whole_is_left_out(serve, agent_file, keep, capsys):
    serve(engineer([("get_topology", {})], [CONFIGURE]))
    keep(React(file=agent_file()))
    keep(Own(does_it), slug="program")
    for transcript in Path("results/transcripts").iterdir():
        record = json.loads(transcript.read_text())
        completions = [step for step in record["trace"] if step["kind"] == "completion"]
        record["trace"] = [step for step in record["trace"] if step not in completions[:1]]
        transcript.write_text(json.dumps(record))
    exported("--results", "results", status=1)
    assert set(capsys.readouterr().out.splitlines()[1:]) == {
        "left out 1: the transcript does not have the whole conversation",
        "left out 1: the transcript has no conversation with a model",
    }


def test_equal_inputs_give_equal_bytes(serve, agent_file, keep):
    serve(engineer([CONFIGURE]))
    keep(React(file=agent_file()))
    keep(Oracle(), slug="other")
    found = []
    for _ in range(2):
        exported("--results", "results", "--generate", "plan:n=3,seed=5")
        found.append(Path("out.jsonl").read_bytes())
    assert found[0] == found[1]
    assert found[0].count(b"\n") == 5
