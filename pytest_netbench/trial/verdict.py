"""The result of a trial, from its record and scores: passed or failed, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_netbench.model.score import Score
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TestcaseResult, TrialRecord, TrialResult
from pytest_netbench.process import process_of


def judge(record: TrialRecord, scores: Sequence[Score], *, pass_marks: Mapping[str, float]) -> TrialResult:
    """The result of a trial.

    It passes when the agent did not fail by itself and each gating score reaches its pass mark. A gating score that was
    not measured does not.
    """
    failed = record.outcome == "agent-error" or bool(short_of(scores, pass_marks))
    return TrialResult(
        **(of_task(record.task) | {name: getattr(record, name) for name in _SHARED}),
        status="failed" if failed else "passed",
        scores=tuple(scores),
        usage=record.submission.usage,
        methods=_methods(record),
        changed=_changed(record),
        process=process_of(record, passed=not failed),
        duration_s=record.deploy_s + record.agent_s + record.evaluate_s,
    )


_SHARED: Final = TrialRecord.model_fields.keys() & TrialResult.model_fields.keys()
"""What a result repeats of its record."""


def of_task(task: Task) -> dict[str, Any]:
    """What a result says of its task, by field name."""
    return {
        "task_name": task.task_name,
        "task_digest": task.digest,
        "domain": task.domain,
        "family": task.family,
        "size": task.size,
        "variant": None if task.variant is None else task.variant.seed,
        "drawn": task.drawn,
        "regions": task.regions,
    }


def _methods(record: TrialRecord) -> dict[str, int]:
    return dict(Counter(str(step.data.get("method")) for step in record.trace if step.kind == "ani"))


def _changed(record: TrialRecord) -> tuple[str, ...]:
    before, after = record.initial_configs, record.final_configs
    return tuple(sorted(name for name, config in after.items() if before.get(name, config) != config))


def short_of(scores: Sequence[Score], pass_marks: Mapping[str, float]) -> list[str]:
    """One phrase for each gating score that does not reach its pass mark."""
    values = {score.metric: score for score in scores}
    phrases = []
    for metric, mark in pass_marks.items():
        score = values.get(metric)
        if score is None or score.value is None:
            why = score.explanation if score is not None else "no such scorer ran"
            phrases.append(f"{metric} was not measured, {mark:g} is needed: {why}")
        elif score.value < mark:
            phrases.append(f"{metric} {score.value:.3g} is under its pass mark {mark:g}")
    return phrases


def explain(result: TrialResult, *, intents: Sequence[str], pass_marks: Mapping[str, float]) -> str:
    """Why ``result`` failed: a headline, then each failed testcase with intent, command, expected and actual."""
    failed = [one for one in result.testcase_results if one.status == "fail"]
    lines = [_headline(result, failed, pass_marks)]
    if result.error is not None:
        lines += [*(f"  {line}" for line in result.traceback), f"  {result.outcome}: {result.error}"]
    for one in failed:
        under = "" if one.under is None else f", under {one.under}"
        lines += ["", f"  {one.name} [{one.kind}{under}]", *_rows(one, intents)]
    return "\n".join(lines)


def _headline(result: TrialResult, failed: Sequence[TestcaseResult], pass_marks: Mapping[str, float]) -> str:
    phrases = []
    if result.outcome == "agent-error":
        phrases.append(
            f"the agent failed: {(result.error or '').splitlines()[0] if result.error else 'no reason given'}"
        )
    if failed:
        total = len(result.testcase_results)
        phrases.append(f"{len(failed)} of {total} testcases failed: {', '.join(one.name for one in failed)}")
    if not phrases:
        phrases = short_of(result.scores, pass_marks)
    return "; ".join(phrases)


def _rows(one: TestcaseResult, intents: Sequence[str]) -> list[str]:
    rows = []
    if one.intent is not None and one.intent <= len(intents):
        rows.append(("intent", f"{one.intent}. {intents[one.intent - 1].strip()}"))
    elif one.kind == "reference":
        rows.append(("intent", "all: the network does what they ask for, and else what it did before"))
    elif one.role == "regression":
        rows.append(("intent", "none: what worked before must still work"))
    rows += [("command", one.command), ("expected", one.expected), ("actual", one.actual)]
    return [line for name, text in rows for line in _row(name, text)]


def _row(name: str, text: str) -> list[str]:
    first, *rest = text.splitlines() or ["(nothing)"]
    return [f"    {name + ':':<10}{first}", *(f"{'':<14}{line}" for line in rest)]
