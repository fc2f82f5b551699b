"""The result in one or two sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.reporting.page.differences import Difference
from pytest_netbench.reporting.page.leaders import Leader
from pytest_netbench.reporting.page.shares import Share

MOST_NAMED: Final = 4
MINUS: Final = "\N{MINUS SIGN}"


def numbered(number: int, noun: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def headline(leaders: Sequence[Leader], differences: Sequence[Difference]) -> str:
    """Return how many tasks each agent passed, how far the first two are apart, and what was not scored.

    Args:
        leaders: Rows of agents, best first.
        differences: Of agents two at a time; the first is of the best two, if they ran a task in common.
    """
    return " ".join(_sentences(leaders, differences))


def _sentences(leaders: Sequence[Leader], differences: Sequence[Difference]) -> Iterator[str]:
    scored = [(one, one.share) for one in leaders if one.share is not None]
    if not scored:
        yield "No trial was scored."
    elif len(scored) == 1:
        one, share = scored[0]
        yield f"{one.agent} passed {_of(one, share)} (95 %: {_percent(share)})."
    else:
        yield from _several(scored, differences)
    errors = sum(one.errors for one in leaders)
    if errors:
        is_counted = "is" if errors == 1 else "are"
        yield f"{numbered(errors, 'trial')} ended in an infrastructure error and {is_counted} not counted."


def _several(scored: Sequence[tuple[Leader, Share]], differences: Sequence[Difference]) -> Iterator[str]:
    """The best agent passed so many of so many; of others with as many trials of as many tasks only the numbers."""
    best, most = scored[0]
    said = [f"{best.agent} passed {_of(best, most)}"]
    for one, share in scored[1:MOST_NAMED]:
        is_like_best = (one.tasks, share.trials) == (best.tasks, most.trials)
        said.append(f"{one.agent} {f'{share.passed} of {share.trials}' if is_like_best else _of(one, share)}")
    second = scored[1][0]
    found = next((one for one in differences if (one.first, one.second) == (best.agent, second.agent)), None)
    if len(scored) == 2:
        yield f"{', '.join(said)}; {_apart(found, 'the difference', best, second)}."
        return
    more = len(scored) - MOST_NAMED
    rest = f", and {numbered(more, 'other agent')} not more often" if more > 0 else ""
    yield f"{', '.join(said)}{rest}."
    yield f"{_apart(found, f'The difference between {best.agent} and {second.agent}', best, second)}."


def _apart(found: Difference | None, what: str, best: Leader, second: Leader) -> str:
    if found is None:
        return f"{best.agent} and {second.agent} ran no task in common"
    is_all = found.tasks == best.tasks == second.tasks
    where = "" if is_all else f" at the {numbered(found.tasks, 'task')} that both ran"
    return f"{what}{where} is {_points(found)}"


def signed(share: float) -> str:
    """A difference of shares in points: ``+100``, ``0``, ``-7`` with a true minus sign."""
    number = round(100 * share)
    return f"{number:+d}".replace("-", MINUS) if number else "0"


def _points(found: Difference) -> str:
    value = signed(found.value).removeprefix("+")
    bounds = " to ".join(signed(bound).removeprefix("+") for bound in (found.interval.low, found.interval.high))
    return f"{value} point{'' if value in {'1', f'{MINUS}1'} else 's'} (95 %: {bounds})"


def _of(one: Leader, share: Share) -> str:
    if share.trials == one.tasks:
        return f"{share.passed} of {numbered(share.trials, 'task')}"
    return f"{share.passed} of {numbered(share.trials, 'trial')} of {numbered(one.tasks, 'task')}"


def _percent(share: Share) -> str:
    return f"{100 * share.interval.low:.0f} to {100 * share.interval.high:.0f} %"
