"""How stages are set up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import Clock
from pytest_netbench.lab.resources import DEFAULT, Chosen
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.task import Task
from pytest_netbench.results.truth import Truth

Ready = Callable[[Lab, Task], object]
FindTruth = Callable[[Task], Truth | None]
FindReference = Callable[[Task], Behaviour | None]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How stages are set up.

    Args:
        backend: What deploys the resources of tasks: a name or several, as for ``--netbench-backend``, or an object
            that deploys labs. A kind of resource without a backend has ``netns``.
        time_scale: Lab seconds per wall second; ``None`` takes the task's, or lets the backend choose.
        clock: How lab time passes: ``scaled``, ``events`` while a verdict waits, or only during ``calls`` of an agent.
        workers: Labs that are expected to run side by side on this machine.
        lab: A lab that runs already and is used instead of new ones: its name or file, as for ``--netbench-lab``.
        truth: Finds the recorded ground truth of a task. By default it searches the folders ``.truth`` of the current
            directory, of its parents, and of the shipped tasks.
        reference: Finds the recorded behaviour of a task. By default it searches the folders ``.reference`` there.
        ready: Called with the lab and the task when the lab is ready for an agent.
        where: A folder of the checkout that the task comes from.
        pytest_version: Version of pytest, if it runs the trial.
    """

    backend: Chosen = DEFAULT
    time_scale: float | None = None
    clock: Clock = "events"
    workers: int = 1
    lab: str | None = None
    truth: FindTruth | None = None
    reference: FindReference | None = None
    ready: Ready | None = None
    where: Path = field(default_factory=Path.cwd)
    pytest_version: str | None = None
