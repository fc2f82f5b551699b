"""Recorded ground truth: the running configs that the oracle leaves, kept beside the task file for the command score.

``tasks/qos/llq-voice.task.yaml`` has it in ``tasks/qos/.truth/llq-voice.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from pytest_netbench import __version__, parts
from pytest_netbench.errors import ResultsError
from pytest_netbench.model.base import Model
from pytest_netbench.model.task import Task
from pytest_netbench.results.files import replace_file
from pytest_netbench.text import plain_json


class Truth(Model):
    """Running configs by node before and after the ground truth is applied, for the task of this ``digest``.

    ``versions``: with what they were recorded.
    """

    digest: str
    initial_configs: dict[str, str]
    configs: dict[str, str]
    versions: dict[str, str] = {}


def truth_path(task_path: Path, task: Task) -> Path:
    """Where the ground truth of a task is recorded."""
    return task_path.parent / ".truth" / f"{task.slug}.json"


def load_truth(task_path: Path, task: Task) -> Truth | None:
    """What was recorded for exactly this task; ``None`` if nothing was, or the task has changed since.

    Raises:
        ResultsError: There is a file, and it cannot be read.
    """
    path = truth_path(task_path, task)
    try:
        truth = Truth.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        raise ResultsError(
            f"{path}: not a recorded ground truth ({words}); record it again: pytest {task_path} --netbench-selftest"
        ) from error
    return truth if truth.digest == task.digest else None


def save_truth(
    task_path: Path,
    task: Task,
    initial_configs: Mapping[str, str],
    configs: Mapping[str, str],
    *,
    versions: Mapping[str, str] | None = None,
) -> bool:
    """Record the ground truth of a task; returns whether the file changed (other versions alone do not change it).

    Args:
        task_path: The task's file.
        task: The task.
        initial_configs: Running configs by node before the ground truth is applied.
        configs: Running configs by node after it.
        versions: With what they were recorded; by default this package and the task's platforms.

    Raises:
        ResultsError: It cannot be written.
    """
    path = truth_path(task_path, task)
    truth = Truth(
        digest=task.digest,
        initial_configs=dict(initial_configs),
        configs=dict(configs),
        versions=dict(_versions(task) if versions is None else versions),
    )
    if _recorded(path, task_path, task) == truth.model_copy(update={"versions": {}}):
        return False
    try:
        replace_file(path, plain_json(truth.model_dump(mode="json"), indent=1) + "\n")
    except ResultsError as error:
        raise ResultsError(
            f"{path}: the ground truth cannot be recorded ({_reason(error)}); make {task_path.parent} writable, or copy the "
            "tasks to a directory that is"
        ) from error
    return True


def _recorded(path: Path, task_path: Path, task: Task) -> Truth | None:
    """What stands there now, versions left aside; ``None`` if it is nothing or of no use."""
    if not path.exists():
        return None
    try:
        truth = load_truth(task_path, task)
    except ResultsError:
        return None  # it is about to be recorded again, which is the remedy
    return None if truth is None else truth.model_copy(update={"versions": {}})


def _versions(task: Task) -> dict[str, str]:
    versions = {"netbench": __version__}
    for platform in sorted({task.network.platform_of(node.name) for node in task.network.topology.nodes}):
        version = parts.load("drivers", platform)().version() if platform in parts.names("drivers") else None
        if version is not None:
            versions[platform] = version
    return versions


def _reason(error: ResultsError) -> str:
    cause = error.__cause__
    return str(cause.strerror) if isinstance(cause, OSError) else str(error)
