"""``netbench export atif`` and ``otel``: real conversations as trajectories and spans that others' classes take."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from nat.atif.trajectory import Trajectory

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.agents.react import React
from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.cli.main import main
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.scorers.apply import apply_scorers, load_scorers
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.names import known_platforms
from pytest_netbench.trial import Settings, family_of, judge, run_trial
from tests.support.collector import Collector, attributes, read_file, spans_in
from tests.support.doc_examples import ROOT
from tests.support.memory_tasks import write_task
from tests.support.memory_trial import WORK, Own, does_it
from tests.support.openai_server import Calls, Text, engineer, single_turn

CONFIGURE = ("update_cfg", {"device": "edge", "commands": list(WORK)})
SECRET = "Port 80 was dropped, and nobody told the agent."
CONTENT = {
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, memory_parts):
    monkeypatch.chdir(tmp_path)
    known_platforms.cache_clear()
    yield
    known_platforms.cache_clear()


@pytest.fixture
def keep(tmp_path):
    """Runs an agent on a task in memory and keeps the result in ``results``."""

    def run(agent: Any, slug: str = "reach") -> Any:
        task = load_task(write_task(tmp_path, slug, ground_truth_reasoning=SECRET))
        record = run_trial(task, agent, settings=Settings(backend="memory")).record
        record = record.model_copy(update={"truth_configs": {"edge": "the truth of edge"}})
        scores = apply_scorers(record, ["testcase"], where="worker", scorers=load_scorers(["testcase"]))
        result = judge(record, scores, pass_marks=family_of(task).pass_marks)
        ResultsDir.create(Path("results")).append(result, record, worker="main")
        return record

    return run


def trajectories(*arguments: str, status: int = 0) -> list[Trajectory]:
    # the published classes that this environment can have know no newer version
    assert main(["export", "atif", "results", "-o", "out", "--atif-version=1.7", *arguments]) == status
    texts = [path.read_text() for path in sorted(Path("out").glob("*.json"))]
    assert not any(word in text for text in texts for word in (SECRET, "the truth of edge", "web-open", "dc-route"))
    found = [Trajectory.model_validate_json(text) for text in texts]
    assert len({one.trajectory_id for one in found}) == len(found)
    # what the published classes allow, and the specification does not
    for one in found:
        assert one.schema_version == "ATIF-v1.7"
        assert one.session_id
        assert one.steps
        assert one.final_metrics.total_steps == len(one.steps)
        calls = [call.tool_call_id for step in one.steps for call in step.tool_calls or ()]
        assert len(calls) == len(set(calls))
        by_agent = [step for step in one.steps if step.source == "agent"]
        assert all(step.llm_call_count == (step.model_name is not None) for step in by_agent)
    return found


def test_a_conversation_with_tool_calls_is_a_trajectory(serve, agent_file, keep):
    serve(engineer([("get_topology", {}), ("get_running_cfg", {"device": "edge"})], [CONFIGURE]))
    record = keep(React(file=agent_file()))
    (one,) = trajectories()
    assert [step.source for step in one.steps[:3]] == ["system", "user", "agent"]
    looks, changes, done = [step for step in one.steps if step.source == "agent" and not step.extra][:3]
    assert [call.function_name for call in looks.tool_calls] == ["get_topology", "get_running_cfg"]
    told = {result.source_call_id: result.content for result in looks.observation.results}
    assert [*told] == [call.tool_call_id for call in looks.tool_calls]
    assert "deny tcp 80 any" in told[looks.tool_calls[1].tool_call_id]
    assert changes.tool_calls[0].arguments == CONFIGURE[1]
    assert "success" in changes.observation.results[0].content
    assert done.message == "Every intent holds: task done"
    assert (looks.metrics.prompt_tokens, looks.metrics.completion_tokens) == (100, 10)
    assert one.final_metrics.total_prompt_tokens == record.submission.usage.prompt_tokens
    about = one.extra["netbench"]
    assert (about["status"], about["scores"]["testcase"]) == ("passed", 1.0)
    times = [step.timestamp for step in one.steps]
    assert times == sorted(times)


def test_calls_that_a_strategy_or_a_program_makes_are_calls_of_an_agent(serve, agent_file, keep):
    serve([single_turn({"edge": list(WORK)})])
    keep(SingleTurn(file=agent_file(strategy="single-turn")))
    keep(Own(does_it), slug="other")
    own, single = sorted(trajectories(), key=lambda one: one.agent.name != "own")
    assert [step.source for step in own.steps] == ["user", "agent"]
    assert "port 80" in own.steps[0].message.lower()
    assert own.steps[1].tool_calls[0].arguments == {"device": "edge", "commands": list(WORK)}
    assert "success" in own.steps[1].observation.results[0].content
    answer = next(step for step in single.steps if step.model_name)
    assert [call.function_name for call in answer.tool_calls] == ["update_cfg"]
    assert len(answer.observation.results) == 1


def test_arguments_that_are_no_json_are_kept_and_what_cannot_be_exported_is_said(serve, agent_file, keep, capsys):
    serve([Calls(("get_topology", "{not json"), text=None), Text("task done")])
    keep(React(file=agent_file()))
    keep(Oracle(), slug="other")
    (one,) = trajectories()
    call = next(call for step in one.steps for call in step.tool_calls or ())
    assert call.arguments == {"text": "{not json"}
    assert "left out 1: the steps of 'oracle' are the ground truth, which is not exported" in capsys.readouterr().out
    assert trajectories("--agent", "nobody", status=1) == [one]


def test_a_conversation_is_spans_by_the_conventions_and_equal_in_a_file_and_over_http(serve, agent_file, keep):
    serve(engineer([("get_topology", {}), ("get_running_cfg", {"device": "nowhere"})], [CONFIGURE]))
    keep(React(file=agent_file()))
    assert main(["export", "otel", "results", "-o", "spans.jsonl"]) == 0
    requests = read_file(Path("spans.jsonl"))
    with Collector() as collector:
        assert main(["export", "otel", "results", "-o", collector.url]) == 0
    assert collector.requests == requests
    assert collector.paths == ["/v1/traces"]
    (resource,) = requests[0].resource_spans
    assert {one.key: one.value.string_value for one in resource.resource.attributes}[
        "service.name"
    ] == "pytest-netbench"
    spans = spans_in(requests)
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans)
    assert len({span.trace_id for span in spans}) == 1
    (root,) = [span for span in spans if not span.parent_span_id]
    for span in spans:
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        if span is not root:
            parent = by_id[span.parent_span_id]
            assert parent.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= parent.end_time_unix_nano
    (agent,) = [span for span in spans if span.name.startswith("invoke_agent")]
    (evaluate,) = [span for span in spans if span.name == "evaluate"]
    below = {name: [one for one in spans if one.name.startswith(name)] for name in ("chat", "execute_tool", "testcase")}
    assert {one.parent_span_id for one in (*below["chat"], *below["execute_tool"])} == {agent.span_id}
    assert {one.parent_span_id for one in below["testcase"]} == {evaluate.span_id}
    assert len(below["testcase"]) == 3
    assert [attributes(one)["gen_ai.tool.name"] for one in below["execute_tool"]] == [
        "get_topology",
        "get_running_cfg",
        "update_cfg",
    ]
    assert [bool(attributes(one).get("error.type")) for one in below["execute_tool"]] == [False, True, False]
    chat = attributes(below["chat"][0])
    assert chat["gen_ai.operation.name"] == "chat"
    assert chat["gen_ai.provider.name"] == "openai"
    assert chat["gen_ai.usage.input_tokens"] == 100
    assert chat["gen_ai.response.finish_reasons"] == ["tool_calls"]
    assert attributes(root)["netbench.score.testcase"] == 1.0
    assert attributes(agent)["gen_ai.usage.output_tokens"] >= 30


def test_content_is_in_spans_only_if_it_is_asked_for_and_never_the_ground_truth(serve, agent_file, keep):
    serve(engineer([("get_running_cfg", {"device": "edge"})], [CONFIGURE]))
    keep(React(file=agent_file()))
    keep(Oracle(), slug="other")
    assert main(["export", "otel", "results", "-o", "off.jsonl"]) == 0
    text = Path("off.jsonl").read_text()
    assert not any(f'"{name}"' in text for name in CONTENT)
    assert "deny tcp 80" not in text
    assert "Every intent holds" not in text
    assert main(["export", "otel", "results", "--content", "-o", "on.jsonl"]) == 0
    found = [attributes(span) for span in spans_in(read_file(Path("on.jsonl")))]
    assert {name for one in found for name in one} >= CONTENT
    assert any("deny tcp 80" in one.get("gen_ai.tool.call.result", "") for one in found)
    assert (
        json.loads(next(one["gen_ai.input.messages"] for one in found if "gen_ai.input.messages" in one))[0]["role"]
        == "system"
    )
    assert SECRET not in Path("on.jsonl").read_text()
    oracle, *_ = [request for request in read_file(Path("on.jsonl")) if "oracle" in str(request)]
    assert not any(name in attributes(span) for span in spans_in([oracle]) for name in CONTENT)


def test_the_fields_of_steps_are_documented(serve, agent_file, keep):
    serve(engineer([("get_running_cfg", {"device": "nowhere"})], [CONFIGURE]))
    record = keep(React(file=agent_file()))
    text = (ROOT / "docs/reference/transcripts.md").read_text()
    rows = dict(re.findall(r"^\| `(ani|completion|note)` \| (.+?) \|$", text, re.MULTILINE))
    for step in record.trace:
        assert set(step.data) <= set(re.findall(r"`(\w+)`", rows[step.kind])), step.kind
