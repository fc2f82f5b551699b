"""Episode: tasks one after the other, each on a stage of its own, acted on from outside."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

from pydantic import ValidationError

from pytest_netbench.documents.durations import seconds, warn_of
from pytest_netbench.episodes.actions import read_action
from pytest_netbench.episodes.observation import Observation
from pytest_netbench.episodes.playing import Playing
from pytest_netbench.episodes.reward import NetArenaReward, Reward, rewarded
from pytest_netbench.episodes.supply import GivenTask, supply_of
from pytest_netbench.episodes.turn import Turn
from pytest_netbench.errors import UsageError
from pytest_netbench.model.agentsettings import BudgetOverride
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, TrialRecord
from pytest_netbench.trial.settings import Settings

POLICY: Final = AgentInfo(id="episode", strategy="episode")
"""Who acts, unless the caller says."""


class Episode:
    """Tasks for reinforcement learning: ``reset`` begins an episode, and ``act`` goes on until it is done.

    Each episode is a trial on a fresh stage, with the ANI, the budget and the verdict that an agent under pytest gets.
    A context manager; leaving it removes everything. Not for several threads at once.

    Args:
        task: A task, the path of a task file, or a generator with parameters, e.g. ``repair-routing:level=1-2,seed=7``.
            Each ``reset`` takes the next draw; there is no last one, so ``n`` is without meaning.
        reward: Gives the reward of each turn; by default ``NetArenaReward()``.
        agent: Who acts, as results name it. Its ``overrides`` say what it may do and use.
        budget: Limits instead of the task's: ``calls``, ``commands``, ``tokens``; ``wall`` and ``lab``, durations
            such as ``10m`` or seconds; ``None`` lifts one.
        settings: How stages are set up.

    Raises:
        InputError: There is no such task or generator, or an argument is wrong.
    """

    def __init__(
        self,
        task: GivenTask,
        *,
        reward: Reward | None = None,
        agent: AgentInfo = POLICY,
        budget: Mapping[str, float | str | None] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._supply = supply_of(task)
        self._reward = _checked_reward(NetArenaReward() if reward is None else reward)
        self._budget = checked_budget(budget)
        self._agent = _Acting(agent)
        self._settings = settings or Settings()
        self._playing: Playing | None = None
        self._last: Observation | None = None
        self._task: Task | None = None
        self._record: TrialRecord | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def task(self) -> Task:
        """The task of the present or last episode.

        Raises:
            UsageError: There was none yet.
        """
        if self._task is None:
            raise UsageError("there is no task before the first episode: call reset()")
        return self._task

    @property
    def record(self) -> TrialRecord | None:
        """The trial record of the last episode that was played to its end."""
        return self._record

    @property
    def done(self) -> bool:
        """Whether there is nothing to act on: the episode is over, or none was begun."""
        return self._playing is None

    def reset(self, *, seed: int | None = None, index: int | None = None, task: GivenTask | None = None) -> Observation:
        """Begin an episode. One that is not over is dropped.

        Args:
            seed: Of the series of draws from now on, 0 or above; the episode gets its first draw. A single task is
                the same for every seed.
            index: The place in the series, from 0.
            task: Another source of tasks from now on, as for the constructor.

        Returns:
            What is asked, and the state of the network.

        Raises:
            InputError: There is no such task.
            RequirementMissing: This machine lacks something the task needs.
            InfrastructureError: The stage could not be set up. Another ``reset`` may succeed.
        """
        if self._closed:
            raise UsageError("the Episode is closed: make another one")
        self._drop()
        if task is not None:
            self._supply = supply_of(task)
        self._task = self._supply.next(seed=seed, index=index)
        self._playing = Playing(self._task, agent=self._agent, budget=self._budget, settings=self._settings)
        try:
            self._last = self._playing.first
        except BaseException:
            self._drop()
            raise
        return self._last

    def observe(self) -> Observation:
        """Return the last observation again.

        Raises:
            UsageError: There was no episode yet.
        """
        if self._last is None:
            raise UsageError("there is nothing to observe before the first episode: call reset()")
        return self._last

    def act(self, action: object) -> tuple[Observation, float, bool, Turn]:
        """Carry out one action.

        Whatever a policy sends is a turn with a reward; nothing in ``action`` raises an error.

        Args:
            action: ``{"method": …, "params": {…}}``, as a mapping or as JSON text: a request to the ANI, or ``submit``
                with ``answer`` and ``reasoning``, which ends the episode.

        Returns:
            What the policy sees, the reward, whether the episode is over, and what came of the action.

        Raises:
            UsageError: No episode is running, or the reward function returned no number.
            InfrastructureError: The stage broke. The episode has no reward; ``reset`` begins another one.
        """
        playing = self._playing
        if playing is None:
            raise UsageError("no episode is running: call reset() before act()")
        try:
            self._last, turn = playing.act(read_action(action))
            reward = rewarded(self._reward, turn)
        except BaseException:
            self._drop()
            raise
        if turn.done:
            self._record = playing.record
            self._drop()
        return self._last, reward, turn.done, turn

    def close(self) -> None:
        """Remove everything. Idempotent."""
        self._closed = True
        self._drop()

    def _drop(self) -> None:
        playing, self._playing = self._playing, None
        if playing is not None:
            playing.close()


class _Acting:
    """Whoever sends the actions, as a stage knows it."""

    def __init__(self, info: AgentInfo) -> None:
        self.info = info


def _checked_reward(reward: object) -> Reward:
    if not callable(reward):
        raise UsageError(f"reward={reward!r:.80}: must be a function of a Turn that returns a number")
    return reward


def checked_budget(budget: Mapping[str, float | str | None] | None) -> Mapping[str, float | None] | None:
    """Return a budget in numbers; ``None`` stays."""
    if budget is None:
        return None
    try:
        limits = _in_seconds(budget)
        BudgetOverride.model_validate(limits)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name, *known = (one.removesuffix("_s") for one in (str(first["loc"][0]), *BudgetOverride.model_fields))
        raise UsageError(f"budget: {name}: {first['msg']} (known: {', '.join(known)})") from None
    except ValueError as error:
        raise UsageError(f"budget: wall: {error}") from None
    return limits


def _in_seconds(budget: Mapping[str, Any]) -> dict[str, Any]:
    """The limits by the model's names: ``wall``, a duration, is ``wall_s`` there."""
    limits = dict(budget)
    if "lab" in limits:
        lab = limits.pop("lab")
        limits["lab_s"] = None if lab is None else seconds(lab)
    if "wall_s" in limits:
        warn_of("wall_s", "wall", where="budget")
    if "wall" in limits:
        wall = limits.pop("wall")
        limits["wall_s"] = None if wall is None else seconds(wall)
    return limits
