"""Candidate solutions of a task, ``.candidates/SLUG.yaml`` beside its file: right ones that trials found.

The form is that of several ground truths in a task file. Nothing uses a candidate before it is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml
from pydantic import TypeAdapter, ValidationError

from pytest_netbench.documents.problems import unknown
from pytest_netbench.errors import ResultsError, SolutionsFileError, UsageError
from pytest_netbench.model.solutions import GroundTruth
from pytest_netbench.results.files import replace_file

FOLDER: Final = ".candidates"
WIDTH: Final = 120
_MANY: Final = TypeAdapter(tuple[GroundTruth, ...])


def candidates_path(task_file: Path, slug: str) -> Path:
    """Where the candidates of the task in ``task_file`` are."""
    return task_file.parent / FOLDER / f"{slug}.yaml"


def load_candidates(path: Path) -> tuple[GroundTruth, ...]:
    """The candidates in ``path``; none if there is no such file.

    Raises:
        SolutionsFileError: It holds something else.
    """
    try:
        return _MANY.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")) or ())
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        first = str(error).partition("\n")[0]
        raise SolutionsFileError(
            f"no candidate solutions ({first}); delete it and run netbench harvest again", path=path
        ) from error


def save_candidates(path: Path, candidates: Sequence[GroundTruth]) -> None:
    """Write the candidates of a task; without any, remove the file.

    Raises:
        ResultsError: It cannot be written.
    """
    if candidates:
        plain = [one.model_dump(mode="json", exclude_defaults=True) for one in candidates]
        replace_file(path, yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=WIDTH))
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be removed: {error.strerror}") from error


def candidate_of(path: Path, solution_id: str) -> GroundTruth:
    """The candidate of that id.

    Raises:
        UsageError: There is none.
        SolutionsFileError: The file holds something else.
    """
    found = {one.solution_id: one for one in load_candidates(path)}
    if solution_id not in found:
        if not found:
            raise UsageError(f"there is no candidate solution in {path}; find some with: netbench harvest RUN")
        raise UsageError(unknown("candidate solution", solution_id, list(found)))
    return found[solution_id]
