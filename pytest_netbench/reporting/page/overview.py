"""What the page shows of all trials together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting.common import common_lines, ranked_agents
from pytest_netbench.reporting.page.differences import Difference, differences
from pytest_netbench.reporting.page.efforts import Effort, Times, effort, times
from pytest_netbench.reporting.page.headline import headline
from pytest_netbench.reporting.page.leaders import Leader, leaders, mean_of
from pytest_netbench.reporting.page.looks import Look, looks
from pytest_netbench.reporting.page.reasons import ReasonRow, reason_rows
from pytest_netbench.reporting.page.shares import Plot, plots
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.groups import Estimate

MOST_SHOWN: Final = 12


@dataclass(kw_only=True)
class Failing:
    """A testcase of a task: of how many runs it failed, and of how many of each agent."""

    task: str
    name: str
    failed: int = 0
    runs: int = 0
    agents: dict[str, tuple[int, int]] = field(default_factory=dict)


def failing(scored: Sequence[TrialResult]) -> tuple[Sequence[Failing], int]:
    """Return the testcases with the largest share of failures, and how many more have failed."""
    found: dict[tuple[str, str], Failing] = {}
    for one in scored:
        task = task_id(one)
        for case in one.testcase_results:
            name = case.name + (f" under {case.under}" if case.under else "")
            row = found.setdefault((task, name), Failing(task=task.rpartition("::")[2], name=name))
            failed, runs = row.agents.get(one.agent.id, (0, 0))
            has_failed = int(case.status == "fail")
            row.agents[one.agent.id] = failed + has_failed, runs + 1
            row.failed, row.runs = row.failed + has_failed, row.runs + 1
    rows = [one for one in found.values() if one.failed]
    rows.sort(key=lambda one: (-one.failed / one.runs, -one.failed, one.task, one.name))
    return rows[:MOST_SHOWN], max(0, len(rows) - MOST_SHOWN)


Comparison = tuple[str, Sequence[tuple[str, str, Sequence[str]]]]
"""With a baseline: the outcome in words, and entries: how it is meant (``ok``, ``regressed``, …), what, and why."""


@dataclass(frozen=True, kw_only=True)
class DomainScores:
    """Means of the scores of an agent in a domain, by metric."""

    domain: str
    agent: str
    trials: int
    scores: Mapping[str, Estimate | None]


@dataclass(frozen=True, kw_only=True)
class Overview:
    """All trials.

    Attributes:
        headline: The result in words.
        agents: Ids.
        looks: By agent: its color and shape in all drawings.
        metrics: Names of scores.
        leaders: Best first; over the tasks that all agents have, if these are not the same.
        different: That agents were scored at different tasks, in words; empty if they were not.
        plots: Shares by domain, size and difficulty.
        differences: Of agents, two at a time.
        effort: What trials took against how many passed, if a trial was scored.
        times: Of trials, by part.
        domains: Scores by domain and agent.
        reasons: Why trials failed, most trials first.
        failing: Testcases that fail most, and how many more have failed.
        matrix: By task: for each agent how many of how many trials passed, or nothing.
        results: Of all trials, those that failed first.
    """

    headline: str
    agents: Sequence[str]
    looks: Mapping[str, Look]
    metrics: Sequence[str]
    leaders: Sequence[Leader]
    different: Sequence[str]
    plots: Sequence[Plot]
    differences: Sequence[Difference]
    effort: Effort | None
    times: Sequence[Times]
    domains: Sequence[DomainScores]
    reasons: Sequence[ReasonRow]
    failing: tuple[Sequence[Failing], int]
    matrix: Sequence[tuple[str, Sequence[tuple[int, int] | None]]]
    results: Sequence[TrialResult]


def overview(results: Sequence[TrialResult]) -> Overview:
    """What the page shows of results."""
    agents = sorted({one.agent.id for one in results})
    scored = [one for one in results if one.status != "error"]
    metrics = _metrics(scored)
    ranked = sorted(leaders(results, agents, metrics), key=partial(_rank, ranked_agents(results)))
    apart = differences(scored, [one.agent for one in ranked if one.share is not None])
    return Overview(
        headline=headline(ranked, apart),
        agents=agents,
        looks=looks(agents),
        metrics=metrics,
        leaders=ranked,
        different=common_lines(results),
        plots=list(plots(scored, agents)),
        differences=apart,
        effort=effort(ranked),
        times=times(ranked),
        domains=list(_domains(scored, agents, metrics)),
        reasons=reason_rows(scored, agents),
        failing=failing(scored),
        matrix=list(_matrix(scored, agents)),
        results=sorted(results, key=_order),
    )


def _order(result: TrialResult) -> tuple[bool, str, str, int]:
    return result.status == "passed", task_id(result), result.agent.id, result.trial


def _rank(ranked: Sequence[str] | None, one: Leader) -> tuple[float, str]:
    """The key by which leaders are sorted, best first. Without common tasks there is no ranking."""
    if ranked is not None:
        return float(ranked.index(one.agent)) if one.agent in ranked else 0.0, one.agent
    return -(one.share.value if one.share else -1.0), one.agent


def _metrics(scored: Sequence[TrialResult]) -> list[str]:
    """The scores of the families' own definitions: ``safety`` and ``plan.safety``, but not ``netarena.safety``."""
    families = {one.family for one in scored}
    every = dict.fromkeys(score.metric for one in scored for score in one.scores)
    return [name for name in every if "." not in name or name.partition(".")[0] in families]


def _domains(scored: Sequence[TrialResult], agents: Sequence[str], metrics: Sequence[str]) -> Iterator[DomainScores]:
    """Yield a row for each domain and agent, and of several domains a row for all."""
    names = sorted({one.domain for one in scored})
    groups = [(name, [one for one in scored if one.domain == name]) for name in names]
    if len(groups) > 1:
        groups.append(("all", list(scored)))
    for domain, members in groups:
        for agent in agents:
            mine = [one for one in members if one.agent.id == agent]
            if mine:
                means = {metric: mean_of(metric, mine) for metric in metrics}
                yield DomainScores(domain=domain, agent=agent, trials=len(mine), scores=means)


def _matrix(
    results: Sequence[TrialResult], agents: Sequence[str]
) -> Iterator[tuple[str, Sequence[tuple[int, int] | None]]]:
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for one in results:
        row = counts.setdefault(task_id(one), {})
        good, of = row.get(one.agent.id, (0, 0))
        row[one.agent.id] = good + (one.status == "passed"), of + 1
    for task in sorted(counts):
        yield task.rpartition("::")[2], [counts[task].get(agent) for agent in agents]
