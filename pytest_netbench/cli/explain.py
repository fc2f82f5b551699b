"""netbench explain: list what the reference behaviour of a task holds."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_netbench.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task."""
    parser.add_argument("path", type=Path, metavar="TASK", help="a task file with a recorded reference behaviour")


def run(arguments: argparse.Namespace) -> int:
    """Print what is held: flows and routes by moment, changes by intent, what is free, what varies."""
    from pytest_netbench.evaluation.behaviour.listing import explained  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.evaluation.behaviour.problems import reference_of  # noqa: PLC0415
    from pytest_netbench.evaluation.behaviour.suggesting import suggested  # noqa: PLC0415
    from pytest_netbench.model.configure import configuration_of  # noqa: PLC0415
    from pytest_netbench.results.reference import ReferenceStore  # noqa: PLC0415
    from pytest_netbench.taskfile import load_task  # noqa: PLC0415

    task = load_task(arguments.path)
    behaviour = ReferenceStore.around(arguments.path.parent, root=Path.cwd()).load(task)
    if behaviour is None:
        raise UsageError(
            f"{arguments.path}: no reference behaviour is recorded for this task as it is now; record it:"
            f" netbench record {arguments.path}"
        )
    reference = reference_of(task, behaviour)
    intents = [intent.text for intent in configuration_of(task).intents]
    print("\n".join([*explained(reference, intents), *suggested(task, reference)]))
    return 0
