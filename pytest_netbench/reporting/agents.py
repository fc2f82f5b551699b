"""Agents side by side: time and cost, differences with their interval, and an agents x tasks table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.ending import endings
from pytest_netbench.reporting.intervals import passed
from pytest_netbench.reporting.tables import Table
from pytest_netbench.results.pairing import pair, task_id

ENDED: Final = "how it ended"
MOST_PAIRS: Final = 6
MOST_TASKS: Final = 20
_NAME: Final = 20
_COLUMN: Final = 14
_LABEL: Final = 30


def by_agent(results: Sequence[TrialResult]) -> dict[str, list[TrialResult]]:
    """Results by the id of their agent, sorted by it."""
    found: dict[str, list[TrialResult]] = {}
    for one in results:
        found.setdefault(one.agent.id, []).append(one)
    return dict(sorted(found.items()))


def spent(results: Sequence[TrialResult], *, by_domain: bool = False, with_endings: bool = False) -> Table:
    """Wall time by part, and cost, a row per agent. All are totals.

    Args:
        results: Of trials that were scored.
        by_domain: Add a row for each domain of an agent that has several.
        with_endings: Add how trials ended.
    """
    groups: list[tuple[str, list[TrialResult]]] = []
    for agent, mine in by_agent(results).items():
        groups.append((agent, mine))
        domains = sorted({one.domain for one in mine})
        if by_domain and len(domains) > 1:
            groups += [(f"  {name}", [one for one in mine if one.domain == name]) for name in domains]
    head = ("agent", "wall", "deploy", "agent", "evaluation", "cost", "tokens", "calls")
    if not with_endings:
        return Table(head=head, rows=[(label, *_spent(mine)) for label, mine in groups])
    rows = [(label, *_spent(mine), endings(mine)) for label, mine in groups]
    return Table(head=(*head, ENDED), rows=rows, left=frozenset({len(head)}))


def _spent(results: Sequence[TrialResult]) -> Iterator[str]:
    for part in ("duration_s", "deploy_s", "agent_s", "evaluate_s"):
        yield words.seconds(sum(getattr(one, part) for one in results))
    yield _cost(results)
    yield _tokens(results)
    yield words.count(sum(one.budget_used.calls for one in results))


def differences(results: Sequence[TrialResult]) -> tuple[Table | None, list[str]]:
    """For each two agents, how many of the tasks that both ran they pass, and the interval of the difference.

    Returns:
        The table, ``None`` if no two agents ran the same task, and notes about what is not in it.
    """
    from pytest_netbench.stats.paired import Pair, compare  # imports numpy

    rows, pairs = [], list(combinations(by_agent(results).items(), 2))
    for (first, of_first), (second, of_second) in pairs[:MOST_PAIRS]:
        paired = pair(of_first, of_second)
        if not paired.trials:
            continue
        made = compare(
            [Pair(first=tuple(map(passed, a)), second=tuple(map(passed, b))) for a, b in paired.trials.values()]
        )
        interval = words.NOTHING if made.interval is None else f"{made.interval.low:+.2f} to {made.interval.high:+.2f}"
        names = f"{words.cut(first, _NAME)}, {words.cut(second, _NAME)}"
        rows.append(
            (names, str(made.tasks), f"{made.first:.2f}", f"{made.second:.2f}", f"{made.difference:+.2f}", interval)
        )
    more = len(pairs) - MOST_PAIRS
    notes = [f"{words.several(more, 'pair')} of agents more: netbench compare --agents A B"] if more > 0 else []
    head = ("agents A, B", "tasks", "A passed", "B passed", "B - A", "95 %")
    return (Table(head=head, rows=rows) if rows else None), notes


def tasks_table(results: Sequence[TrialResult], *, width: int, most: int = MOST_TASKS) -> tuple[Table, list[str]]:
    """How often each agent passed each task: a row per task, a column per agent.

    Args:
        results: Of trials that were scored.
        width: Characters of a line; agents that have no room are left out.
        most: Rows. Tasks at which agents differ come first, then those that not all trials passed.

    Returns:
        The table, and notes about what is not in it.
    """
    cells: dict[str, dict[str, list[TrialResult]]] = {}
    for one in results:
        cells.setdefault(_name(one), {}).setdefault(one.agent.id, []).append(one)
    agents = list(by_agent(results))
    room = max(1, (width - _LABEL) // (_COLUMN + 1))
    shown = agents if len(agents) <= room else agents[:room]
    ranked = sorted(cells, key=lambda name: (_rank(cells[name]), name))
    kept = sorted(ranked[:most])
    rows = [(name, *(_share(cells[name].get(agent, ())) for agent in shown)) for name in kept]
    table = Table(head=("task", *(words.cut(agent, _COLUMN) for agent in shown)), rows=rows)
    return table, list(_left_out([cells[name] for name in ranked[most:]], len(agents) - len(shown)))


def _left_out(tasks: Sequence[Mapping[str, Sequence[TrialResult]]], agents: int) -> Iterator[str]:
    if tasks:
        every = sum(all(passed(one) for side in task.values() for one in side) for task in tasks)
        yield f"{words.several(len(tasks), 'task')} more, {every} of them passed by all: netbench summarize --tasks"
    if agents > 0:
        yield f"{words.several(agents, 'agent')} more: netbench summarize --markdown"


def _rank(task: Mapping[str, Sequence[TrialResult]]) -> int:
    shares = [sum(map(passed, side)) / len(side) for side in task.values()]
    if len(set(shares)) > 1:
        return 0
    return 1 if shares[0] < 1 else 2


def _name(result: TrialResult) -> str:
    return task_id(result).rpartition("::")[2]


def _share(results: Sequence[TrialResult]) -> str:
    return f"{sum(map(passed, results)):.0f}/{len(results)}" if results else words.NOTHING


def _tokens(results: Sequence[TrialResult]) -> str:
    if not any(one.usage.completions for one in results):
        return words.NOTHING
    return words.count(sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in results))


def _cost(results: Sequence[TrialResult]) -> str:
    """The sum of what is known; a ``+`` says that there is more of which the price is not known."""
    asked = [one.usage for one in results if one.usage.completions]
    known = [usage.cost_usd for usage in asked if usage.cost_usd is not None]
    if not known:
        return words.NOTHING
    return words.money(sum(known)) + ("+" if len(known) < len(asked) else "")
