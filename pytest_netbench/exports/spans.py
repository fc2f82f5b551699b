"""A trial as spans by the GenAI semantic conventions of OpenTelemetry. Pure; ``otlp`` sends them.

Owns which spans a trial has, when they begin and end, and their attributes. Texts of agents, models and devices are
content, which the conventions leave out unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from pytest_netbench.exports.atif import ANSWERS
from pytest_netbench.exports.reading import Asked, Requested, asked, requested, text_of
from pytest_netbench.model.trial import TestcaseResult, TrialRecord, TrialResult
from pytest_netbench.results.files import safe_name
from pytest_netbench.text import plain_json

Value = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Value]
ROOT: Final = 0
_PROVIDERS: Final[Mapping[str, str]] = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""litellm's names of providers whose name in the conventions differs."""
_USAGE: Final[Mapping[str, str]] = {
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "cost_usd": "netbench.cost_usd",
}


@dataclass(frozen=True, kw_only=True)
class Span:
    """A span. Times in seconds since the epoch.

    Attributes:
        name: What was done.
        start_s: When it began.
        end_s: When it ended.
        parent: Its parent's place in the list of spans; ``None`` of the trial itself.
        kind: ``client`` for requests to another system.
        attributes: By name.
        failed: It ended in an error.
        error: The error in words, if content is asked for.
    """

    name: str
    start_s: float
    end_s: float
    parent: int | None = ROOT
    kind: Literal["internal", "client"] = "internal"
    attributes: Attributes = field(default_factory=dict)
    failed: bool = False
    error: str = ""


def spans_of(result: TrialResult, record: TrialRecord | None, *, content: bool = False) -> Sequence[Span]:
    """Return the spans of a trial, the trial itself first.

    Args:
        result: Of the trial.
        record: Its transcript; without one (an infrastructure error) there is the trial alone.
        content: Add what was said to models and devices, and what they answered. Never of a trial whose steps are the
            ground truth.
    """
    content = content and result.agent.strategy not in ANSWERS
    began = datetime.fromisoformat(result.started_at).timestamp()
    if record is None:
        return [_trial(result, began, began + result.duration_s, content=content)]
    ended = began + record.agent_s
    agent = 2
    return [
        _trial(result, began - record.deploy_s, ended + record.evaluate_s, content=content),
        Span(name="deploy", start_s=began - record.deploy_s, end_s=began),
        _agent(record, began, ended, content=content),
        *_steps(record, began, ended, parent=agent, content=content),
        *_evaluation(record, ended, number=agent + 1 + sum(step.kind != "note" for step in record.trace)),
    ]


def _trial(result: TrialResult, start: float, end: float, *, content: bool) -> Span:
    scores = {f"netbench.score.{one.metric}": one.value for one in result.scores if one.value is not None}
    attributes: dict[str, Value] = {
        "test.case.name": result.node_id,
        "test.case.result.status": "pass" if result.status == "passed" else "fail",
        "netbench.task": result.task_name,
        "netbench.task_digest": result.task_digest,
        "netbench.domain": result.domain,
        "netbench.family": result.family,
        "netbench.agent": result.agent.id,
        "netbench.trial": result.trial,
        "netbench.status": result.status,
        **scores,
    }
    if result.outcome is not None:
        attributes["netbench.outcome"] = result.outcome
    if result.status != "passed":
        attributes["error.type"] = "infrastructure" if result.status == "error" else result.outcome or "failed"
    return Span(
        name=f"trial {result.task_name}",
        start_s=start,
        end_s=end,
        parent=None,
        attributes=attributes,
        failed=result.status != "passed",
        error=result.error or "" if content else "",
    )


def _agent(record: TrialRecord, start: float, end: float, *, content: bool) -> Span:
    usage = record.submission.usage
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": record.agent.id,
        "gen_ai.conversation.id": safe_name(record.node_id, record.trial),
        "netbench.strategy": record.agent.strategy,
        "netbench.calls": record.budget_used.calls,
        "netbench.commands": record.budget_used.commands,
        **_model(record.agent.model),
    }
    if usage.completions:
        attributes |= {
            "gen_ai.usage.input_tokens": usage.prompt_tokens,
            "gen_ai.usage.output_tokens": usage.completion_tokens,
        }
    if usage.cost_usd is not None:
        attributes["netbench.cost_usd"] = usage.cost_usd
    failed = record.outcome == "agent-error"
    if failed:
        attributes["error.type"] = record.outcome
    if content and record.submission.reasoning:
        attributes["gen_ai.output.messages"] = _message("assistant", record.submission.reasoning)
    error = record.error or "" if content else ""
    name = f"invoke_agent {record.agent.id}"
    return Span(name=name, start_s=start, end_s=end, attributes=attributes, failed=failed, error=error)


def _steps(record: TrialRecord, began: float, ended: float, *, parent: int, content: bool) -> Iterator[Span]:
    for step in record.trace:
        if step.kind == "note":
            continue
        made = _tool(requested(step), content=content) if step.kind == "ani" else _chat(asked(step), content=content)
        # the agent's clock stands still while it waits for the evaluation, so that nothing ends after its span
        start = min(began + made.start_s, ended)
        yield replace(made, parent=parent, start_s=start, end_s=max(start, min(began + made.end_s, ended)))


def _tool(one: Requested, *, content: bool) -> Span:
    """A request; times since the agent began."""
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": one.name,
        "gen_ai.tool.type": "function",
    }
    failed = one.error is not None
    if failed:
        code = one.error.get("code") if isinstance(one.error, dict) else None
        attributes["error.type"] = str(code) if isinstance(code, int) else "error"
    if content:
        attributes |= {"gen_ai.tool.call.arguments": plain_json(one.params), "gen_ai.tool.call.result": one.answer}
    return Span(
        name=f"execute_tool {one.name}",
        attributes=attributes,
        failed=failed,
        error=one.answer if content and failed else "",
        start_s=one.began_s,
        end_s=one.ended_s,
    )


def _chat(one: Asked, *, content: bool) -> Span:
    """A completion; times since the agent began."""
    model = _model(one.model)
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "chat",
        **model,
        **{_USAGE[name]: value for name, value in one.usage.items()},
    }
    if one.finish_reason:
        attributes["gen_ai.response.finish_reasons"] = [one.finish_reason]
    if one.purpose != "act":
        attributes["netbench.purpose"] = one.purpose
    if content:
        said = {"role": "assistant", "content": one.text, "thinking": one.thinking, "tool_calls": one.calls}
        attributes |= {
            "gen_ai.input.messages": plain_json([_parts(message) for message in one.messages]),
            "gen_ai.output.messages": plain_json([_parts(said)]),
        }
    name = f"chat {model.get('gen_ai.request.model', '')}".strip()
    return Span(name=name, kind="client", attributes=attributes, start_s=one.began_s, end_s=one.ended_s)


def _evaluation(record: TrialRecord, start: float, *, number: int) -> Iterator[Span]:
    end = start + record.evaluate_s
    yield Span(name="evaluate", start_s=start, end_s=end)
    for one in record.testcase_results:
        # many run side by side, and when each began is not recorded
        yield Span(
            name=f"testcase {one.name}",
            start_s=start,
            end_s=min(end, start + one.duration_s),
            parent=number,
            attributes=_testcase(one),
            failed=one.status == "fail",
        )


def _testcase(one: TestcaseResult) -> Attributes:
    attributes: dict[str, Value] = {
        "test.case.name": one.name,
        "test.case.result.status": one.status,
        "netbench.testcase.kind": one.kind,
        "netbench.testcase.role": one.role,
    }
    if one.intent is not None:
        attributes["netbench.testcase.intent"] = one.intent
    if one.under is not None:
        attributes["netbench.testcase.under"] = one.under
    return attributes


def _model(name: object) -> dict[str, Value]:
    """Provider and model of litellm's name of a model, such as ``openai/gpt-4o``."""
    if not name:
        return {}
    provider, slash, model = str(name).partition("/")
    if not slash:
        return {"gen_ai.request.model": str(name)}
    return {"gen_ai.provider.name": _PROVIDERS.get(provider, provider), "gen_ai.request.model": model}


def _parts(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of OpenAI's shape in that of the conventions."""
    role, text = text_of(message.get("role")), text_of(message.get("content"))
    if role == "tool":
        answer = {"type": "tool_call_response", "id": text_of(message.get("tool_call_id")), "response": text}
        return {"role": role, "parts": [answer]}
    parts: list[dict[str, Any]] = []
    if message.get("thinking"):
        parts.append({"type": "reasoning", "content": message["thinking"]})
    if text:
        parts.append({"type": "text", "content": text})
    parts += [{"type": "tool_call", **call} for call in message.get("tool_calls") or () if isinstance(call, dict)]
    return {"role": role, "parts": parts}


def _message(role: str, text: str) -> str:
    return plain_json([{"role": role, "parts": [{"type": "text", "content": text}]}])
