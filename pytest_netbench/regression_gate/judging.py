"""Judges a run against a baseline by a policy. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.regression_gate.policy import Policy, Rule
from pytest_netbench.results.pairing import Paired, pair, task_id
from pytest_netbench.stats.paired import Pair
from pytest_netbench.stats.power import detectable_loss
from pytest_netbench.stats.regression import Verdict, judge

Outcome = Literal["failed", "not judged", "passed"]


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What one rule says of one agent.

    Attributes:
        rule: The rule.
        agent: The id of the agent.
        verdict: Of the comparison; ``None`` if nothing could be compared.
        shares: Means over tasks of the metric: of the baseline and now; empty without a comparison.
        trials: Numbers of trials that were compared: of the baseline and now.
        tasks: How many tasks were compared.
        detectable: The smallest loss that is found in eight of ten such runs; ``None`` if none is.
        lost: The tasks that lost most: how many trials (or the mean score) before and now.
        exceeded: Limits that are exceeded, in words.
        left_out: What could not be compared, in words.
    """

    rule: Rule
    agent: str
    verdict: Verdict | None
    shares: tuple[float, ...] = ()
    trials: tuple[int, int] = (0, 0)
    tasks: int = 0
    detectable: float | None = None
    lost: tuple[str, ...] = ()
    exceeded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the gate fails by this rule."""
        if self.exceeded or self.verdict is None or self.verdict.kind == "regressed":
            return True
        return self.verdict.kind == "inconclusive" and self.rule.inconclusive == "fail"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What the gate says of a run.

    Attributes:
        outcome: ``not judged``: there were too many infrastructure errors.
        rulings: By rule and agent; empty if nothing was judged.
        must_pass: Trials that had to pass and did not, by task and agent: failed and all.
        unmatched: Patterns of ``must_pass`` and rules that fit no trial of the run, in words.
        errors: How many trials ended in an infrastructure error.
        trials: How many there were.
        replayed: How many of them were replayed from cassettes.
        replayed_before: How many of those of the baseline were.
        cannot_start: Agents that could not start, and why: each is a regression, and was not run.
    """

    outcome: Outcome
    rulings: tuple[Ruling, ...] = ()
    must_pass: Mapping[tuple[str, str], tuple[int, int]]
    unmatched: tuple[str, ...] = ()
    errors: int
    trials: int
    replayed: int = 0
    replayed_before: int = 0
    cannot_start: Mapping[str, str] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """How often, at most, any of the verdicts may be wrong: each rule has its level for each agent."""
        return min(1.0, math.fsum(one.rule.level for one in self.rulings if one.verdict is not None))


def judge_run(
    results: Sequence[TrialResult], baseline: Sequence[TrialResult], policy: Policy, *, look: int = 1
) -> Judgement:
    """Judge the trials of a run.

    Args:
        results: All trials of the run.
        baseline: Those that they are compared with.
        policy: What is asked.
        look: How many times the run was judged, this time included, with more trials each time.
    """
    errors = sum(one.status == "error" for one in results)
    must_pass = dict(_failed_that_must_pass(results, policy.must_pass))
    replayed, replayed_before = (sum(one.replayed is not None for one in side) for side in (results, baseline))
    if errors > policy.most_errors * len(results):
        return Judgement(
            outcome="not judged",
            must_pass=must_pass,
            errors=errors,
            trials=len(results),
            replayed=replayed,
            replayed_before=replayed_before,
        )
    rulings = tuple(_rulings(results, baseline, policy, look))
    unmatched = tuple(_unmatched(results, policy, rulings))
    failed = must_pass or unmatched or any(one.fails for one in rulings)
    return Judgement(
        outcome="failed" if failed else "passed",
        rulings=rulings,
        must_pass=must_pass,
        unmatched=unmatched,
        errors=errors,
        trials=len(results),
        replayed=replayed,
        replayed_before=replayed_before,
    )


def _rulings(
    results: Sequence[TrialResult], baseline: Sequence[TrialResult], policy: Policy, look: int
) -> Iterator[Ruling]:
    for rule in policy.rules:
        now = [one for one in results if rule.fits(one)]
        before = [one for one in baseline if rule.fits(one)]
        for agent in dict.fromkeys(one.agent.id for one in now):
            yield _ruling(
                rule,
                agent,
                [one for one in before if one.agent.id == agent],
                [one for one in now if one.agent.id == agent],
                look,
            )


def _ruling(rule: Rule, agent: str, before: Sequence[TrialResult], now: Sequence[TrialResult], look: int) -> Ruling:
    paired = pair(before, now)
    pairs = dict(_pairs(paired, rule))
    exceeded = tuple(_exceeded(rule, [one for one in now if one.status != "error"]))
    left_out = tuple(_left_out(paired, pairs, rule))
    if not pairs:
        return Ruling(rule=rule, agent=agent, verdict=None, exceeded=exceeded, left_out=left_out)
    verdict = judge(list(pairs.values()), tolerance=rule.tolerance, level=rule.level, look=look)
    first = sum(sum(one.first) / len(one.first) for one in pairs.values()) / len(pairs)
    trials = (sum(len(one.first) for one in pairs.values()), sum(len(one.second) for one in pairs.values()))
    before_each, each = (max(1, round(count / len(pairs))) for count in trials)
    return Ruling(
        rule=rule,
        agent=agent,
        verdict=verdict,
        shares=(first, first - verdict.loss),
        trials=trials,
        tasks=len(pairs),
        detectable=detectable_loss(
            first,
            tasks=len(pairs),
            before=before_each,
            trials=each,
            tolerance=rule.tolerance,
            level=rule.level,
            look=look,
        ),
        lost=tuple(_lost(pairs, rule)),
        exceeded=exceeded,
        left_out=left_out,
    )


def _pairs(paired: Paired, rule: Rule) -> Iterator[tuple[str, Pair]]:
    """The tasks of which both sides have values by the same version of a scorer."""
    for name, sides in paired.trials.items():
        if len({_scorer(one, rule) for side in sides for one in side} - {None}) > 1:
            continue
        first, second = (tuple(value for one in side if (value := rule.value(one)) is not None) for side in sides)
        if first and second and all(0 <= value <= 1 for value in (*first, *second)):
            yield name, Pair(first=first, second=second)


def _scorer(result: TrialResult, rule: Rule) -> str | None:
    return next((one.scorer for one in result.scores if one.metric == rule.metric), None)


def _exceeded(rule: Rule, scored: Sequence[TrialResult]) -> Iterator[str]:
    costs = [one.usage.cost_usd for one in scored]
    known = [cost for cost in costs if cost is not None]
    if rule.most_cost_usd is not None and scored:
        if len(known) < len(costs):
            yield f"the cost of {len(costs) - len(known)} of {len(costs)} trials is not known, and it is limited"
        elif (cost := sum(known) / len(known)) > rule.most_cost_usd:
            yield f"a trial cost {cost:.4g} USD in the mean, {rule.most_cost_usd:g} at most is accepted"
    if rule.most_seconds is not None and scored:
        seconds = sum(one.agent_s for one in scored) / len(scored)
        if seconds > rule.most_seconds:
            yield f"a trial took {seconds:.4g} s in the mean, {rule.most_seconds:g} at most is accepted"


def _left_out(paired: Paired, pairs: Mapping[str, Pair], rule: Rule) -> Iterator[str]:
    without = [name for name in paired.trials if name not in pairs]
    for words, names in (
        ("changed since the baseline", paired.changed),
        ("another share of the network's behaviour was measured than in the baseline", paired.unequal),
        ("lab time passed in another way than in the baseline", paired.clocks),
        ("only in the baseline", paired.only_first),
        ("not in the baseline", paired.only_second),
        (f"{rule.metric} was not measured from 0 to 1 by the same version of its scorer", without),
    ):
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield f"{words}: {', '.join(names[:3])}{more}"


def _lost(pairs: Mapping[str, Pair], rule: Rule) -> Iterator[str]:
    for name, one in sorted(pairs.items(), key=lambda item: item[1].difference):
        if one.difference >= 0:
            return
        yield f"{name}: {_side(one.second, rule)}, was {_side(one.first, rule)}"


def _side(values: Sequence[float], rule: Rule) -> str:
    if rule.metric == "passed":
        return f"{sum(values):.0f} of {len(values)}"
    return f"{sum(values) / len(values):.2f}"


def _failed_that_must_pass(
    results: Sequence[TrialResult], patterns: Sequence[str]
) -> Iterator[tuple[tuple[str, str], tuple[int, int]]]:
    wanted: dict[tuple[str, str], list[bool]] = {}
    for one in results:
        name = task_id(one)
        if one.status != "error" and any(fnmatchcase(name, pattern) for pattern in patterns):
            wanted.setdefault((name, one.agent.id), []).append(one.status == "passed")
    for place, passes in wanted.items():
        if not all(passes):
            yield place, (passes.count(False), len(passes))


def _unmatched(results: Sequence[TrialResult], policy: Policy, rulings: Sequence[Ruling]) -> Iterator[str]:
    for rule in policy.rules:
        if not any(one.rule is rule for one in rulings):
            yield f"no trial fits the rule for {rule.about}"
    scored = [task_id(one) for one in results if one.status != "error"]
    for pattern in policy.must_pass:
        if not any(fnmatchcase(name, pattern) for name in scored):
            yield f"no scored trial fits {pattern!r} of must_pass"
