"""All trials of a task of Inspect: their labs, side by side, each from the set-up of its sample to the clean-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from threading import Lock

import anyio
from inspect_ai.solver import TaskState
from inspect_ai.util import suspend_working_limit
from pydantic import ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.inspect.attempt import STRATEGY, Attempt, Ending
from pytest_netbench.inspect.supply import Supplied
from pytest_netbench.inspect.work import Work, in_thread
from pytest_netbench.model.trial import AgentInfo, TrialResult
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.trial import TrialSpec


@dataclass(frozen=True, kw_only=True)
class Options:
    """How the trials of a task are run.

    Attributes:
        labs: How many labs there may be at a time; they are paced for as many.
        backend: What deploys them; empty for the usual one.
        time_scale: Lab seconds per wall second, instead of the task's.
        clock: How lab time passes, instead of the usual way.
        budget: Limits instead of the tasks', by field; ``None`` lifts one.
        heavy: Whether scorers that load a model are applied.
        results: The results directory that they are kept in as well.
    """

    labs: int = 8
    backend: tuple[str, ...] = ()
    time_scale: float | None = None
    clock: str | None = None
    budget: Mapping[str, float | None] = field(default_factory=dict)
    heavy: bool = True
    results: str | None = None

    def spec(self, supplied: Supplied) -> TrialSpec:
        """Return the trial of a task, but for who works, and which attempt it is.

        Raises:
            UsageError: An option is wrong.
        """
        given = {"backend": self.backend, "time_scale": self.time_scale, "clock": self.clock}
        try:
            return TrialSpec(
                task=supplied.task,
                agent=STRATEGY,
                node_id=supplied.id,
                heavy=self.heavy,
                workers=self.labs,
                store=supplied.store,
                budget=dict(self.budget),
                **{name: value for name, value in given.items() if value},
            )
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = {"workers": "labs"}.get(str(first["loc"][0]), first["loc"][0])
            raise UsageError(f"-T {name}={first['input']}: {first['msg']}") from None


@dataclass
class _Slot:
    attempt: Attempt
    held: bool = False


class Attempts:
    """The attempts at the samples of a task.

    Args:
        supplied: The tasks.
        options: How they are run.
    """

    def __init__(self, supplied: tuple[Supplied, ...], options: Options) -> None:
        self._specs = {one.id: options.spec(one) for one in supplied}
        self._labs = options.labs
        self._slots: anyio.Semaphore | None = None
        self._begun: dict[str, _Slot] = {}
        self._works: dict[str, Work] = {}
        self._writing = Lock()
        self._results = None if options.results is None else ResultsDir.create(Path(options.results))

    async def begin(self, state: TaskState) -> Work:
        """Deploy the lab of a sample. The time until it is ready is waiting time.

        Raises:
            RequirementMissing: This machine lacks something.
            InfrastructureError: The stage could not be set up.
        """
        slot = self._begun[state.uuid] = _Slot(self._attempt(state))
        if self._slots is None:
            self._slots = anyio.Semaphore(self._labs)
        with suspend_working_limit():
            await self._slots.acquire()
            slot.held = True
            await in_thread(slot.attempt.begin)
        work = self._works[state.uuid] = Work(slot.attempt)
        return work

    def work(self, state: TaskState) -> Work | None:
        """Return the work of a sample; ``None`` if its lab never was ready."""
        return self._works.get(state.uuid)

    async def judge(self, state: TaskState, ending: Ending) -> TrialResult:
        """Evaluate what an agent left; the first time only. The agent is not charged for it.

        Raises:
            InfrastructureError: The lab broke: there is no score.
        """
        attempt = self._works[state.uuid].attempt
        if attempt.result is not None:
            return attempt.result
        with suspend_working_limit():
            return await in_thread(lambda: self._kept(attempt.finish(ending)))

    async def end(self, state: TaskState) -> None:
        """Remove all that belongs to a sample."""
        self._works.pop(state.uuid, None)
        slot = self._begun.pop(state.uuid, None)
        if slot is None:
            return
        try:
            with suspend_working_limit():
                await in_thread(slot.attempt.end)
        finally:
            if slot.held and self._slots is not None:
                self._slots.release()

    def _kept(self, result: TrialResult) -> TrialResult:
        if self._results is None:
            return result
        with self._writing:
            return self._results.append(result, result.record, worker="main")

    def _attempt(self, state: TaskState) -> Attempt:
        sample, model = str(state.sample_id), str(state.model)
        about = {"agent": model, "number": state.epoch, "node_id": f"{sample}[{model}]"}
        spec = self._specs[sample].model_copy(update=about)
        settings = {"inspect_ai": version("inspect_ai")}
        return Attempt(spec, agent=AgentInfo(id=model, model=model, strategy=STRATEGY, settings=settings))
