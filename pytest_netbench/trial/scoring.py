"""Scores and verdict of a trial, and the result of one that broke. Everybody who runs trials uses these functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from pytest_netbench.families.protocol import Family
from pytest_netbench.model.score import Score
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Replayed, TrialRecord, TrialResult
from pytest_netbench.scorers.apply import Place, apply_scorers, load_scorer
from pytest_netbench.scorers.protocol import Scorer
from pytest_netbench.trial.limits import family_of
from pytest_netbench.trial.verdict import judge, of_task

EVERYWHERE: Final[tuple[Place, ...]] = ("worker", "controller")


def scorer_names(family: Family, also: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of the scorers of ``family`` and of those in ``also``, each once."""
    return tuple(dict.fromkeys((*family.scorers, *also)))


def scored(record: TrialRecord, *, also: Sequence[str] = (), where: Sequence[Place] = ("worker",)) -> TrialResult:
    """The result of a trial: scored by the scorers of the task's family and those in ``also``, and judged.

    Args:
        record: Of the trial.
        also: Names of further scorers.
        where: Which scorers are applied. Those of ``"controller"`` load models.

    Raises:
        UsageError: There is no such scorer.
    """
    family = family_of(record.task)
    names = scorer_names(family, also)
    scores = [score for place in where for score in apply_scorers(record, names, where=place)]
    return judge(record, scores, pass_marks=family.pass_marks)


def heavy_scores(
    record: TrialRecord, *, also: Sequence[str] = (), load: Callable[[str], Scorer] = load_scorer
) -> tuple[Score, ...]:
    """Return the scores that ``scored`` leaves out: of scorers that load a model.

    Args:
        record: As for ``scored``, and so is ``also``.
        also: Names of further scorers.
        load: Gives the scorer of a name, e.g. one that is loaded already.
    """
    names = scorer_names(family_of(record.task), also)
    return apply_scorers(record, names, where="controller", scorers={name: load(name) for name in names})


def error_result(
    task: Task,
    agent: AgentInfo,
    error: str,
    *,
    node_id: str,
    number: int,
    started_at: float,
    duration_s: float = 0.0,
    replayed: Replayed | None = None,
) -> TrialResult:
    """The result of a trial that cannot be scored.

    Args:
        task: What was asked.
        agent: Who was to work on it.
        error: What broke.
        node_id: Name of the trial in results.
        number: 1 for the first attempt, 2 for the second …
        started_at: As a POSIX time stamp.
        duration_s: Wall seconds until it broke.
        replayed: Where the model's answers came from, if they were recorded ones.
    """
    return TrialResult(
        **of_task(task),
        node_id=node_id,
        agent=agent,
        trial=number,
        status="error",
        error=error,
        replayed=replayed,
        started_at=datetime.fromtimestamp(started_at, UTC).isoformat(timespec="milliseconds"),
        duration_s=duration_s,
    )


def lost_result(task: Task, agent: str, *, node_id: str, number: int) -> TrialResult:
    """The result of a trial that ended its process twice, the second time with no other trial in it: it has failed.

    Args:
        task: What was asked.
        agent: Id of who was to work on it.
        node_id: Name of the trial in results.
        number: 1 for the first attempt, 2 for the second …
    """
    words = "the worker process ended twice while it ran this trial, the second time with no other trial in it"
    info = AgentInfo(id=agent, strategy="")
    lost = error_result(task, info, words, node_id=node_id, number=number, started_at=time.time())
    return lost.model_copy(update={"status": "failed", "outcome": "agent-error"})


def words_of(error: BaseException) -> str:
    """What the result of a trial that broke says of the error."""
    return f"{type(error).__name__}: {error}"
