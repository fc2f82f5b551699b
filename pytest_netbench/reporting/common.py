"""Agents that were scored at different tasks: what they have in common, and how they rank there. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting.intervals import passed
from pytest_netbench.results.pairing import task_id

_Task = tuple[str, str]
"""Id and digest: a task that was changed meanwhile is another one."""


@dataclass(frozen=True, kw_only=True)
class Common:
    """What agents that ran different tasks have in common.

    Attributes:
        tasks: At how many tasks each agent was scored.
        common: At how many all of them were.
        ranking: By agent, best first: how many trials of the common tasks passed, and of how many; empty if there are
            no common tasks.
    """

    tasks: dict[str, int]
    common: int
    ranking: tuple[tuple[str, int, int], ...]


def common_of(results: Sequence[TrialResult]) -> Common | None:
    """What agents have in common; ``None`` if there is one agent, or if all ran the same tasks.

    Args:
        results: Of all agents. Infrastructure errors count as not run.
    """
    scored = [one for one in results if one.status != "error"]
    tasks: dict[str, set[_Task]] = {one.agent.id: set() for one in results}
    for one in scored:
        tasks[one.agent.id].add(_task(one))
    if len(tasks) < 2 or all(one == next(iter(tasks.values())) for one in tasks.values()):
        return None
    shared = set.intersection(*tasks.values())
    ranking = []
    for agent in tasks:
        mine = [passed(one) for one in scored if one.agent.id == agent and _task(one) in shared]
        ranking.append((agent, round(sum(mine)), len(mine)))
    ranking.sort(key=lambda row: (-(row[1] / row[2] if row[2] else 0.0), row[0]))
    return Common(
        tasks={agent: len(tasks[agent]) for agent in sorted(tasks)},
        common=len(shared),
        ranking=tuple(ranking) if shared else (),
    )


def common_lines(results: Sequence[TrialResult]) -> list[str]:
    """Say that agents ran different tasks, and rank them over what is common; nothing if they ran the same."""
    found = common_of(results)
    if found is None:
        return []
    counts = ", ".join(f"{agent} {number}" for agent, number in found.tasks.items())
    lines = [f"the agents were scored at different tasks ({counts}), so their rates are not comparable"]
    if not found.ranking:
        return [*lines, "no task was scored for all of them: there is no ranking"]
    ranked = ", ".join(f"{agent} {good}/{of} ({good / of:.0%})" for agent, good, of in found.ranking)
    what = "the task" if found.common == 1 else f"the {found.common} tasks"
    return [*lines, f"ranking over {what} that all of them have: {ranked}"]


def ranked_agents(results: Sequence[TrialResult]) -> tuple[str, ...] | None:
    """The agents in the order of what is common, best first; ``None`` if all ran the same tasks."""
    found = common_of(results)
    return None if found is None else tuple(agent for agent, _, _ in found.ranking)


def _task(result: TrialResult) -> _Task:
    return task_id(result), result.task_digest
