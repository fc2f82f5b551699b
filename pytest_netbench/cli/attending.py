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

from pytest_netbench.cli import scoring
from pytest_netbench.cli.lingering import Lingering
from pytest_netbench.cli.taskpaths import task_file
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.agents.external.interactive import Attendance
    from pytest_netbench.model.task import Task

_NO_LIMIT = dict.fromkeys(("calls", "commands", "wall_s", "tokens", "lab_s"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task, and how it is set up."""
    parser.add_argument("task", metavar="TASK", help="a task file, or a draw: NAME:PARAMETER=VALUE,… (the first one)")
    parser.add_argument("--index", type=int, default=0, metavar="N", help="of a draw: its place in the series, from 0")
    parser.add_argument("--budget", action="store_true", help="apply the task's budget; without it there is no limit")
    parser.add_argument(
        "--score",
        action="store_true",
        help="evaluate the network when the work is handed in, print the scores, and keep the result",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="with --score: the results directory (default: a new one in .netbench)",
    )
    parser.add_argument(
        "--agent",
        default="outside",
        metavar="ID",
        help="with --score: the agent's name in the results (default: outside)",
    )
    parser.add_argument("--backend", default="netns", metavar="NAME", help="what deploys the lab (default: netns)")


def attended(
    arguments: argparse.Namespace, attend: Callable[[Attendance], None], *, ssh: bool, ends: bool = False
) -> int:
    """Deploy the task, let ``attend`` wait until the work is done, score if asked, and remove everything.

    Args:
        arguments: The command's.
        attend: Serves the task, and returns when the work is handed in.
        ssh: Let the devices answer with SSH.
        ends: A client may end this process when it has the answer to task-done. If the work is scored, it gets it when
            the result is kept.

    Returns:
        1 if it was scored and not passed, otherwise 0.
    """
    from pytest_netbench.agents.external.interactive import Attended  # imports pydantic
    from pytest_netbench.trial import Stage, Store, TrialSpec  # imports backends' protocols

    if ssh and find_spec("asyncssh") is None:
        print("netbench: no logins by SSH (fix: pip install 'pytest-netbench[ssh]')", file=sys.stderr)
        ssh = False
    scoring.check(arguments)
    task, where = _task(arguments)
    # not the task's name: a drawn one names its faults, and an MCP host may show this to the agent
    print("netbench: deploying the task …", file=sys.stderr, flush=True)
    spec = TrialSpec(
        task=task,
        agent=arguments.agent,
        budget={} if arguments.budget else _NO_LIMIT,
        ssh=ssh and task.has_network,
        node_id=scoring.node_id(task, arguments),
        heavy=True,
        backend=arguments.backend,
        clock=getattr(arguments, "clock", "events"),
        store=Store(folder=str(where)),
    )
    if arguments.score:
        return scoring.scored(spec, attend, arguments, ends=ends)
    lingering = Lingering(attend)
    with Stage(task, spec.settings) as stage:
        agent = Attended(arguments.agent, lingering.attend, is_final=True)
        work = stage.work(agent, budget=spec.budget, ssh=spec.ssh)
    lingering.answer_late(work.outcome)
    return 0


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
    from pytest_netbench.cli.taskpaths import SUFFIXES
    from pytest_netbench.generators.series import read_series  # imports pydantic
    from pytest_netbench.taskfile import load_task
    from pytest_netbench.taskfile.nearby import exists

    if arguments.index < 0:
        raise UsageError(f"--index {arguments.index}: the first draw is 0")
    if arguments.task.endswith(SUFFIXES) or "/" in arguments.task.partition(":")[0] or exists(arguments.task):
        path = task_file(arguments.task)
        return load_task(path), path.parent
    return read_series(arguments.task).source(arguments.index).load(), Path.cwd()
