"""What the page shows of all trials together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.groups import NETARENA, metrics_of
from pytest_netbench.reporting.intervals import clusters_of, passed
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.attempts import over_tasks, pass_at_k, pass_hat_k
from pytest_netbench.stats.clusters import clustered_mean, clustered_share
from pytest_netbench.stats.intervals import Interval, wald

KINDS: Mapping[str, str] = {
    "passed": "passed",
    "wrong": "wrong result",
    "budget": "budget used up",
    "agent": "agent failed",
    "lab": "infrastructure error",
}
"""How a trial ended, and in words."""


Comparison = tuple[str, Sequence[tuple[str, str, Sequence[str]]]]
"""With a baseline: the outcome in words, and entries: how it is meant (``ok``, ``regressed``, …), what, and why."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share with its interval, for a row and for a plot."""

    label: str
    value: float
    interval: Interval
    passed: int
    trials: int


@dataclass(frozen=True, kw_only=True)
class Leader:
    """An agent's row.

    Attributes:
        agent: Its id.
        share: How many of its trials passed.
        wald: Wald's interval of the trials of NetArena's families, if there are any.
        scores: By metric: mean and interval.
        attempts: pass@k and pass^k for the smallest number of trials of a task, if that is more than one.
        dollars: What is known of the cost.
        cost: The same in words; ``+``: of more the price is not known.
        tokens: Of prompts and completions.
        calls: Of the ANI.
        time: Of the agent.
        errors: Infrastructure errors.
        violations: Requests that its policy refused.
        kinds: By kind of end: how many trials.
    """

    agent: str
    share: Share | None
    wald: Interval | None
    scores: Mapping[str, tuple[str, Interval | None]]
    attempts: str
    dollars: float | None
    cost: str
    tokens: int
    calls: int
    time: str
    errors: int
    violations: int
    kinds: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Shares with intervals: a row for each group and agent."""

    title: str
    rows: Sequence[tuple[str, Sequence[Share]]]


@dataclass(frozen=True, kw_only=True)
class Overview:
    """All trials.

    Attributes:
        agents: Ids.
        metrics: Names of scores.
        leaders: Best first.
        plots: Shares by domain, and by size.
        matrix: By task: for each agent how many of how many trials passed, or nothing.
        results: Of all trials, those that failed first.
    """

    agents: Sequence[str]
    metrics: Sequence[str]
    leaders: Sequence[Leader]
    plots: Sequence[Plot]
    matrix: Sequence[tuple[str, Sequence[tuple[int, int] | None]]]
    results: Sequence[TrialResult]


def kind_of(result: TrialResult) -> str:
    """How a trial ended: a key of ``KINDS``."""
    if result.status == "passed":
        return "passed"
    if result.status == "error":
        return "lab"
    return {"budget": "budget", "agent-error": "agent"}.get(result.outcome or "", "wrong")


def overview(results: Sequence[TrialResult]) -> Overview:
    """What the page shows of results."""
    agents = sorted({one.agent.id for one in results})
    scored = [one for one in results if one.status != "error"]
    metrics = metrics_of(scored)
    leaders = [_leader(agent, [one for one in results if one.agent.id == agent], metrics) for agent in agents]
    return Overview(
        agents=agents,
        metrics=metrics,
        leaders=sorted(leaders, key=lambda one: (-(one.share.value if one.share else -1.0), one.agent)),
        plots=[
            _plot("Passed by domain", scored, agents, lambda one: one.domain),
            _plot("Passed by size of the network", scored, agents, _size),
        ],
        matrix=list(_matrix(scored, agents)),
        results=sorted(results, key=lambda one: (one.status == "passed", one.node_id, one.trial)),
    )


def _share(label: str, results: Sequence[TrialResult]) -> Share | None:
    if not results:
        return None
    count = round(sum(map(passed, results)))
    interval = clustered_share(clusters_of(results, task_id, passed))
    return Share(label=label, value=count / len(results), interval=interval, passed=count, trials=len(results))


def _leader(agent: str, results: Sequence[TrialResult], metrics: Sequence[str]) -> Leader:
    scored = [one for one in results if one.status != "error"]
    netarena = [one for one in scored if one.family in NETARENA]
    asked = [one.usage for one in scored if one.usage.completions]
    costs = [usage.cost_usd for usage in asked if usage.cost_usd is not None]
    more = "+" if 0 < len(costs) < len(asked) else ""
    kinds = [kind_of(one) for one in results]
    return Leader(
        agent=agent,
        share=_share(agent, scored),
        wald=wald(round(sum(map(passed, netarena))), len(netarena)) if netarena else None,
        scores={metric: _score(metric, scored) for metric in metrics},
        attempts=_attempts(scored),
        dollars=sum(costs) if costs else None,
        cost=words.money(sum(costs) if costs else None) + more,
        tokens=sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in results),
        calls=sum(one.budget_used.calls for one in results),
        time=words.seconds(sum(one.agent_s for one in results)),
        errors=len(results) - len(scored),
        violations=sum(sum(one.violations.values()) for one in scored),
        kinds={kind: kinds.count(kind) for kind in KINDS},
    )


def _score(metric: str, results: Sequence[TrialResult]) -> tuple[str, Interval | None]:
    made = clustered_mean(clusters_of(results, task_id, partial(_value, metric)))
    return (words.score(made.value), made.interval) if made else (words.NOTHING, None)


def _value(metric: str, result: TrialResult) -> float | None:
    return result.score(metric)


def _attempts(results: Sequence[TrialResult]) -> str:
    tasks = [(round(sum(one)), len(one)) for one in clusters_of(results, task_id, passed)]
    k = min((trials for _, trials in tasks), default=1)
    if k == 1:
        return words.NOTHING
    some, each = (words.score(over_tasks(measure, tasks, k).value) for measure in (pass_at_k, pass_hat_k))
    return f"pass@{k} {some}, pass^{k} {each}"


def _plot(
    title: str, results: Sequence[TrialResult], agents: Sequence[str], group_of: Callable[[TrialResult], str]
) -> Plot:
    rows = []
    for group in sorted({group_of(one) for one in results}):
        mine = [one for one in results if group_of(one) == group]
        shares = (_share(agent, [one for one in mine if one.agent.id == agent]) for agent in agents)
        rows.append((group, [share for share in shares if share is not None]))
    return Plot(title=title, rows=rows)


def _size(result: TrialResult) -> str:
    known = result.regions.get("devices", ())
    if not known and result.size is None:
        return "unknown"
    devices = int(known[0]) if known else result.size.devices if result.size else 0
    return "S: to 5 nodes" if devices <= 5 else "M: to 15 nodes" if devices <= 15 else "L: more"


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
