"""Acceptance of a candidate solution: it becomes a recorded right one if the self-test of the task passes with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from pytest_netbench.model.solutions import Solutions
    from pytest_netbench.model.task import Task
    from pytest_netbench.trial.selftest import SelftestReport


def accept(arguments: argparse.Namespace) -> bool:
    """Accept the candidate that the options name, and say what was written; return whether it was accepted.

    Raises:
        UsageError: Not one task is given, or it has no such candidate, or the candidate is recorded already.
        SolutionsFileError: What is recorded cannot be used, or the candidate does not fit it.
    """
    from pytest_netbench.families.configure.renaming import renaming_of_truth
    from pytest_netbench.model.configure import configuration_of  # imports pydantic
    from pytest_netbench.results.candidates import (
        candidate_of,
        candidates_path,
        load_candidates,
        save_candidates,
    )
    from pytest_netbench.results.files import replace_file
    from pytest_netbench.taskfile import load_task
    from pytest_netbench.taskfile.solutions import load_solutions, solutions_path, with_right

    path = _one_task(arguments)
    task = load_task(path)
    payload = configuration_of(task)
    candidates = candidates_path(path, task.slug)
    chosen = candidate_of(candidates, arguments.accept)
    solution = chosen.solution.model_copy(update={"reason": "it passes every testcase, and differs from the others"})
    recorded = solutions_path(path, task.slug)
    text = with_right(recorded.read_text(encoding="utf-8") if recorded.is_file() else "", solution)
    together = load_solutions(
        recorded, task, judge=lambda one: renaming_of_truth(payload, one.configs), data=text.encode()
    )
    report = _selftest(task, path, together, arguments)
    print(report.text())
    if report.problems:
        print(f"not accepted: {chosen.solution_id}; nothing was written")
        return False
    _keep_truth(task, path, report)
    replace_file(recorded, text)
    save_candidates(candidates, [one for one in load_candidates(candidates) if one != chosen])
    print(
        f"accepted: {chosen.solution_id} is a right solution in {recorded} now; say there in its reason why it is right"
    )
    return True


def _one_task(arguments: argparse.Namespace) -> Path:
    if len(arguments.paths) != 1 or arguments.paths[0].is_dir():
        raise UsageError("--accept takes one task file")
    if arguments.check or arguments.missing:
        raise UsageError("--accept goes with neither --check nor --missing")
    path: Path = arguments.paths[0]
    return path


def _selftest(task: Task, path: Path, solutions: Solutions, arguments: argparse.Namespace) -> SelftestReport:
    """Prove the task with all solutions, as ``pytest --netbench-selftest`` does; verdicts that are kept are used."""
    from pytest_netbench.families.proof import Extent  # imports pydantic
    from pytest_netbench.results.memory import KeptVerdicts
    from pytest_netbench.results.reference import ReferenceStore, is_held, lack_of
    from pytest_netbench.trial import Settings, selftest  # imports backends' protocols

    store = ReferenceStore.around(path.parent, root=Path.cwd())
    if (lack := lack_of(task, store, path)) is not None:
        raise UsageError(lack)
    held = store.path(task) if is_held(task) else None
    also = [arguments.backend, None, None if held is None else held.read_text(encoding="utf-8")]
    print(
        f"{path}: self-test with {len(solutions.right)} right and {len(solutions.wrong)} wrong solutions",
        file=sys.stderr,
    )
    memory = KeptVerdicts(Path.cwd(), task, also=also)
    return selftest(
        task, Settings(backend=arguments.backend, where=path.parent), Extent(solutions=solutions, memory=memory)
    )


def _keep_truth(task: Task, path: Path, report: SelftestReport) -> None:
    from pytest_netbench.results.truth import TruthStore  # imports pydantic

    assert report.truth is not None, "a self-test with all claims tells the truth"
    TruthStore.around(path.parent, root=Path.cwd()).save(
        task,
        report.truth.initial,
        report.truth.final,
        right=report.truth.right,
        right_reasoning=report.truth.right_reasoning,
    )
