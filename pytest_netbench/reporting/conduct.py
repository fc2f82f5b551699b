"""How agents worked: how trials were completed, what agents asked, saw, named and repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, get_args

from pytest_netbench.model.process import Completion, Process
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.intervals import passed
from pytest_netbench.reporting.tables import Table
from pytest_netbench.stats.components import Components, components
from pytest_netbench.stats.intervals import wilson

_KINDS: Final = ("look", "measure", "change", "answer", "wait", "other")
_REPAIRED: Final = ("correctness", "traffic")
"""Scores that are 1 if a network is repaired; those that a family has."""
_TRIALS: Final[dict[str, Callable[[Process], bool]]] = {
    "request refused": lambda one: one.errors > 0,
    "request repeated": lambda one: one.repeated > 0,
    "changed before reading": lambda one: bool(one.changed_unread),
    "changed, not verified": lambda one: one.unverified,
    "undid own work": lambda one: bool(one.undone),
    "stopped early, calls left": lambda one: one.stopped_early,
}


def conduct_table(results: Sequence[TrialResult]) -> Table | None:
    """Return a table with a row for each verdict and a column for each agent; ``None`` if no result has verdicts.

    Args:
        results: Of trials that were scored.
    """
    known = [one for one in results if one.process is not None]
    if not known:
        return None
    agents = sorted({one.agent.id for one in known})
    columns = [dict(_column([one for one in known if one.agent.id == agent])) for agent in agents]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [(name, *(column.get(name, words.NOTHING) for column in columns)) for name in names]
    return Table(head=("how agents worked", *agents), rows=rows, gap="  ")


def _column(results: Sequence[TrialResult]) -> Iterator[tuple[str, str]]:
    found = [one.process for one in results if one.process is not None]
    completions = Counter(one.completion for one in found)
    for name in get_args(Completion):
        yield f"completed: {name}", f"{completions[name]}/{len(found)}"
    yield from _requests(found)
    for name, holds in _TRIALS.items():
        of = [one for one in found if one.actions.get("change")] if name.startswith("changed") else found
        yield f"trials: {name}", f"{sum(map(holds, of))}/{len(of)}" if of else words.NOTHING
    yield from _causes(found)
    for name, is_right in (("diagnosed", True), ("misdiagnosed", False)):
        yield f"P(repaired | {name})", _repaired(results, is_right=is_right)
    parts = variance(results)
    shares = None if parts is None else parts.shares
    for number, name in enumerate(("templates", "instances", "trials")):
        value = None if shares is None else shares[number]
        yield f"variance of passing: {name}", words.NOTHING if value is None else f"{value:.0%}"


def _requests(found: Sequence[Process]) -> Iterator[tuple[str, str]]:
    kinds: Counter[str] = Counter()
    for one in found:
        kinds.update(one.actions)
    total = sum(kinds.values())
    yield "requests per trial", f"{total / len(found):.1f}"
    for kind in _KINDS:
        yield f"requests: {kind}", _share(kinds[kind], total)
    yield "requests: refused", _share(sum(one.errors for one in found), total)
    yield "requests: repeated", _share(sum(one.repeated for one in found), total)


def _causes(found: Sequence[Process]) -> Iterator[tuple[str, str]]:
    causes = [cause for one in found for cause in one.causes]
    seen = sum(one.shown_by is not None for one in causes)
    yield "causes: seen", f"{seen}/{len(causes)}" if causes else words.NOTHING
    asked = [one for one in causes if one.named is not None]
    for name, is_seen, is_named in (
        ("seen and named", True, True),
        ("seen, not named", True, False),
        ("named, not shown to be seen", False, True),
        ("neither", False, False),
    ):
        count = sum((one.shown_by is not None, one.named) == (is_seen, is_named) for one in asked)
        yield f"causes: {name}", f"{count}/{len(asked)}" if asked else words.NOTHING


def _repaired(results: Sequence[TrialResult], *, is_right: bool) -> str:
    """The share of networks that were repaired, of those whose causes were all named, or were not."""
    of = [one for one in results if _is_asked_both(one) and (one.score("root_cause") == 1) is is_right]
    if not of:
        return words.NOTHING
    good = sum(all(one.score(name) in {1, None} for name in _REPAIRED) for one in of)
    interval = wilson(good, len(of))
    return f"{good}/{len(of)} ({interval.low:.2f}-{interval.high:.2f})"


def _is_asked_both(one: TrialResult) -> bool:
    """Whether a network with faults was to be diagnosed and repaired."""
    has_causes = one.process is not None and bool(one.process.causes)
    return has_causes and one.score("root_cause") is not None and one.score("correctness") is not None


def variance(results: Sequence[TrialResult]) -> Components | None:
    """The parts of the variance of passing: between templates, their instances, and trials of an instance.

    The template of a drawn task is its generator, scenario and label; that of another one is its name, so that variants
    are instances of one template.
    """
    templates: dict[tuple[str | None, ...], dict[str, list[float]]] = {}
    for one in results:
        name = one.task_name, None, None
        template = name if one.drawn is None else (one.drawn.generator, one.drawn.scenario, one.drawn.label)
        templates.setdefault(template, {}).setdefault(one.task_digest, []).append(passed(one))
    return components([list(instances.values()) for instances in templates.values()])


def _share(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else words.NOTHING
