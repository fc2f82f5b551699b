"""Which trials of two runs can be compared: those at equal tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.model.trial import TrialResult

_TIMED: Final = frozenset({"loss", "unbroken"})
"""Kinds of testcases that measure for some time."""
Value = Callable[[TrialResult], float | None]


@dataclass(frozen=True, kw_only=True)
class Paired:
    """Trials of two sides by task, and what cannot be compared.

    Attributes:
        trials: By task: trials of the first and of the second side.
        changed: Tasks whose digest differs between the sides.
        unequal: Tasks of which trials measured different shares of the network's behaviour.
        clocks: Tasks with trials in which lab time passed in different ways, where that can make a difference.
        only_first: Tasks that only the first side has.
        only_second: Tasks that only the second side has.
    """

    trials: Mapping[str, tuple[Sequence[TrialResult], Sequence[TrialResult]]]
    changed: tuple[str, ...]
    unequal: tuple[str, ...]
    clocks: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def task_id(result: TrialResult) -> str:
    """The id of a task without the agent: that of its draw, or the node id up to the agent."""
    if result.drawn is not None:
        return result.drawn.id
    head, _, _ = result.node_id.rpartition("[")
    return head or result.node_id


def pair(first: Iterable[TrialResult], second: Iterable[TrialResult]) -> Paired:
    """Pair the scored trials of two sides by task. Infrastructure errors are left out."""
    one, other = _by_task(first), _by_task(second)
    both = [name for name in one if name in other]
    digests = {name: {trial.task_digest for trial in (*one[name], *other[name])} for name in both}
    same = [name for name in both if len(digests[name]) == 1]
    trials = {name: [*one[name], *other[name]] for name in same}
    unequal = tuple(name for name in same if not _measured_equally(trials[name]))
    clocks = tuple(name for name in same if name not in unequal and not _timed_equally(trials[name]))
    return Paired(
        trials={name: (one[name], other[name]) for name in same if name not in {*unequal, *clocks}},
        changed=tuple(name for name in both if name not in same),
        unequal=unequal,
        clocks=clocks,
        only_first=tuple(name for name in one if name not in other),
        only_second=tuple(name for name in other if name not in one),
    )


def _measured_equally(trials: Iterable[TrialResult]) -> bool:
    """Whether each testcase compared the same share in all trials. One that could not be observed says nothing."""
    shares: dict[str, set[float]] = {}
    for trial in trials:
        for one in trial.testcase_results:
            if one.command:
                shares.setdefault(one.name, set()).add(1.0 if one.measured is None else one.measured)
    return all(len(found) == 1 for found in shares.values())


def _timed_equally(trials: Sequence[TrialResult]) -> bool:
    """Whether lab time passed in the same way in all trials, or did not matter: to the agent, or to a testcase."""
    modes = {"scaled" if trial.environment is None else trial.environment.clock for trial in trials}
    if len(modes) == 1:
        return True
    results = (one for trial in trials for one in trial.testcase_results)
    return "calls" not in modes and not any(one.under is not None or one.kind in _TIMED for one in results)


def of_agent(results: Sequence[TrialResult], agent: str | None, *, where: str) -> list[TrialResult]:
    """The results of one agent: the named one, or the only one there is.

    Raises:
        UsageError: There is no such agent, or there are several.
    """
    known = sorted({one.agent.id for one in results})
    if agent is None and len(known) == 1:
        return list(results)
    if agent not in known:
        asked = f"has no results of {agent!r}" if agent else "has several agents; name one"
        raise UsageError(f"{where}: {asked} (known: {', '.join(known) or 'none'})")
    return [one for one in results if one.agent.id == agent]


def _by_task(results: Iterable[TrialResult]) -> dict[str, list[TrialResult]]:
    found: dict[str, list[TrialResult]] = {}
    for one in sorted(results, key=lambda one: (task_id(one), one.trial)):
        if one.status != "error":
            found.setdefault(task_id(one), []).append(one)
    return found
