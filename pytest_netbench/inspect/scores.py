"""The verdict and our scores as scorers of Inspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from inspect_ai.event import ErrorEvent, SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState

from pytest_netbench.errors import LabError, UsageError
from pytest_netbench.inspect.attempt import Ending
from pytest_netbench.inspect.attempts import Attempts
from pytest_netbench.inspect.work import Work
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.trial import explain, family_of

VERDICT: Final = "verdict"


def scorers_of(attempts: Attempts, metrics: Sequence[str]) -> list[Scorer]:
    """Return the scorers of a task: the verdict first, then one for each metric.

    An error of a lab is raised by the first, so a trial whose lab broke has no score at all.
    """
    return [_verdict(attempts), *(_metric(attempts, name) for name in metrics)]


def _verdict(attempts: Attempts) -> Scorer:
    @scorer(metrics=[accuracy(), stderr()], name=VERDICT)  # type: ignore[untyped-decorator]  # Inspect is not a dependency
    def verdict() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score | None:
            del target
            result = await _result(attempts, state)
            return None if result is None else _of_verdict(result)

        return score

    made: Scorer = verdict()
    return made


def _metric(attempts: Attempts, name: str) -> Scorer:
    @scorer(metrics=[mean(), stderr()], name=name)  # type: ignore[untyped-decorator]
    def metric() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score | None:
            del target
            result = await _result(attempts, state)
            return None if result is None else _of_metric(result, name)

        return score

    made: Scorer = metric()
    return made


async def _result(attempts: Attempts, state: TaskState) -> TrialResult | None:
    """What came of the trial of a sample; ``None`` if its lab broke, and Inspect scores samples with errors, too."""
    work = attempts.work(state)
    if work is None:
        if _last(ErrorEvent) is not None:
            return None
        if (limit := _last(SampleLimitEvent)) is not None:
            raise LabError(f"the lab was not ready before the sample was ended: {limit.message}")
        raise UsageError(
            "the network of this sample is gone, so nothing can be measured; with -T results=DIR trials are kept, and"
            " `netbench rescore DIR` scores them again"
        )
    if not state.completed:
        raise UsageError("a trial of pytest_netbench is judged once, when its sample has ended")
    failed = _last(ErrorEvent)
    if failed is not None and work.attempt.lab_error is not None:
        return None
    work.count()
    return await attempts.judge(state, _ending(work, state, failed))


def _ending(work: Work, state: TaskState, failed: ErrorEvent | None) -> Ending:
    said = _said(state)
    if failed is not None:
        return Ending(outcome="agent-error", stop_reason="agent-error", error=failed.error.message, said=said)
    if work.spent is not None:
        reason = f"budget: {work.spent.limit}"
        return Ending(outcome="budget", stop_reason=reason, error=str(work.spent), said=said)
    limit = _last(SampleLimitEvent)
    if limit is not None:
        reason = f"budget: {limit.type} limit of Inspect"
        return Ending(outcome="budget", stop_reason=reason, error=limit.message, said=said)
    if work.stopped:
        error = f"the agent ended without being done: {work.stopped}"
        return Ending(stop_reason=work.stopped, error=error, said=said)
    return Ending(said=said)


def _last(kind: Any) -> Any:
    return next((event for event in reversed(transcript().events) if isinstance(event, kind)), None)


def _said(state: TaskState) -> str | None:
    texts = [message.text.strip() for message in state.messages if message.role == "assistant"]
    return "\n\n".join(text for text in texts if text) or None


def _of_verdict(result: TrialResult) -> Score:
    record = result.record
    assert record is not None
    family = family_of(record.task)
    passed = result.status == "passed"
    words = explain(result, intents=family.brief(record.task).intents, pass_marks=family.pass_marks)
    return Score(
        value=CORRECT if passed else INCORRECT,
        answer=record.submission.stop_reason,
        explanation="every gating score reaches its pass mark" if passed else words,
        metadata=_facts(result),
    )


def _of_metric(result: TrialResult, name: str) -> Score:
    found = next((one for one in result.scores if one.metric == name), None)
    if found is None:
        return Score.unscored(explanation="not measured: no scorer of this name was applied")
    about = {"scorer": found.scorer, "evidence": found.evidence}
    if found.value is None:
        return Score.unscored(explanation=found.explanation, metadata=about)
    return Score(value=found.value, explanation=found.explanation, metadata=about)


def _facts(result: TrialResult) -> dict[str, Any]:
    plain = result.model_dump(mode="json", exclude={"scores", "traceback"})
    names = (
        "status",
        "outcome",
        "error",
        "task_digest",
        "budget_used",
        "violations",
        "testcase_results",
        "environment",
    )
    return {name: plain[name] for name in names if name in plain}
