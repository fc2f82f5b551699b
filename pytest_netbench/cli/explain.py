"""netbench explain: list what the reference behaviour of a task holds, or what is wrong in its network."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.model.faulty import Faulty


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which task."""
    parser.add_argument(
        "path", type=Path, metavar="TASK", help="a task file with a recorded reference behaviour, or with faults"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what is held: flows and routes by moment, changes by intent, what is free, what varies.

    Of a network with faults, print what is wrong, and the observations that prove it.
    """
    from pytest_netbench.evaluation.behaviour.listing import explained  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.evaluation.behaviour.problems import reference_of  # noqa: PLC0415
    from pytest_netbench.evaluation.behaviour.suggesting import suggested  # noqa: PLC0415
    from pytest_netbench.model.configure import configuration_of  # noqa: PLC0415
    from pytest_netbench.model.faulty import Faulty  # noqa: PLC0415
    from pytest_netbench.results.reference import ReferenceStore  # noqa: PLC0415
    from pytest_netbench.taskfile import load_task  # noqa: PLC0415

    task = load_task(arguments.path)
    if isinstance(task.payload, Faulty):
        print("\n".join(_wrong(task.payload)))
        return 0
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


def _wrong(payload: Faulty) -> Iterator[str]:
    from pytest_netbench.faults.evidence.reference import in_words  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.faults.reasoning import explained  # noqa: PLC0415

    if not payload.faults:
        yield "Nothing is wrong in this network."
        return
    yield from (explained(one) for one in payload.faults)
    yield "Observations that prove it:"
    yield from in_words(payload)
