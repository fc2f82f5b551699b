"""The table of agents: a row with all numbers of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.groups import NETARENA
from pytest_netbench.reporting.intervals import clusters_of, passed
from pytest_netbench.reporting.page.kinds import KINDS, kind_of
from pytest_netbench.reporting.page.shares import Share, share
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.attempts import over_tasks, pass_at_k, pass_hat_k
from pytest_netbench.stats.clusters import clustered_mean
from pytest_netbench.stats.groups import Estimate
from pytest_netbench.stats.intervals import Interval, wald


@dataclass(frozen=True, kw_only=True)
class Leader:
    """An agent's row.

    Attributes:
        agent: Its id.
        share: How many of its trials passed.
        tasks: How many tasks it has scored trials of.
        wald: Wald's interval of the trials of NetArena's families, if there are any.
        scores: By metric: mean and interval.
        attempts: pass@k and pass^k for the smallest number of trials of a task, if that is more than one.
        dollars: What is known of the cost.
        cost: The same in words; ``+``: of more the price is not known.
        tokens: Of prompts and completions.
        calls: Of the ANI.
        parts: Seconds of all its scored trials: deployment, agent, evaluation.
        errors: Infrastructure errors.
        violations: Requests that its policy refused.
        kinds: By kind of end: how many trials.
    """

    agent: str
    share: Share | None
    tasks: int
    wald: Interval | None
    scores: Mapping[str, Estimate | None]
    attempts: str
    dollars: float | None
    cost: str
    tokens: int
    calls: int
    parts: tuple[float, float, float]
    errors: int
    violations: int
    kinds: Mapping[str, int]


def leaders(results: Sequence[TrialResult], agents: Sequence[str], metrics: Sequence[str]) -> list[Leader]:
    """Return a row for each agent, best first."""
    rows = [_leader(agent, [one for one in results if one.agent.id == agent], metrics) for agent in agents]
    return sorted(rows, key=lambda one: (-(one.share.value if one.share else -1.0), one.agent))


def _leader(agent: str, results: Sequence[TrialResult], metrics: Sequence[str]) -> Leader:
    scored = [one for one in results if one.status != "error"]
    netarena = [one for one in scored if one.family in NETARENA]
    asked = [one.usage for one in scored if one.usage.completions]
    costs = [usage.cost_usd for usage in asked if usage.cost_usd is not None]
    more = "+" if 0 < len(costs) < len(asked) else ""
    kinds = [kind_of(one) for one in results]
    return Leader(
        agent=agent,
        share=share(agent, scored),
        tasks=len({task_id(one) for one in scored}),
        wald=wald(round(sum(map(passed, netarena))), len(netarena)) if netarena else None,
        scores={metric: mean_of(metric, scored) for metric in metrics},
        attempts=_attempts(scored),
        dollars=sum(costs) if costs else None,
        cost=words.money(sum(costs) if costs else None) + more,
        tokens=sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in results),
        calls=sum(one.budget_used.calls for one in results),
        parts=(
            sum(one.deploy_s for one in scored),
            sum(one.agent_s for one in scored),
            sum(one.evaluate_s for one in scored),
        ),
        errors=len(results) - len(scored),
        violations=sum(sum(one.violations.values()) for one in scored),
        kinds={kind: kinds.count(kind) for kind in KINDS},
    )


def mean_of(metric: str, results: Sequence[TrialResult]) -> Estimate | None:
    """The mean of a score with its interval; ``None`` if it was not measured."""
    return clustered_mean(clusters_of(results, task_id, partial(_value, metric)))


def _value(metric: str, result: TrialResult) -> float | None:
    return result.score(metric)


def _attempts(results: Sequence[TrialResult]) -> str:
    tasks = [(round(sum(one)), len(one)) for one in clusters_of(results, task_id, passed)]
    k = min((trials for _, trials in tasks), default=1)
    if k == 1:
        return words.NOTHING
    some, each = (words.score(over_tasks(measure, tasks, k).value) for measure in (pass_at_k, pass_hat_k))
    return f"pass@{k} {some}, pass^{k} {each}"
