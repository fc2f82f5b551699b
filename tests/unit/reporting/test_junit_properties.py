from __future__ import annotations

from pytest_netbench.model.payload import TaskSize
from pytest_netbench.reporting.junit import junit_properties
from tests.support.records import busy_result, result, unprotected


def test_what_a_ci_system_reads():
    assert junit_properties(busy_result()) == [
        ("netbench.agent", "react-gpt-4o"),
        ("netbench.model", "gpt-4o"),
        ("netbench.strategy", "react"),
        ("netbench.task", "Voice first"),
        ("netbench.task_digest", "0123456789abcdef"),
        ("netbench.domain", "qos"),
        ("netbench.family", "configure"),
        ("netbench.trial", "1"),
        ("netbench.status", "failed"),
        ("netbench.outcome", "done"),
        ("netbench.score.testcase", "0.5"),
        ("netbench.scorer.testcase", "testcase/1"),
        ("netbench.score.command", "0.857143"),
        ("netbench.scorer.command", "command/1"),
        ("netbench.score.reasoning", "not measured"),
        ("netbench.scorer.reasoning", "reasoning/1"),
        ("netbench.calls", "12"),
        ("netbench.commands", "34"),
        ("netbench.tokens", "12345"),
        ("netbench.cost_usd", "0.0421"),
        ("netbench.agent_s", "63.000"),
        ("netbench.time_scale", "20"),
        ("netbench.backend", "netns"),
        ("netbench.transcript", "transcripts/llq-voice-react-gpt-4o-1a2b3c4d.json"),
    ]


def test_only_where_read_only_is_not_enforced_it_is_said():
    assert ("netbench.read_only", "not enforced") in junit_properties(busy_result(**unprotected()))
    assert "netbench.read_only" not in dict(junit_properties(busy_result()))


def test_an_infrastructure_error_claims_no_numbers():
    names = [name for name, _ in junit_properties(result(status="error", outcome=None, environment=None))]
    assert names == [
        f"netbench.{name}"
        for name in ("agent", "model", "strategy", "task", "task_digest", "domain", "family", "trial", "status")
    ]


def test_how_large_the_task_is_stands_with_its_result():
    properties = dict(
        junit_properties(result().model_copy(update={"size": TaskSize(steps=9, devices=4, configured=2)}))
    )
    assert [properties[f"netbench.{name}"] for name in ("steps", "devices", "configured")] == ["9", "4", "2"]


def test_a_measured_zero_is_not_the_same_as_not_measured():
    properties = dict(junit_properties(result({"testcase": 0.0, "command": None})))
    assert properties["netbench.score.testcase"] == "0"
    assert properties["netbench.score.command"] == "not measured"
