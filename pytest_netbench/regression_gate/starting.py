"""Agents that cannot start, in a judgement: each is a regression, whatever the others are. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from pytest_netbench.regression_gate.judging import Judgement

_OTHERS: Final = "the other agents were not judged: too many infrastructure errors"


def with_refused(judgement: Judgement, cannot_start: Mapping[str, str]) -> Judgement:
    """The judgement of a run in which some agents could not start.

    Args:
        judgement: Of the trials of the other agents.
        cannot_start: By agent: why.
    """
    if not cannot_start:
        return judgement
    unmatched = judgement.unmatched if judgement.trials else ()
    if judgement.outcome == "not judged":
        unmatched = (*unmatched, _OTHERS)
    rulings = tuple(one for one in judgement.rulings if one.agent not in cannot_start)
    return replace(judgement, outcome="failed", rulings=rulings, unmatched=unmatched, cannot_start=dict(cannot_start))


def refusals(judgement: Judgement) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield for each agent that could not start a headline, and the lines that say why."""
    for agent, message in judgement.cannot_start.items():
        yield f"REGRESSED: {agent} cannot start", tuple(message.splitlines())
