"""netbench harvest: find solutions among the trials that passed, as candidates for recorded solutions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import runs
from pytest_netbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_netbench.model.task import Task
    from pytest_netbench.results.harvest import Candidate, Harvest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs, and what counts as different."""
    parser.add_argument("directories", nargs="*", type=Path, metavar="RUN", help=runs.HELP)
    parser.add_argument(
        "--difference",
        type=_share,
        metavar="SHARE",
        help="the least share of changed lines that a candidate has otherwise than each known solution (default: 0.2)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the candidates beside their tasks and say how to accept them; return 0 also if there are none."""
    from pytest_netbench.results.harvest import DIFFERENCE, harvest  # imports pydantic
    from pytest_netbench.results.store import ResultsDir

    for directory in runs.chosen(arguments.directories):
        store = ResultsDir(directory)
        found = harvest(store.results(), store.record_of, difference=arguments.difference or DIFFERENCE)
        _report(directory, found)
    return 0


def _report(directory: Path, found: Harvest) -> None:
    written = sum(_written(candidates, found) for candidates in list(found.candidates.values()))
    print(f"{directory}: {written} new candidate solution{'s' * (written != 1)}")
    for why, count in found.left_out.items():
        print(f"  left out {count} that passed: {why}")


def _written(candidates: Sequence[Candidate], found: Harvest) -> int:
    """Write the candidates of one task; return how many are new."""
    from pytest_netbench.results.candidates import candidates_path, load_candidates, save_candidates
    from pytest_netbench.taskfile import load_task  # imports pydantic

    first = candidates[0].result
    task_file = Path(first.node_id.partition("::")[0])
    try:
        task = load_task(task_file)
    except (InputError, OSError) as error:
        print(f"{task_file}: {error}", file=sys.stderr)
        found.leave_out(f"{task_file} cannot be loaded; run this command where pytest ran")
        return 0
    if task.digest != first.task_digest:
        for _ in candidates:
            found.leave_out(f"{task_file} has changed since the run")
        return 0
    path = candidates_path(task_file, task.slug)
    known = load_candidates(path)
    recorded = _recorded(task_file, task)
    new = []
    for one in candidates:
        if one.solution.solution_id in {other.solution_id for other in known}:
            found.leave_out("a candidate already")
        elif one.solution.configs in recorded:
            found.leave_out("accepted already")
        else:
            new.append(one)
    save_candidates(path, (*known, *(one.solution for one in new)))
    for one in new:
        share = f"{one.shared:.0%} of its changes are in the nearest known solution, the {one.nearest}"
        print(f"{one.solution.solution_id}: {one.result.task_name}: {share}")
        print(f"  written to {path}; accept it: netbench record {task_file} --accept {one.solution.solution_id}")
    return len(new)


def _recorded(task_file: Path, task: Task) -> list[dict[str, tuple[str, ...]]]:
    """The commands of the recorded right solutions."""
    from pytest_netbench.taskfile.solutions import load_solutions, solutions_path  # imports pydantic

    path = solutions_path(task_file, task.slug)
    return [one.configs for one in load_solutions(path, task).right] if path.is_file() else []


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share above 0 and up to 1, e.g. 0.2")
    return share
