"""netbench difficulty: record how often agents passed, as evidence beside the tasks."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.results.difficulty import Subject


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs."""
    parser.add_argument("directories", nargs="*", type=Path, metavar="RUN", help=runs.HELP)


def run(arguments: argparse.Namespace) -> int:
    """Add the trials of runs to the files in ``.difficulty``; return 1 if none says anything."""
    from pytest_netbench.reporting.difficulty import difficulty_lines  # imports pydantic
    from pytest_netbench.results.difficulty import DifficultyStore, why_left_out
    from pytest_netbench.results.store import ResultsDir
    from pytest_netbench.results.verdicts import with_verdicts

    left_out: Counter[str] = Counter()
    used: list[TrialResult] = []
    for store in map(ResultsDir, runs.chosen(arguments.directories)):
        for result in store.results():
            why = why_left_out(result)
            if why is None:
                used.append(with_verdicts(store, result))
            else:
                left_out[why] += 1
    subjects = _by_subject(used, left_out)
    for subject, folder, results in subjects:
        found, path = DifficultyStore.around(folder, root=Path.cwd()).add(subject, results)
        print(f"{found.subject}: " + ("nothing new" if path is None else f"written to {_relative(path)}"))
        print("\n".join(f"  {line}" for line in difficulty_lines(found)))
    for why, count in left_out.items():
        print(f"left out, {why}: {count}", file=sys.stderr)
    return 0 if subjects else 1


def _by_subject(
    results: Iterable[TrialResult], left_out: Counter[str]
) -> list[tuple[Subject, Path, list[TrialResult]]]:
    """Trials by what they measure, and the folder near which that is recorded."""
    from pytest_netbench.results.difficulty import folder_of, subject_of  # imports pydantic

    found: dict[str, tuple[Subject, Path, list[TrialResult]]] = {}
    for one in results:
        subject = subject_of(one)
        file = Path(one.node_id.partition("::")[0])
        if one.drawn is None and not file.is_file():
            left_out[f"{file} is not there; run this command where pytest ran"] += 1
            continue
        found.setdefault(subject.digest, (subject, folder_of(one, Path.cwd()), []))[2].append(one)
    return list(found.values())


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
