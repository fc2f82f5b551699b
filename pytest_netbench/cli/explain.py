"""netbench explain: list what the reference behaviour of a task holds, or what is wrong in its network."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli.taskpaths import task_file
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.model.configure import Configure
    from pytest_netbench.model.faulty import Faulty
    from pytest_netbench.model.task import Task
    from pytest_netbench.results.reference import ReferenceStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task."""
    parser.add_argument(
        "path", type=Path, metavar="TASK", help="a task file with a recorded reference behaviour, or with faults"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what is held: flows and routes by moment, changes by intent, what is free, what varies.

    Of a network with faults, print what is wrong, and the observations that prove it.
    """
    from pytest_netbench.evaluation.behaviour.listing import explained  # imports pydantic
    from pytest_netbench.evaluation.behaviour.problems import reference_of
    from pytest_netbench.evaluation.behaviour.suggesting import suggested
    from pytest_netbench.model.configure import configuration_of
    from pytest_netbench.model.faulty import Faulty
    from pytest_netbench.results.reference import ReferenceStore
    from pytest_netbench.taskfile import load_task

    path = task_file(arguments.path)
    task = load_task(path)
    if isinstance(task.payload, Faulty):
        print("\n".join(_wrong(task.payload)))
        return 0
    configuration = configuration_of(task)
    store = ReferenceStore.around(path.parent, root=Path.cwd())
    behaviour = store.load(task)
    if behaviour is None:
        print("\n".join(_asked(configuration)))
        sys.stdout.flush()
        raise UsageError(_lack(task, store, path))
    reference = reference_of(task, behaviour)
    text, as_json = path.read_text(encoding="utf-8-sig"), path.suffix.lower() == ".json"
    intents = [intent.text for intent in configuration.intents]
    print("\n".join([*explained(reference, intents), *suggested(task, reference, text=text, as_json=as_json)]))
    return 0


def _asked(configuration: Configure) -> Iterator[str]:
    """What is known of a task without a record: its intents, and the testcases of each."""
    for number, intent in enumerate(configuration.intents, start=1):
        yield f"Intent {number}: {' '.join(intent.text.split())}"
        yield from (f"  testcase: {one.name}" for one in configuration.testcases if one.intent == number)
    others = [one.name for one in configuration.testcases if one.intent is None]
    if others:
        yield "Testcases of no intent:"
        yield from (f"  {name}" for name in others)


def _lack(task: Task, store: ReferenceStore, path: Path) -> str:
    from pytest_netbench.results.reference import is_held  # imports pydantic

    outdated = store.outdated(task)
    what = (
        "no reference behaviour is recorded for this task"
        if outdated is None
        else f"the recorded reference behaviour {outdated} is of an earlier state of this task, and none is recorded"
        " for this task as it is now"
    )
    testcase = "" if is_held(task) else ", and a testcase of kind reference compares with it"
    return (
        f"{path}: {what}. explain lists the flows and routes of that record: what the network does before and after the"
        f" ground truth{testcase}. Record it, which deploys four labs: netbench record {path}"
    )


def _wrong(payload: Faulty) -> Iterator[str]:
    from pytest_netbench.faults.reasoning import explained, in_words  # imports pydantic

    if not payload.faults:
        yield "Nothing is wrong in this network."
        return
    yield from (explained(one) for one in payload.faults)
    yield "Observations that prove it:"
    yield from in_words(payload)
