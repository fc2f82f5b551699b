"""Which changes of one diff are also in another, given how names of the first are called in the second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_netbench.scorers.alignment import align
from pytest_netbench.scorers.diff import Change, Mark, Path
from pytest_netbench.scorers.lines import Lines, Name

Pair = tuple[Change, Change]

# in an ordered list, lines that both sides kept are fixed points: they outweigh any number of matches
_LANDMARK = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class _View:
    """A change as it is compared: ``label`` without positions, ``line`` with them, both with names replaced."""

    change: Change
    label: tuple[Mark, str]
    line: str
    children: tuple[_View, ...]


def match(dialect: Lines, agent: Sequence[Change], truth: Sequence[Change], renamed: Mapping[Name, str]) -> list[Pair]:
    """Added and removed lines that both have, under the same parents and, in an ordered list, in the same order."""
    return _match(dialect, _views(dialect, agent, renamed), _views(dialect, truth, {}), ())


def _views(dialect: Lines, changes: Sequence[Change], renamed: Mapping[Name, str]) -> tuple[_View, ...]:
    views = []
    for change in changes:
        template = dialect.template(change.line)
        views.append(
            _View(
                change=change,
                label=(change.mark, template.text(renamed, positions=False)),
                line=template.text(renamed, positions=True),
                children=_views(dialect, change.children, renamed),
            )
        )
    return tuple(views)


def _match(dialect: Lines, agent: Sequence[_View], truth: Sequence[_View], parents: Path) -> list[Pair]:
    mine, theirs = _blocks(dialect, agent, parents), _blocks(dialect, truth, parents)
    pairs: list[Pair] = []
    for key, left in mine.items():
        right = theirs.get(key, [])
        pairs += (
            _in_any_order(dialect, left, right, parents) if key is None else _in_order(dialect, left, right, parents)
        )
    return pairs


def _blocks(dialect: Lines, views: Sequence[_View], parents: Path) -> dict[str | None, list[_View]]:
    found: dict[str | None, list[_View]] = {}
    for view in views:
        found.setdefault(dialect.block(parents, view.line), []).append(view)
    return found


def _in_any_order(dialect: Lines, agent: Sequence[_View], truth: Sequence[_View], parents: Path) -> list[Pair]:
    waiting: dict[tuple[Mark, str], list[_View]] = {}
    for view in truth:
        waiting.setdefault(view.label, []).append(view)
    pairs: list[Pair] = []
    for view in agent:
        if same := waiting.get(view.label):
            pairs += _pair(dialect, view, same.pop(0), parents)
    return pairs


def _in_order(dialect: Lines, agent: Sequence[_View], truth: Sequence[_View], parents: Path) -> list[Pair]:
    found: dict[tuple[int, int], list[Pair]] = {}

    def weight(i: int, j: int) -> int:
        if agent[i].label != truth[j].label:
            return 0
        found[i, j] = _pair(dialect, agent[i], truth[j], parents)
        return len(found[i, j]) + (_LANDMARK if agent[i].change.mark == " " else 0)

    return [pair for place in align(len(agent), len(truth), weight) for pair in found[place]]


def _pair(dialect: Lines, agent: _View, truth: _View, parents: Path) -> list[Pair]:
    own = [] if agent.change.mark == " " else [(agent.change, truth.change)]
    return own + _match(dialect, agent.children, truth.children, (*parents, truth.line))
