"""The protocol of a family: what a kind of task means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.protocol import Ani, WorkWatcher
from pytest_netbench.families.proof import Extent, Proof
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.sandboxes import Sandbox
from pytest_netbench.model.base import Model
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Findings, Submission


class Deploy(Protocol):
    """Deploys the resource that a family works on, by the backend that was chosen for its kind."""

    def __call__(self) -> Lab:
        """Deploy the task's network.

        Raises:
            RequirementMissing: This machine or the backend lacks something.
            LabError: The lab could not be brought up.
        """
        ...

    def sandbox(self, *, packages: Sequence[str]) -> Sandbox:
        """Open a sandbox for Python programs; args and errors are those of ``Sandboxes.open``."""
        ...


class Scene(Protocol):
    """The content of a stage: a lab, or something else that a family lets agents work on.

    The steps are called once each, in the order in which they are listed here. ``destroy`` is called in any case, also
    after a step that failed.
    """

    @property
    def lab(self) -> Lab | None:
        """The lab, if there is one."""
        ...

    def health(self) -> None:
        """Check the preconditions of the task.

        Raises:
            NotReady: One does not hold.
            RequirementMissing: The network cannot be measured as the task requires.
        """
        ...

    def inject(self) -> None:
        """Inject what the agent must find: a fault, traffic, a change."""
        ...

    def settle(self) -> None:
        """Return once the injection has taken effect."""
        ...

    def observe(self) -> None:
        """Record the state before the agent works. Called immediately before."""
        ...

    def evaluate(self, submission: Submission) -> Findings:
        """Evaluate the state that the agent left and what it submitted.

        Raises:
            InfrastructureError: It cannot be evaluated; there is no score.
        """
        ...

    def destroy(self) -> None:
        """End everything. Idempotent."""
        ...


@runtime_checkable
class Follows(Protocol):
    """A scene that can go on where another one of the same lab stopped, with checks that this one did not have."""

    def follow(self, before: Any) -> None:
        """Take over what ``before`` has seen of the lab."""


@runtime_checkable
class ComparesBehaviour(Protocol):
    """What a scene may offer: it compares what the network does with a recorded behaviour."""

    def hold_to(self, behaviour: Behaviour) -> None:
        """Take the recorded behaviour of the task. Called after the scene is prepared, if there is a record."""
        ...


@runtime_checkable
class WatchesWork(Protocol):
    """What a scene may offer: it is told of every change while the agent works."""

    @property
    def watcher(self) -> WorkWatcher:
        """What is told. Asked for once ``observe`` has returned."""
        ...


@runtime_checkable
class JudgesFlows(Protocol):
    """What the watcher of a scene may offer: which flows of the network are wrong."""

    @property
    def wrong(self) -> frozenset[int]:
        """Indices of the flows that do not get through and must, or do and must not, as of the last look."""
        ...


@runtime_checkable
class OffersMethods(Protocol):
    """What a scene may offer: ANI methods of its own, which the family names in ``methods``."""

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """The methods."""
        ...


class Stages(Protocol):
    """Opens a fresh stage of the task that is proved: prepared, healthy and settled."""

    def __call__(self, *, when_healthy: Callable[[Any], object] | None = None) -> AbstractContextManager[Scene]:
        """Open one. ``when_healthy`` is called with the scene once it is healthy, before anything is injected."""
        ...


Progress = Callable[[str], object]
"""Is told what long work is doing now."""


@runtime_checkable
class RecordsBehaviour(Protocol):
    """What a family may offer: the behaviour of a task's network can be recorded."""

    def record(
        self, task: Task, stages: Stages, *, progress: Progress, solutions: Solutions | None = None
    ) -> Behaviour:
        """Observe the network of ``task`` before anything is done and after the ground truth.

        Args:
            task: The task.
            stages: Opens a fresh stage of it.
            progress: Is told what is done now.
            solutions: What is recorded beside the task.

        Raises:
            AgentError: The ground truth cannot be applied.
            InfrastructureError: A stage broke.
        """
        ...


class Family(Protocol):
    """The meaning of tasks of one kind. It is made without arguments, whenever it is needed."""

    name: str
    payload: type[Payload]
    """The fields of a task that the family defines."""
    answer: type[Model] | None
    """The type of ``Submission.answer``; ``None`` if only the configured state counts."""
    methods: tuple[str, ...]
    """ANI methods that an agent may use."""
    scorers: tuple[str, ...]
    """Scorers that are applied by default."""
    pass_marks: Mapping[str, float]
    """By metric: the value that a trial must reach to pass."""
    claims: tuple[str, ...]
    """Names of the claims that ``prove`` can measure; empty if it always measures everything."""

    def brief(self, task: Task) -> Brief:
        """Return what an agent is told of ``task``. It must not reveal the answer.

        Under the terms of a trial the budget, methods and answer are replaced, ``control`` is filled in, and
        ``sub_intents`` are left out unless the agent asked for them.
        """
        ...

    def prepare(self, task: Task, deploy: Deploy) -> Scene:
        """Set up what agents work on.

        Args:
            task: The task.
            deploy: Deploys what the family asks for: ``deploy()`` is the task's network.

        Raises:
            RequirementMissing: This machine lacks something.
            InfrastructureError: It could not be set up.
        """
        ...

    def solve(self, task: Task, ani: Ani) -> Submission:
        """Apply the ground truth and submit the right answer. The agent ``oracle`` calls this.

        Raises:
            AgentError: The ground truth cannot be applied.
        """
        ...

    def prove(self, task: Task, stages: Stages, extent: Extent) -> Proof:
        """Show that ``task`` can be solved and that a wrong solution fails.

        Args:
            task: The task.
            stages: Opens a fresh stage of it.
            extent: How much is proved, and how often everything is measured.

        Raises:
            InfrastructureError: A stage broke: no verdict on the task.
        """
        ...

    def stages_to_prove(self, task: Task, extent: Extent) -> int:
        """Return about how many stages one repeat of ``prove`` opens; for the distribution to workers."""
        ...
