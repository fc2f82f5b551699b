"""A trial as a trajectory in ATIF, the Agent Trajectory Interchange Format of the Harbor project.

Owns how the trace of a record becomes steps. A trajectory has what the agent was told, said, did and was answered, and
its scores as numbers. It has no ground truth: no recorded configs, no testcases, no explanations of scores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from pytest_netbench.ani.methods import tool_name
from pytest_netbench.errors import UsageError
from pytest_netbench.exports.reading import asked, requested, text_of
from pytest_netbench.model.trial import Brief, Step, TrialRecord, TrialResult
from pytest_netbench.results.files import safe_name
from pytest_netbench.trial.limits import brief_for, terms_of

VERSIONS: Final = ("1.8", "1.7")
"""The versions of the format that can be written, the newest one first. They differ in their number alone."""
ANSWERS: Final = frozenset({"oracle", "replay"})
"""Strategies whose steps may be the ground truth."""
_SOURCES: Final[Mapping[str, str]] = {"system": "system", "developer": "system", "user": "user"}


def trajectory(record: TrialRecord, result: TrialResult, *, version: str = VERSIONS[0]) -> dict[str, Any]:
    """Return the trajectory of a trial as a JSON object.

    Args:
        record: The trial.
        result: What came of it.
        version: Of the format; readers may lag behind.

    Raises:
        UsageError: The steps of the agent may be the ground truth.
    """
    if record.agent.strategy in ANSWERS:
        raise UsageError(f"the steps of {record.agent.strategy!r} are the ground truth, which is not exported")
    steps = _Steps(record)
    return {
        "schema_version": f"ATIF-v{version}",
        "session_id": safe_name(record.node_id, record.trial),
        "trajectory_id": safe_name(record.node_id, record.trial, record.started_at),
        "agent": _given(
            name=record.agent.id,
            version=record.environment.netbench,
            model_name=record.agent.model,
            extra={"strategy": record.agent.strategy},
        ),
        "steps": list(steps.numbered()),
        "final_metrics": _final(record, len(steps)),
        "extra": {"netbench": _about(record, result)},
    }


class _Steps:
    """The steps of a trajectory, made from those of a trace in their order."""

    def __init__(self, record: TrialRecord) -> None:
        self._began = datetime.fromisoformat(record.started_at)
        self._steps: list[dict[str, Any]] = []
        self._answers: dict[str, str] = {}  # by call: what the model was told
        self._results: dict[str, str] = {}  # by call: what the ANI said
        self._turn: dict[str, Any] | None = None
        self._made = 0
        if not any(step.kind == "completion" for step in record.trace):
            there = record.environment
            brief = brief_for(record.task, terms_of(record), versions=there.platforms, notes=there.notes)
            self._add("user", _told(brief), at_s=0.0)
        for step in record.trace:
            {"completion": self._completion, "ani": self._ani, "note": self._note}[step.kind](step)

    def __len__(self) -> int:
        return len(self._steps)

    def numbered(self) -> Iterator[dict[str, Any]]:
        """Yield the steps with their numbers, and the answers to their calls."""
        for number, step in enumerate(self._steps, start=1):
            calls = step.get("tool_calls", ())
            told = {one["tool_call_id"]: self._answer(one["tool_call_id"]) for one in calls}
            results = [{"source_call_id": name, "content": text} for name, text in told.items() if text is not None]
            yield {"step_id": number, **step, **({"observation": {"results": results}} if results else {})}

    def _answer(self, call: str) -> str | None:
        return self._answers.get(call, self._results.get(call))

    def _add(self, source: str, message: str, *, at_s: float, **fields: Any) -> dict[str, Any]:
        at = (self._began + timedelta(seconds=at_s)).isoformat(timespec="milliseconds")
        step = {"timestamp": at, "source": source, "message": message, **_given(**fields)}
        self._steps.append(step)
        return step

    def _completion(self, step: Step) -> None:
        one = asked(step)
        for message in one.messages:
            role, content = str(message.get("role")), text_of(message.get("content"))
            if role == "tool":
                self._answers[str(message.get("tool_call_id"))] = content
            elif role in _SOURCES:
                self._add(_SOURCES[role], content, at_s=one.began_s)
        self._turn = self._add(
            "agent",
            one.text,
            at_s=one.ended_s,
            model_name=one.model or None,
            reasoning_content=one.thinking or None,
            tool_calls=[self._call(call) for call in one.calls] or None,
            metrics=dict(one.usage) or None,
            llm_call_count=1,
            extra=None if one.purpose == "act" else {"purpose": one.purpose},
        )

    def _call(self, call: Mapping[str, str]) -> dict[str, Any]:
        """A call of a model; arguments that are no JSON object are kept as text."""
        try:
            arguments = json.loads(call["arguments"])
        except ValueError:
            arguments = None
        return {
            "tool_call_id": call["id"] or self._number("call"),
            "function_name": tool_name(call["name"]) or "unknown",
            "arguments": arguments if isinstance(arguments, dict) else {"text": call["arguments"]},
        }

    def _number(self, kind: str) -> str:
        self._made += 1
        return f"{kind}-{self._made}"

    def _ani(self, step: Step) -> None:
        one = requested(step)
        for call in (self._turn or {}).get("tool_calls", ()):
            if call["function_name"] == one.name and call["tool_call_id"] not in self._results:
                self._results[call["tool_call_id"]] = one.answer
                return
        # not a tool call of a model: the strategy or the program sent it
        call = {
            "tool_call_id": self._number("ani"),
            "function_name": one.name,
            "arguments": one.params if isinstance(one.params, dict) else {"params": one.params},
        }
        self._results[call["tool_call_id"]] = one.answer
        turn = self._turn or self._add("agent", "", at_s=one.began_s, llm_call_count=0)
        turn.setdefault("tool_calls", []).append(call)

    def _note(self, step: Step) -> None:
        self._add("system", text_of(step.data.get("text")), at_s=step.at_s, extra={"purpose": "note"})


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _told(brief: Brief) -> str:
    """The task in words, for an agent whose prompts are not in the record."""
    devices = [f"- {name}: {platform}" for name, platform in brief.devices.items()]
    parts = [brief.task_name, *brief.intents, *brief.rules, *(["Devices:\n" + "\n".join(devices)] if devices else [])]
    return "\n\n".join(part.strip() for part in (*parts, *brief.hints))


def _final(record: TrialRecord, steps: int) -> dict[str, Any]:
    usage = record.submission.usage
    asked = usage.completions > 0
    return _given(
        total_prompt_tokens=usage.prompt_tokens if asked else None,
        total_completion_tokens=usage.completion_tokens if asked else None,
        total_cost_usd=usage.cost_usd,
        total_steps=steps,
    )


def _about(record: TrialRecord, result: TrialResult) -> dict[str, Any]:
    return {
        "node_id": record.node_id,
        "trial": record.trial,
        "task": record.task.task_name,
        "task_digest": record.task_digest,
        "domain": result.domain,
        "family": result.family,
        "status": result.status,
        "outcome": record.outcome,
        "error": record.error,
        "scores": {one.metric: one.value for one in result.scores},
        "submission": {"reasoning": record.submission.reasoning, "answer": record.submission.answer},
        "budget_used": record.budget_used.model_dump(),
    }
