"""What determines a trial, as plain data: it can be sent to another process or machine, pickled or as JSON."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Final, Self

from pydantic import Field, model_validator

from pytest_netbench import parts
from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.generators.series import parameters_of, read_series
from pytest_netbench.generators.sources import GeneratedSource
from pytest_netbench.lab.request import Clock
from pytest_netbench.lab.resources import DEFAULT, Chosen, by_kind
from pytest_netbench.model.base import Model
from pytest_netbench.model.task import Task
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.trial.cassettes import CassetteSpec
from pytest_netbench.trial.settings import Settings

_PURSE: Final = "is now run_budget, and goes with 0.3"


def _here() -> str:
    return str(Path.cwd())


class Draw(Model):
    """A draw of a generator. It gives the same task on any machine."""

    generator: str = Field(description="part name of the generator")
    parameters: dict[str, Any] = Field({}, description="of the generator, as JSON values; others have their defaults")
    seed: int = Field(0, ge=0, description="of the series")
    index: int = Field(0, ge=0, description="place in the series")

    @classmethod
    def read(cls, series: str, *, index: int = 0) -> Self:
        """Return the draw at ``index`` of a series such as ``repair-routing:level=1-2,seed=7``.

        Raises:
            UsageError: There is no such series.
        """
        found = read_series(series)
        parameters = found.parameters.model_dump(mode="json")
        return cls(generator=found.generator, parameters=parameters, seed=found.seed, index=index)

    def load(self) -> Task:
        """Return the task.

        Raises:
            InputError: There is none.
        """
        model = parameters_of(self.generator, parts.load("generators", self.generator))
        parameters = model.model_validate(self.parameters)
        return GeneratedSource(generator=self.generator, parameters=parameters, seed=self.seed, index=self.index).load()


class Store(Model):
    """Where the recorded ground truth and reference behaviour of a task are found, by its digests."""

    folder: str = Field(default_factory=_here, description="`.truth` and `.reference` are looked for in this folder …")
    root: str | None = Field(None, description="… and its parents up to this one; `None`: in the folder alone")

    @property
    def truths(self) -> TruthStore:
        """The recorded ground truths."""
        return TruthStore.around(Path(self.folder), root=None if self.root is None else Path(self.root))

    def references(self, backend: Chosen) -> ReferenceStore:
        """The recorded behaviours: those of a backend, and else the common ones."""
        root = None if self.root is None else Path(self.root)
        return ReferenceStore.around(Path(self.folder), root=root, backend=by_kind(backend)["lab"])


class TrialSpec(Model):
    """A trial: which agent works on which task, under which limits, and where.

    Paths are those of the machine that executes it.
    """

    task: Task | None = Field(None, description="the task; or a draw")
    draw: Draw | None = Field(None, description="the draw that gives the task")
    agent: str = Field(description="as for `--agent`")
    agents: str = Field(default_factory=_here, description="the folder that `agents/` and classes are looked for in")
    budget: dict[str, float | None] = Field({}, description="limits instead of the task's, by field; null lifts one")
    ssh: bool = Field(False, description="the devices answer with SSH")
    number: int = Field(1, ge=1, description="1 for the first attempt, 2 for the second …")
    node_id: str = Field("", description="name of the trial in results; by default the task's slug")
    scorers: tuple[str, ...] = Field((), description="names of scorers beside those of the task's family")
    heavy: bool = Field(False, description="also apply the scorers that load a model")
    backend: str | tuple[str, ...] = Field(
        DEFAULT, description="part names of backends, at most one for each kind of resource"
    )
    time_scale: float | None = Field(None, gt=0, description="lab seconds per wall second, instead of the task's")
    clock: Clock = Field("events", description="how lab time passes")
    workers: int = Field(1, ge=1, description="labs that are expected to run side by side on the machine")
    lab: str | None = Field(None, description="a lab that runs already and is used: its name or file")
    store: Store = Field(default_factory=Store, description="where what was recorded of the task is found")
    run_budget: RunBudget | None = Field(
        None, description="what all trials of a run may spend on models together, in one file"
    )
    cassette: CassetteSpec | None = Field(None, description="where what models answer is kept, or comes from")
    pytest_version: str | None = Field(None, description="version of pytest, if it runs the trial")

    @model_validator(mode="before")
    @classmethod
    def _former_names(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "purse" not in given:
            return given
        warnings.warn(f"purse: {_PURSE}", DeprecationWarning, stacklevel=2)
        return {"run_budget" if name == "purse" else name: value for name, value in given.items()}

    @property
    def purse(self) -> RunBudget | None:
        """The former name of ``run_budget``."""
        warnings.warn(f"TrialSpec.purse: {_PURSE}", DeprecationWarning, stacklevel=2)
        return self.run_budget

    @model_validator(mode="after")
    def _one_task(self) -> Self:
        if (self.task is None) == (self.draw is None):
            raise ValueError("a trial has either a task or a draw")
        return self

    def load_task(self) -> Task:
        """Return the task.

        Raises:
            InputError: The draw gives none.
        """
        if self.task is not None:
            return self.task
        assert self.draw is not None
        return self.draw.load()

    @property
    def settings(self) -> Settings:
        """How the stage is set up."""
        return Settings(
            backend=self.backend,
            time_scale=self.time_scale,
            clock=self.clock,
            workers=self.workers,
            lab=self.lab,
            truth=self.store.truths.load,
            reference=self.store.references(self.backend).load,
            where=Path(self.store.root or self.store.folder),
            pytest_version=self.pytest_version,
        )
