"""Trials that run on a cluster: which items they are, their orders, and what an item does with what came back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.agents import run_budget
from pytest_netbench.distributed.orders import Order
from pytest_netbench.plugin.items.collection import references_of
from pytest_netbench.plugin.items.item import DrawnItem, TaskItem
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.plugin.trials import fixtures
from pytest_netbench.plugin.trials.cassettes import CASSETTE
from pytest_netbench.plugin.trials.item_runner import spec_of, truths_of
from pytest_netbench.trial import Trial
from pytest_netbench.trial.scoring import lost_result

if TYPE_CHECKING:
    from pytest_netbench.agents.cassettes.cassette import Cassette
    from pytest_netbench.distributed.orders import Delivery
    from pytest_netbench.model.behaviour import Behaviour
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.results.truth import Truth

STEPS: Final = ("task", "agent", "stage", "lab", "ani", "trial")
"""Our fixtures, which are not set up for a trial that runs elsewhere."""
_LIVE: Final = frozenset(STEPS[2:])
_SKIPS: Final = ("skip", "skipif")


def reason_to_stay(item: TaskItem) -> str | None:
    """Why a trial has to run in this process, if it does."""
    assert item.agent_choice is not None
    if item.agent_choice.spec == "human":
        return "a person works at this terminal"
    if item.config.hook.pytest_netbench_lab_ready.get_hookimpls():
        return "the hook pytest_netbench_lab_ready is given the live lab"
    return _reason_of_fixtures(item)


def _reason_of_fixtures(item: TaskItem) -> str | None:
    # pytest has no public way to ask which function a fixture's name means for an item
    found: dict[str, Sequence[Any]] = item._fixtureinfo.name2fixturedefs  # noqa: SLF001
    for name, definitions in found.items():
        if name in STEPS:
            if definitions[-1].func.__module__ != fixtures.__name__:
                return f"the fixture {name} is overridden"
        elif live := _LIVE & {argument for one in definitions for argument in one.argnames}:
            return f"the fixture {name} uses {min(live)}"
    return None


def is_trial(item: pytest.Item) -> bool:
    """Whether ``item`` is a trial that is to be run: what is skipped by a mark is not."""
    if not isinstance(item, TaskItem) or item.task is None or item.agent_choice is None:
        return False
    if any(item.get_closest_marker(name) for name in _SKIPS):
        return False
    expected = item.get_closest_marker("xfail")
    return expected is None or expected.kwargs.get("run", True) is not False


class Orders:
    """Makes orders of items.

    Args:
        config: Of the run.
        side_by_side: Trials at a time on a node.
    """

    def __init__(self, config: pytest.Config, *, side_by_side: int) -> None:
        self._config = config
        self._side_by_side = side_by_side
        self._recorded = lru_cache(maxsize=64)(_recorded)

    def of(self, item: TaskItem) -> Order:
        """The order of an item.

        Raises:
            InputError: There is no cassette to replay.
            ResultsError: What was recorded of the task cannot be read.
        """
        assert item.task is not None
        assert item.agent_choice is not None
        run = run_of(self._config)
        cassette = self._config.stash.get(CASSETTE, None)
        spec = spec_of(item, item.task, item.agent_choice.spec, cassette=cassette)
        truth, reference = self._recorded(_Records(item))
        return Order(
            spec=spec.model_copy(update={"workers": self._side_by_side, "run_budget": run_budget.current()}),
            truth=truth,
            reference=reference,
            replays=None if cassette is None else _to_replay(item, cassette),
            proves=isinstance(item, DrawnItem) and not run.unproven,
        )


class _Records:
    """What was recorded of the task of an item. Equal for all items of a task in a folder."""

    def __init__(self, item: TaskItem) -> None:
        assert item.task is not None
        self.item = item
        self.task = item.task
        self._key = (str(item.path), item.task.digest)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Records) and self._key == other._key


def _recorded(records: _Records) -> tuple[Truth | None, Behaviour | None]:
    item, task = records.item, records.task
    if item.sealed is not None:
        return item.sealed.truth(task), item.sealed.reference(task)
    return truths_of(item).load(task), references_of(item).load(task)


def _to_replay(item: TaskItem, spec: Any) -> Cassette | None:
    assert item.task is not None
    assert item.agent_choice is not None
    tape = spec.tape(item.task, agent=item.agent_choice.id, node_id=item.nodeid, number=item.number)
    cassette: Cassette | None = getattr(tape, "cassette", None) if spec.mode == "replay" else None
    return cassette


def _begun_by(result: TrialResult, began_at: float) -> TrialResult:
    """``result``, not begun before it was sent: clocks of nodes differ, and a result must follow its beginning."""
    began = datetime.fromtimestamp(began_at, UTC).isoformat(timespec="milliseconds")
    if result.started_at >= began:
        return result
    record = None if result.record is None else result.record.model_copy(update={"started_at": began})
    return result.model_copy(update={"started_at": began, "record": record})


class FarTrial:
    """A trial that runs elsewhere, as its item knows it.

    Args:
        fetch: Returns what came of it; runs it if that was fetched before.
    """

    def __init__(self, fetch: Callable[[TaskItem], Delivery]) -> None:
        self._fetch = fetch
        self.seconds = 0.0
        """How long it took there."""

    def left_of(self, names: Sequence[str]) -> list[str]:
        """The fixtures that are set up here."""
        return [name for name in names if name not in STEPS]

    def trial(self, item: TaskItem) -> Trial:
        """What the fixture ``trial`` would have returned, or its error.

        Raises:
            BaseException: What was raised where the trial ran; the reason to skip it.
        """
        delivery = self._fetch(item)
        self.seconds = delivery.seconds
        task: Task | None = item.task
        assert task is not None
        if delivery.replayed is not None:
            item.tape = SimpleNamespace(replayed=delivery.replayed)  # type: ignore[assignment]
        if delivery.skipped is not None:
            pytest.skip(delivery.skipped)
        if delivery.error is not None:
            if delivery.trace:
                delivery.error.add_note(f"where the trial ran:\n{delivery.trace}")
            raise delivery.error
        result = delivery.result
        if result is None:
            assert item.agent_choice is not None
            result = lost_result(task, item.agent_choice.id, node_id=item.nodeid, number=item.number)
        elif delivery.cassette is not None:
            item.config.stash[CASSETTE].save(delivery.cassette)
        result = item.outcome = _begun_by(result, item.began_at)
        if result.record is not None:
            item.config.hook.pytest_netbench_trial_finished(record=result.record, result=result)
        return Trial(task=task, lab=None, record=result.record, result=result)  # type: ignore[arg-type]
