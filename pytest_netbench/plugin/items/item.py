"""A task as a pytest item: the fixtures it uses, what it asserts, and its failure text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import pytest

from pytest_netbench.errors import GroundTruthRejected, InputError, NetbenchError, StartupConfigRejected
from pytest_netbench.plugin.items.failures import cleaned

if TYPE_CHECKING:
    from pytest_netbench.agents.cassettes.tapes import Recording, Replay
    from pytest_netbench.model.search import Sought
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.plugin.settings.run_options import AgentChoice
    from pytest_netbench.results.sealed import SealedTask
    from pytest_netbench.trial import SelftestReport, Stage, Terms, Trial


class Far(Protocol):
    """A trial that runs elsewhere, as its item knows it."""

    seconds: float
    """How long it took there."""

    def left_of(self, names: Sequence[str]) -> list[str]:
        """The fixtures that are set up here."""
        ...

    def trial(self, item: TaskItem) -> Trial:
        """What the fixture ``trial`` would have returned, or its error."""
        ...


class TaskCollector(pytest.Collector):
    """A collector of tasks."""

    item_type: ClassVar[type[TaskItem]]


class TrialFailed(AssertionError):
    """An agent did not solve a task; the text lists the failed testcases."""


class SelftestFailed(AssertionError):
    """A task is not solvable, or vacuous; the text lists the problems found."""


class TaskItem(pytest.Function):
    """One trial of one agent at one task, or the self-test of a task."""

    task: Task | None = None
    task_error: InputError | None = None
    agent_choice: AgentChoice | None = None
    number: int = 1
    began_at: float = 0.0
    stage: Stage | None = None
    terms: Terms | None = None
    tape: Recording | Replay | None = None
    outcome: TrialResult | None = None
    result: TrialResult | None = None
    selftest_report: SelftestReport | None = None
    sealed: SealedTask | None = None
    skipped: str = ""
    """Why it was not run."""
    kept: tuple[str, ...] = ()
    """Lines for a person about the lab that was left; none if it was not."""
    full_name: str | None = None
    """The name with the agent, while ``name`` has none."""
    far: Far | None = None
    """If its trial runs on a cluster: what comes back."""

    def setup(self) -> None:
        """Set up fixtures; for a trial that ran elsewhere only those that are not ours."""
        if self.far is not None:
            self.fixturenames = self.far.left_of(self.fixturenames)
            self.funcargs["trial"] = self.far.trial(self)
        super().setup()

    @property
    def id(self) -> Any:
        """As pytest itself parses the node id.

        From pytest 9.2 on the part in brackets counts as parameters when a node id is read back (from the cache, from a
        worker) but not when an item is named, and the two would never be equal: ``--lf`` would find nothing.
        """
        return type(super().id).parse(self.nodeid)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """For our errors, show only the message, its first line as the short form; ``--tb=long`` adds the traceback."""
        if self.sealed is not None:
            return self._shown(excinfo, self._withheld(excinfo))
        expected = isinstance(excinfo.value, NetbenchError | TrialFailed | SelftestFailed)
        if not expected or self.config.option.tbstyle in {"long", "native"} or self.config.option.fulltrace:
            return cleaned(super().repr_failure(excinfo))
        return self._shown(excinfo, self._placed(excinfo.value))

    def _placed(self, error: BaseException) -> BaseException:
        """An error about refused lines with their places in the task file; any other as it is."""
        rejected = error.__cause__ if isinstance(error.__cause__, GroundTruthRejected) else error
        if not isinstance(rejected, StartupConfigRejected | GroundTruthRejected) or isinstance(self, DrawnItem):
            return error
        from pytest_netbench.taskfile.refused import told  # imports pydantic

        return NetbenchError(told(rejected, self.path, shown=self.nodeid.partition("::")[0]))

    def _withheld(self, excinfo: pytest.ExceptionInfo[BaseException]) -> BaseException:
        """The error that is shown instead of one of a sealed task: texts and locals of it would be its ground truth."""
        return TrialFailed(_withheld(self.outcome, excinfo))

    def _shown(self, excinfo: pytest.ExceptionInfo[BaseException], error: BaseException) -> Any:
        shown = pytest.ExceptionInfo.from_exc_info((type(error), error, excinfo.tb)).getrepr(style="value", chain=False)
        crash = shown.reprcrash
        if crash is not None:
            crash.message = str(error).partition("\n")[0]
            crash.path, crash.lineno = str(self.path), 1
        return cleaned(shown)


NOT_PROVEN: Final = "not proven: "
"""How the reason of a skip begins that drops a drawn task."""


class DrawnItem(TaskItem):
    """An item of a drawn task. There is no file: its name is its node id."""

    sought: Sought | None = None

    @property
    def nodeid(self) -> str:
        return self.full_name or self.name


def trial(parent: TaskCollector, task: Task, *, name: str, agent: AgentChoice, number: int) -> TaskItem:
    """An attempt of ``agent`` at ``task``."""
    item = parent.item_type.from_parent(parent, name=name, callobj=run_trial)
    item.task, item.agent_choice, item.number = task, agent, number
    return item


def selftest(parent: TaskCollector, task: Task, *, name: str) -> TaskItem:
    """The self-test of ``task``."""
    item = parent.item_type.from_parent(parent, name=name, callobj=run_selftest)
    item.task = task
    return item


def unassigned(parent: TaskCollector, task: Task, *, name: str) -> TaskItem:
    """A task for which no agent was given."""
    item = parent.item_type.from_parent(parent, name=name, callobj=run_trial)
    item.task = task
    return item


def broken(parent: TaskCollector, *, name: str, error: InputError) -> TaskItem:
    """A failing item for a source without a valid task, so that the other items run."""
    item = parent.item_type.from_parent(parent, name=name, callobj=run_nothing)
    item.task_error = error
    return item


def run_trial(request: pytest.FixtureRequest, trial: Trial) -> None:
    """The trial has been run by its fixture; assert that it passed."""
    from pytest_netbench.trial import explain, family_of  # needs pydantic

    outcome = request.node.outcome
    assert outcome is not None, "the `trial` fixture was overridden and did not run the trial: let it return run(trial)"
    if outcome.status != "passed":
        intents = [intent.text for intent in getattr(trial.task.payload, "intents", ())]
        raise TrialFailed(explain(outcome, intents=intents, pass_marks=family_of(trial.task).pass_marks))


def run_selftest(netbench_selftest: SelftestReport) -> None:
    """The self-test has been run by its fixture; assert that it found nothing."""
    if netbench_selftest.problems:
        raise SelftestFailed(netbench_selftest.text())


def run_nothing(task: Task) -> None:
    """Never runs: the fixture ``task`` raises what is wrong with the source."""


def _withheld(result: TrialResult | None, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """What is said of an error of a sealed item instead of its text."""
    if result is None:
        return f"{excinfo.typename}: the text is sealed, as the task is (netbench unseal shows it)"
    from pytest_netbench.reporting.failure import sealed_failure  # imports pydantic

    return sealed_failure(result)
