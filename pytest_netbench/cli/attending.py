"""What ``netbench lab`` and ``netbench serve`` share: one task on a stage, attended to from outside."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.agents.outside.attended import Attendance
    from pytest_netbench.model.task import Task
    from pytest_netbench.trial import Stage

_NO_LIMIT = dict.fromkeys(("calls", "commands", "wall_s", "tokens"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task, and how it is set up."""
    parser.add_argument("task", metavar="TASK", help="a task file, or a draw: NAME:PARAMETER=VALUE,… (the first one)")
    parser.add_argument("--index", type=int, default=0, metavar="N", help="of a draw: its place in the series, from 0")
    parser.add_argument("--budget", action="store_true", help="apply the task's budget; without it there is no limit")
    parser.add_argument("--score", action="store_true", help="evaluate the network at the end and print the scores")
    parser.add_argument("--backend", default="netns", metavar="NAME", help="what deploys the lab (default: netns)")


def attended(arguments: argparse.Namespace, attend: Callable[[Attendance], None], *, ssh: bool) -> int:
    """Deploy the task, let ``attend`` wait until the work is done, score if asked, and remove everything.

    Returns:
        1 if it was scored and not passed, otherwise 0.
    """
    from pytest_netbench.agents.outside.attended import Attended  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.trial import Settings, Stage  # noqa: PLC0415  (imports backends' protocols)

    if ssh and find_spec("asyncssh") is None:
        print("netbench: no logins by SSH (fix: pip install 'pytest-netbench[ssh]')", file=sys.stderr)
        ssh = False
    task, where = _task(arguments)
    # not the task's name: a drawn one names its faults, and an MCP host may show this to the agent
    print("netbench: deploying the task …", file=sys.stderr, flush=True)
    with Stage(task, Settings(backend=arguments.backend, where=where)) as stage:
        budget = None if arguments.budget else _NO_LIMIT
        stage.work(Attended("outside", attend), budget=budget, ssh=ssh and task.has_network)
        return _scored(stage) if arguments.score else 0


@contextlib.contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM ends the command as Ctrl-C does, so that nothing is left behind."""

    def interrupt(_: int, __: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _task(arguments: argparse.Namespace) -> tuple[Task, Path]:
    from pytest_netbench.cli.validate import SUFFIXES  # noqa: PLC0415
    from pytest_netbench.generators.series import read_series  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.taskfile import load_task  # noqa: PLC0415

    if arguments.index < 0:
        raise UsageError(f"--index {arguments.index}: the first draw is 0")
    path = Path(arguments.task)
    if arguments.task.endswith(SUFFIXES) or _exists(path):
        return load_task(path), path.parent
    return read_series(arguments.task).source(arguments.index).load(), Path.cwd()


def _exists(path: Path) -> bool:
    """Whether there is such a file. A series may be longer than a name of a file can be."""
    try:
        return path.exists()
    except OSError:
        return False


def _scored(stage: Stage) -> int:
    from pytest_netbench.scorers.apply import apply_scorers  # noqa: PLC0415
    from pytest_netbench.trial import explain, judge  # noqa: PLC0415

    print("netbench: evaluating …", file=sys.stderr, flush=True)
    record, family = stage.evaluate(), stage.family
    scores = [
        score for where in ("worker", "controller") for score in apply_scorers(record, family.scorers, where=where)
    ]
    result = judge(record, scores, pass_marks=family.pass_marks)
    for score in scores:
        value = "not measured" if score.value is None else f"{score.value:.3g}"
        print(f"{score.metric:24} {value:12} {score.explanation}", file=sys.stderr)
    print(f"netbench: {result.status}", file=sys.stderr)
    if result.status == "failed":
        intents = stage.family.brief(stage.task).intents
        print(explain(result, intents=intents, pass_marks=family.pass_marks), file=sys.stderr)
    return 0 if result.status == "passed" else 1
