"""The score of a trial that ``netbench lab`` or ``netbench serve`` ran: made, kept as pytest keeps it, and printed."""

from __future__ import annotations

import contextlib
import platform
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_netbench.cli.lingering import Lingering
from pytest_netbench.errors import ResultsError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pytest_netbench.agents.external.interactive import Attendance
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.trial import TrialSpec

_WORKER: Final = "main"


def check(arguments: argparse.Namespace) -> None:
    """Refuse a results directory that cannot be written, before anything is deployed.

    Raises:
        UsageError: It cannot, or nothing is scored.
    """
    from pytest_netbench.results.store import ResultsDir  # imports pydantic

    if arguments.results is None:
        return
    if not arguments.score:
        raise UsageError("--results is where a score is kept: give --score, too")
    ResultsDir.create(arguments.results)


def scored(spec: TrialSpec, attend: Callable[[Attendance], None], arguments: argparse.Namespace, *, ends: bool) -> int:
    """Run the trial, keep the result, and print it on stderr.

    Args:
        spec: The trial.
        attend: As for ``attending.attended``, and so is ``ends``.
        arguments: The command's.
        ends: A client may end this process when it has the answer to task-done, so it gets it last.

    Returns:
        0 if the trial passed, otherwise 1.
    """
    from pytest_netbench.agents.external.interactive import Attended  # imports pydantic
    from pytest_netbench.trial import perform
    from pytest_netbench.trial.execution import Here

    lingering = Lingering(attend)

    def until_handed_in(attendance: Attendance) -> None:
        lingering.attend(attendance)
        _say("netbench: evaluating …")

    with ExitStack() as serving:
        agent = Attended(arguments.agent, until_handed_in, until=serving, answers_later=ends, is_final=True)
        result = perform(spec, Here(agent=agent))
        _keep(result, arguments)
        _tell(result)
        if (record := result.record) is not None:
            lingering.answer_late(record.outcome)
    return 0 if result.status == "passed" else 1


def _tell(result: TrialResult) -> None:
    from pytest_netbench.trial import explain, family_of  # imports pydantic

    for score in result.scores:
        value = "not measured" if score.value is None else f"{score.value:.3g}"
        _say(f"{score.metric:24} {value:12} {score.explanation}")
    if result.status == "failed" and result.record is not None:
        task = result.record.task
        family = family_of(task)
        _say(explain(result, intents=family.brief(task).intents, pass_marks=family.pass_marks))
    _say(f"netbench: {result.status}")


def node_id(task: Task, arguments: argparse.Namespace) -> str:
    """The name of the trial as pytest would give it."""
    if task.drawn is not None:
        return f"{task.drawn.id.removesuffix(']')}-{arguments.agent}]"
    return f"{arguments.task}::{task.slug}[{arguments.agent}]"


def _keep(result: TrialResult, arguments: argparse.Namespace) -> None:
    from pytest_netbench.results.store import ResultsDir  # imports pydantic

    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    folder = arguments.results or Path(".netbench", f"{arguments.command}-{stamp}")
    try:
        store = ResultsDir.create(folder)
        store.describe(argv=sys.argv[1:], versions={"python": platform.python_version()})
        store.append(result, result.record, worker=_WORKER)
        store.merge()
    except (ResultsError, UsageError) as error:
        _say(f"netbench: the result was not kept: {error}")
        return
    _say(f"netbench: the result is in {folder} (netbench show {folder})")


def _say(text: str) -> None:
    """Print on stderr, if whoever started this process still reads it."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
