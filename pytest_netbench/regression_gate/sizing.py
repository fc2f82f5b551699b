"""Whether a run of a given size can be judged at all: known before it begins. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.regression_gate.policy import Policy, Rule
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.paired import Pair
from pytest_netbench.stats.power import design_needed, detectable_loss
from pytest_netbench.stats.regression import judge

WANTED: Final = 0.25
"""A baseline with which no smaller loss is found in eight of ten gates is warned of."""
_SHARE: Final = 0.8
_TASKS: Final = (1, 2, 3, 5, 10, 20, 40, 60)
_TRIALS: Final = (1, 2, 3, 5, 10)


def too_small(baseline: Sequence[TrialResult], planned: Mapping[tuple[str, str], int], policy: Policy) -> Iterator[str]:
    """Yield rules and agents for which no outcome of the run could be ``regressed``, with the size that it takes.

    Args:
        baseline: The trials that the run is compared with.
        planned: By task id and id of the agent: how many trials the run has.
        policy: What is asked.
    """
    for rule in policy.rules:
        for agent in dict.fromkeys(agent for _, agent in planned):
            pairs = list(_worst_pairs(baseline, planned, rule, agent))
            if not pairs:
                continue
            if judge(pairs, tolerance=rule.tolerance, level=rule.level, ahead=False).kind != "regressed":
                yield _needed(pairs, rule, agent)


def blind(results: Sequence[TrialResult]) -> Iterator[str]:
    """Yield agents of a new baseline with which a gate of the same size would find no loss of ``WANTED``, in words."""
    rule = Rule.model_validate({})
    for agent in dict.fromkeys(one.agent.id for one in results if one.status != "error"):
        sides = list(_values([one for one in results if one.agent.id == agent], rule).values())
        share = sum(sum(side) / len(side) for side in sides) / len(sides)
        size = {"tasks": len(sides), "trials": max(1, round(sum(map(len, sides)) / len(sides)))}
        least = detectable_loss(share, tolerance=rule.tolerance, level=rule.level, **size)
        if least is None or least > WANTED:
            what = "no loss at all" if least is None else f"only a loss of {least:.2f} or more"
            yield (
                f"warning: {agent} passes {share:.2f}; a gate with {_size(**size)} finds {what} in eight of ten"
                " runs. Use more tasks or more trials: netbench gate --plan shows how many"
            )


def plan(rule: Rule, baseline: Sequence[TrialResult] = (), *, share: float | None = None) -> Iterator[str]:
    """Yield a table of the losses that are found in eight of ten gates, by tasks (rows) and trials (columns).

    Args:
        rule: Its tolerance and level count.
        baseline: If given, a row for its tasks that the rule fits, and its share.
        share: How often the baseline passes.
    """
    sides = list(_values([one for one in baseline if rule.fits(one)], rule).values())
    if share is None:
        share = sum(sum(side) / len(side) for side in sides) / len(sides) if sides else _SHARE
    yield f"{rule.metric}, {rule.about}: the loss that is found in eight of ten gates, if the baseline has {share:.2f}"
    yield f"(a loss of {rule.tolerance:g} is accepted, level {rule.level:g}; trials of each task, on both sides)"
    yield f"{'tasks':>6}" + "".join(f"{_counted(trials, 'trial'):>11}" for trials in _TRIALS)
    for tasks in sorted({*_TASKS, *([len(sides)] if sides else [])}):
        found = (
            detectable_loss(share, tasks=tasks, trials=trials, tolerance=rule.tolerance, level=rule.level)
            for trials in _TRIALS
        )
        mark = "  (the baseline's)" if tasks == len(sides) else ""
        yield f"{tasks:>6}" + "".join(f"{'none' if one is None else f'{one:.2f}':>11}" for one in found) + mark


def _counted(number: int, what: str) -> str:
    return f"{number} {what if number == 1 else what + 's'}"


def _worst_pairs(
    baseline: Sequence[TrialResult], planned: Mapping[tuple[str, str], int], rule: Rule, agent: str
) -> Iterator[Pair]:
    """The tasks that can be compared, as if every trial of the run failed."""
    own = [one for one in baseline if one.agent.id == agent and rule.fits(one)]
    for task, values in _values(own, rule).items():
        if trials := planned.get((task, agent), 0):
            yield Pair(first=tuple(values), second=(0.0,) * trials)


def _values(results: Sequence[TrialResult], rule: Rule) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for one in results:
        value = None if one.status == "error" else rule.value(one)
        if value is not None and 0 <= value <= 1:
            found.setdefault(task_id(one), []).append(value)
    return found


def _needed(pairs: Sequence[Pair], rule: Rule, agent: str) -> str:
    before, now = (
        round(sum(map(len, side)) / len(pairs)) for side in zip(*((p.first, p.second) for p in pairs), strict=True)
    )
    share = sum(sum(one.first) / len(one.first) for one in pairs) / len(pairs)
    size = _size(len(pairs), now) if before == now else f"{_size(len(pairs), now)}, {before} in the baseline,"
    about = (
        f"{agent}, {rule.metric}, {rule.about}: with {size} nothing can be called REGRESSED, even if every trial fails"
        f" (the baseline has {share:.2f}; a loss of {rule.tolerance:g} is accepted)"
    )
    tasks, each = design_needed(
        share, tasks=len(pairs), before=before, trials=now, tolerance=rule.tolerance, level=rule.level
    )
    ways = [f"{tasks} tasks with so many trials"] if tasks else []
    ways += [f"{each} trials of each task, in the baseline and now"] if each else []
    return (
        f"{about}; it takes at least {' or '.join(ways)}"
        if ways
        else f"{about}; no number of tasks or trials is enough"
    )


def _size(tasks: int, trials: int) -> str:
    return f"{_counted(tasks, 'task')} of {_counted(trials, 'trial')}"
