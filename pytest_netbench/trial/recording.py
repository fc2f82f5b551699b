"""Recording of the reference behaviour of a task. Usable without pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pytest_netbench.errors import UsageError
from pytest_netbench.families.protocol import Progress, RecordsBehaviour, Scene
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.trial.limits import family_of
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage


def record_behaviour(
    task: Task,
    settings: Settings | None = None,
    *,
    solutions: Solutions | None = None,
    progress: Progress = lambda _: None,
    refused: Callable[[Mapping[RefusedLine, None]], object] = lambda _: None,
) -> Behaviour:
    """Observe what the network of ``task`` does before anything is done, and after the ground truth.

    Args:
        task: What is recorded.
        settings: How stages are set up.
        solutions: What is recorded beside it: of events, that is held which its right solutions agree on.
        progress: Is told what is done now.
        refused: Is told of each lab which lines of startup configs its devices refused.

    Raises:
        UsageError: No behaviour is recorded for tasks of this family.
        RequirementMissing: This machine lacks something that the task needs.
        GroundTruthRejected: A device refused the ground truth.
        InfrastructureError: A stage broke, or its health checks failed.
    """
    family = family_of(task)
    if not isinstance(family, RecordsBehaviour):
        raise UsageError(f"task {task.slug} of family {task.family!r} has no reference behaviour to record")
    unheld = replace(settings or Settings(), reference=lambda _: None)

    @contextmanager
    def stages(*, when_healthy: Callable[[Any], object] | None = None) -> Iterator[Scene]:
        with Stage(task, unheld, when_healthy=when_healthy) as stage:
            if stage.lab is not None:
                refused(dict.fromkeys(stage.lab.refused_startup_lines))
            yield stage.scene

    return family.record(task, stages, progress=progress, solutions=solutions)
