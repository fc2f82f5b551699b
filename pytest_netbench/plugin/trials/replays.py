"""Replays whose recordings are of other tasks: refused once the tasks are known, and before the first lab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.errors import CassetteError, InputError
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.items.node_ids import source_of, task_id, trial_of
from pytest_netbench.plugin.settings.run_options import AgentChoice, label_of, run_of

if TYPE_CHECKING:
    from pytest_netbench.model.task import Task

REPLAY: Final = "replay:"
_MOST: Final = 20


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """A trial that is about to run. ``task_id`` is the task's id without the agent."""

    task: Task
    task_id: str
    agent: AgentChoice
    number: int


def are_checked(config: pytest.Config) -> bool:
    """Whether something is replayed in this run."""
    option = config.option
    repeats = any(agent.spec.startswith(REPLAY) for agent in run_of(config).agents)
    return not option.collectonly and (repeats or option.netbench_replay is not None)


class Replays:
    """Refuses a run whose recordings do not fit the digests of its tasks.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._checked = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without xdist."""
        self._check(
            _Trial(task=item.task, task_id=task_id(item.nodeid), agent=item.agent_choice, number=item.number)
            for item in session.items
            if isinstance(item, TaskItem) and item.task is not None and item.agent_choice is not None
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:  # a hook's
        """On the controller of xdist, which gets the same ids from each worker."""
        if not self._checked:
            self._check(self._trials(ids))

    def _trials(self, ids: Iterable[str]) -> Iterator[_Trial]:
        run = run_of(self._config)
        labels = {label_of(agent, one): (agent, one) for agent in run.agents for one in range(1, run.trials + 1)}
        tasks: dict[str, Task | None] = {}
        for node_id in ids:
            found = labels.get(trial_of(node_id))
            if found is None:
                continue
            name = task_id(node_id)
            if name not in tasks:
                tasks[name] = self._task(node_id)
            task = tasks[name]
            if task is not None:
                yield _Trial(task=task, task_id=name, agent=found[0], number=found[1])

    def _task(self, node_id: str) -> Task | None:
        source = source_of(node_id, self._config)
        try:
            return None if source is None else source.load()
        except InputError:
            return None  # its item says what is wrong with it

    def _check(self, trials: Iterable[_Trial]) -> None:
        self._checked = True
        known = list(trials)
        problems = [*self._repeated(known), *self._taped(known)]
        if problems:
            raise pytest.UsageError("\n".join(problems))

    def _repeated(self, trials: Sequence[_Trial]) -> Iterator[str]:
        """What is wrong with each agent that repeats the trials of a run."""
        for agent in run_of(self._config).agents:
            if not agent.spec.startswith(REPLAY):
                continue
            from pytest_netbench.agents.replay import Replay, folder_and_agent  # imports pydantic

            replay = Replay(*folder_and_agent(agent.spec))
            tasks = {one.task_id: one.task for one in trials if one.agent == agent}
            lost = [f"{name} ({why})" for name, task in tasks.items() if (why := replay.lack(task, name)) is not None]
            if lost:
                remedy = "Give a run of these tasks, or leave them out (--deselect, -k, -m)"
                yield _text(f"--agent={agent.spec}", f"{len(lost)} of {len(tasks)} tasks have no record", lost, remedy)

    def _taped(self, trials: Sequence[_Trial]) -> Iterator[str]:
        """The cassettes of other versions of the tasks. One that is missing is an error of its trial."""
        given = self._config.option.netbench_replay
        if given is None:
            return
        from pytest_netbench.results.cassettes import CassetteDir  # imports pydantic

        folder = CassetteDir(Path(self._config.invocation_params.dir, given))
        lost = []
        for one in trials:
            place = {"agent": one.agent.id, "task": one.task_id, "trial": one.number}
            try:
                cassette = folder.load(**place)  # type: ignore[arg-type]
            except CassetteError:
                continue
            if cassette.task_digest != one.task.digest:
                shown = Path(given, folder.file(**place).relative_to(folder.path))  # type: ignore[arg-type]
                changed = f"recorded at digest {cassette.task_digest}, now {one.task.digest}"
                lost.append(f"{shown}: {one.task_id} ({changed})")
        if lost:
            remedy = f"Record them again with --netbench-record={given}, or undo the change of the tasks"
            what = f"{len(lost)} of {len(trials)} trials have a cassette of another version of their task"
            yield _text(f"--netbench-replay={given}", what, lost, remedy)


def _text(option: str, what: str, lost: Sequence[str], remedy: str) -> str:
    more = [f"  and {len(lost) - _MOST} more"] if len(lost) > _MOST else []
    return "\n".join([f"{option}: {what}:", *(f"  {one}" for one in lost[:_MOST]), *more, f"{remedy}."])
