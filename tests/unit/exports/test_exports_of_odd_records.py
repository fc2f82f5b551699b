"""Whatever an agent recorded, a trajectory is valid and spans can be encoded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nat.atif.trajectory import Trajectory

from pytest_netbench.exports import otlp
from pytest_netbench.exports.atif import trajectory
from pytest_netbench.exports.spans import spans_of
from pytest_netbench.model.trial import AgentInfo, Step, TrialRecord
from tests.support.collector import read_file, spans_in
from tests.support.pages import network_task
from tests.support.records import ran, record, result

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9) | st.just("tool"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "role", "content", "id", "name", "arguments", "code"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
_NAMES = "model new_messages response usage duration_s finish_reason purpose method params result error text"
KEYS = st.sampled_from(_NAMES.split())
STEPS = st.builds(
    Step,
    at_s=st.floats(0, 1e6),
    kind=st.sampled_from(["ani", "completion", "note"]),
    data=st.dictionaries(KEYS, VALUES, max_size=6),
)


def of(*steps: Step, **changes: Any) -> TrialRecord:
    fields = {
        "task": network_task(platform="frr"),
        "trace": steps,
        "agent_s": 2.0,
        "evaluate_s": 1.0,
        "deploy_s": 3.0,
    }
    return record(**{**fields, **changes})


@given(st.lists(STEPS, max_size=6))
@settings(max_examples=30, deadline=None)
def test_any_trace_is_exported(steps):
    whole = of(*steps)
    found = Trajectory.model_validate_json(json.dumps(trajectory(whole, result(), version="1.7")))
    assert found.steps or not steps
    for content in (False, True):
        spans = spans_of(result(), whole, content=content)
        assert len(spans) == 4 + sum(step.kind != "note" for step in steps)
        assert len(otlp._readable(result(), whole, content=content)) == len(spans)
        otlp._line(otlp._readable(result(), whole, content=content))


def test_lone_surrogates_and_huge_numbers_reach_a_file(tmp_path):
    step = Step(at_s=0.1, kind="ani", data={"method": "x\ud800", "params": {"n": 10**400}, "result": "\udfff\x00"})
    said = otlp.export([result()], lambda _: of(step), "x.jsonl", folder=tmp_path, content=True)
    assert said == "spans of 1 trials: x.jsonl"
    assert len(spans_in(read_file(tmp_path / "x.jsonl"))) == 5


def test_spans_lie_within_those_above_them():
    steps = (
        Step(at_s=1.5, kind="ani", data={"method": "get-topology", "duration_s": 9.0}),
        Step(at_s=99.0, kind="completion", data={"model": "azure/gpt-4o", "duration_s": 1.0}),
    )
    whole = of(*steps, testcase_results=(ran("a", duration_s=0.7), ran("b", "fail", duration_s=0.7)))
    spans = spans_of(result(), whole)
    assert [span.parent for span in spans] == [None, 0, 0, 2, 2, 0, 5, 5]
    assert spans[5].name == "evaluate"
    for span in spans[1:]:
        above = spans[span.parent or 0]
        assert above.start_s <= span.start_s <= span.end_s <= above.end_s
    assert spans[4].attributes["gen_ai.provider.name"] == "azure.ai.openai"
    assert spans[0].end_s - spans[0].start_s == pytest.approx(6.0)


@pytest.mark.parametrize("strategy", ["oracle", "replay"])
def test_what_may_be_the_ground_truth_is_no_content(strategy):
    agent = AgentInfo(id="x", strategy=strategy)
    step = Step(at_s=0.1, kind="ani", data={"method": "update-cfg", "params": {"commands": ["secret"]}, "result": {}})
    spans = spans_of(result(agent=agent), of(step, agent=agent), content=True)
    assert "secret" not in str(spans)
