"""The score of a trial that ``netbench lab`` or ``netbench serve`` ran: made, kept as pytest keeps it, and printed."""

from __future__ import annotations

import contextlib
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_netbench.errors import ResultsError, UsageError

if TYPE_CHECKING:
    import argparse

    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import TrialRecord, TrialResult
    from pytest_netbench.trial import Stage

_WORKER: Final = "main"


def check(arguments: argparse.Namespace) -> None:
    """Refuse a results directory that cannot be written, before anything is deployed.

    Raises:
        UsageError: It cannot, or nothing is scored.
    """
    from pytest_netbench.results.store import ResultsDir  # noqa: PLC0415  (imports pydantic)

    if arguments.results is None:
        return
    if not arguments.score:
        raise UsageError("--results is where a score is kept: give --score, too")
    ResultsDir.create(arguments.results)


def evaluated(stage: Stage, arguments: argparse.Namespace) -> int:
    """Evaluate the network, keep the result, and print it on stderr.

    Returns:
        0 if the trial passed, otherwise 1.
    """
    from pytest_netbench.trial import explain, scored  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.trial.scoring import EVERYWHERE  # noqa: PLC0415

    _say("netbench: evaluating …")
    family = stage.family
    record = stage.evaluate(node_id=_node_id(stage.task, arguments))
    result = scored(record, where=EVERYWHERE)
    _keep(record, result, arguments)
    for score in result.scores:
        value = "not measured" if score.value is None else f"{score.value:.3g}"
        _say(f"{score.metric:24} {value:12} {score.explanation}")
    if result.status == "failed":
        intents = family.brief(stage.task).intents
        _say(explain(result, intents=intents, pass_marks=family.pass_marks))
    _say(f"netbench: {result.status}")
    return 0 if result.status == "passed" else 1


def _node_id(task: Task, arguments: argparse.Namespace) -> str:
    """The name of the trial as pytest would give it."""
    if task.drawn is not None:
        return f"{task.drawn.id.removesuffix(']')}-{arguments.agent}]"
    return f"{arguments.task}::{task.slug}[{arguments.agent}]"


def _keep(record: TrialRecord, result: TrialResult, arguments: argparse.Namespace) -> None:
    from pytest_netbench.results.store import ResultsDir  # noqa: PLC0415  (imports pydantic)

    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    folder = arguments.results or Path(".netbench", f"{arguments.command}-{stamp}")
    try:
        store = ResultsDir.create(folder)
        store.describe(argv=sys.argv[1:], versions={"python": platform.python_version()})
        store.append(result, record, worker=_WORKER)
        store.merge()
    except (ResultsError, UsageError) as error:
        _say(f"netbench: the result was not kept: {error}")
        return
    _say(f"netbench: the result is in {folder} (netbench show {folder})")


def _say(text: str) -> None:
    """Print on stderr, if whoever started this process still reads it."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
