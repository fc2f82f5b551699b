"""What trials took: money, tokens or calls beside how many passed, and time by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.reporting import words
from pytest_netbench.reporting.page.leaders import Leader
from pytest_netbench.reporting.page.shares import Share

PARTS: Final = ("deployment", "agent", "evaluation")


@dataclass(frozen=True, kw_only=True)
class Spot:
    """An agent in the plot of effort: how far to the right, 0 to 1, what it took in words, and how many passed."""

    at: float
    effort: str
    share: Share
    labeled: bool


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How many trials passed against what one trial took.

    Attributes:
        unit: What is shown: ``cost``, ``tokens`` or ``calls``.
        most: The right end, in words.
        spots: Of agents of which it is known.
        unknown: Agents of which it is not known.
    """

    unit: str
    most: str
    spots: Sequence[Spot]
    unknown: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Times:
    """Mean seconds of a trial of an agent by part (``PARTS``), and the same as shares of the longest trial's time."""

    agent: str
    seconds: Sequence[float]
    widths: Sequence[float]


def effort(leaders: Sequence[Leader]) -> Effort | None:
    """Return the plot of cost, of tokens if no cost is known, of calls if no model was asked; ``None`` without calls.

    A cost of which only a part is known has a ``+``, as in the table of agents.
    """
    scored = [one for one in leaders if one.share is not None]
    for unit in ("cost", "tokens", "calls"):
        known = [(one, value) for one in scored if (value := _mean(one, unit)) is not None]
        if any(value for _, value in known):
            break
    else:
        return None
    most = max(value for _, value in known)
    spots: list[Spot] = []
    for one, value in known:
        assert one.share is not None
        at = value / most
        more = "+" if unit == "cost" and one.cost.endswith("+") else ""
        spots.append(
            Spot(at=at, effort=_said(unit, value) + more, share=one.share, labeled=_is_free(at, one.share, spots))
        )
    names = {one.agent for one, _ in known}
    unknown = [one.agent for one in leaders if one.agent not in names]
    return Effort(unit=unit, most=_said(unit, most), spots=spots, unknown=unknown)


def _mean(one: Leader, unit: str) -> float | None:
    assert one.share is not None
    if unit == "cost":
        return None if one.dollars is None else one.dollars / one.share.trials
    if unit == "tokens":
        return one.tokens / one.share.trials if one.tokens else None
    return one.calls / one.share.trials


def _said(unit: str, value: float) -> str:
    if unit == "cost":
        return words.money(value)
    return words.count(round(value)) if value >= 10 or value == round(value) else f"{value:.1f}"


def _is_free(at: float, share: Share, others: Sequence[Spot]) -> bool:
    """Whether a name beside the mark would not lie on another one."""
    return all(abs(one.share.value - share.value) > 0.09 or abs(one.at - at) > 0.5 for one in others if one.labeled)


def times(leaders: Sequence[Leader]) -> list[Times]:
    """Return the mean times of a trial of each agent."""
    means = [(one.agent, [part / one.share.trials for part in one.parts]) for one in leaders if one.share is not None]
    longest = max((sum(parts) for _, parts in means), default=0.0)
    if not longest:
        return []
    return [Times(agent=agent, seconds=parts, widths=[part / longest for part in parts]) for agent, parts in means]
