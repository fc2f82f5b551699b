"""The one consistent renaming of an agent's names into the ground truth's that makes most lines match.

Branch and bound over the names of one node, exact until a fixed amount of work is done; deterministic in any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_netbench.scorers.config_tree import ConfigNode
from pytest_netbench.scorers.diff import Change, Mark, walk
from pytest_netbench.scorers.lines import Lines, Name, Template
from pytest_netbench.scorers.matching import Pair, match

_WORK = 400_000
"""Lines that may be looked at while searching: about a second."""

_FRESH = "\N{PRIME}"

Renaming = dict[Name, str]
_Line = tuple[Mark, tuple[Template, ...]]
_Key = tuple[Mark, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Best:
    """The renaming found, the changes that match under it, and whether no other can match more."""

    renamed: Renaming
    pairs: tuple[Pair, ...]
    exact: bool


def best_renaming(
    dialect: Lines, agent: Sequence[Change], truth: Sequence[Change], known: Sequence[ConfigNode]
) -> Best:
    """Search the bijection, kind by kind, between the names that each side chose.

    Args:
        dialect: The node's platform.
        agent: What the agent changed.
        truth: What the ground truth changes.
        known: Initial configs: names in them were not chosen by either side and are not renamed.
    """
    return _Search(dialect, agent, truth, _names_of(dialect, known)).run()


def _names_of(dialect: Lines, tree: Sequence[ConfigNode]) -> set[Name]:
    names: set[Name] = set()
    for node in tree:
        names |= set(dialect.template(node.line).names) | _names_of(dialect, node.children)
    return names


class _Search:
    def __init__(self, dialect: Lines, agent: Sequence[Change], truth: Sequence[Change], known: set[Name]) -> None:
        self._dialect, self._agent, self._truth = dialect, agent, truth
        self._mine = _lines(dialect, agent)
        self._theirs = _lines(dialect, truth)
        self._names = _chosen(self._mine, known)
        self._targets = _chosen(self._theirs, known)
        self._work = _WORK
        self._best: Best | None = None
        self._best_known = -1

    def run(self) -> Best:
        ceiling = self._bound({})
        self._descend(0, {}, ceiling)
        assert self._best is not None
        exact = self._work > 0 or len(self._best.pairs) >= ceiling
        return Best(renamed=self._best.renamed, pairs=self._best.pairs, exact=exact)

    def _descend(self, depth: int, chosen: Renaming, bound: int) -> None:
        if bound <= self._best_known or (self._work <= 0 and self._best is not None):
            return
        if depth == len(self._names):
            self._judge(chosen)
            return
        for next_bound, candidate in self._candidates(self._names[depth], depth, chosen):
            self._descend(depth + 1, chosen | candidate, next_bound)

    def _candidates(self, name: Name, depth: int, chosen: Renaming) -> list[tuple[int, Renaming]]:
        """Names that ``name`` may stand for, the most promising first."""
        kind = name[0]
        taken = {target for (other, _), target in chosen.items() if other == kind}
        free = [target for other, target in self._targets if other == kind and target not in taken]
        left = sum(other == kind for other, _ in self._names[depth:])
        options: list[Renaming] = [{name: target} for target in sorted(free, key=lambda target: target != name[1])]
        if left > len(free):
            options.append({name: _unlike(name, self._targets)})
        if self._work <= 0 or len(options) == 1:
            return [(self._bound(chosen | option), option) for option in options[:1]]
        bounded = [(self._bound(chosen | option), option) for option in options]
        return sorted(bounded, key=lambda pair: -pair[0])

    def _judge(self, chosen: Renaming) -> None:
        pairs = match(self._dialect, self._agent, self._truth, chosen)
        self._work -= 10 * len(self._mine)
        if len(pairs) > self._best_known:
            self._best_known = len(pairs)
            self._best = Best(renamed=chosen, pairs=tuple(pairs), exact=False)

    def _bound(self, chosen: Renaming) -> int:
        """At most so many lines match: order left aside, names not yet decided all alike."""
        self._work -= len(self._mine) + len(self._theirs)
        used = {(kind, target) for (kind, _), target in chosen.items()}
        undecided = set(self._names) - chosen.keys()
        open_targets = set(self._targets) - used
        mine = _keys(self._mine, dict(chosen) | dict.fromkeys(undecided, _FRESH))
        theirs = _keys(self._theirs, dict.fromkeys(open_targets, _FRESH))
        return (mine & theirs).total()


def _lines(dialect: Lines, changes: Sequence[Change]) -> list[_Line]:
    return [(path[-1].mark, tuple(dialect.template(change.line) for change in path)) for path in walk(changes)]


def _chosen(lines: Sequence[_Line], known: set[Name]) -> list[Name]:
    """Names that were not there before, those with most uses first."""
    uses = Counter(name for name in _names_in(lines) if name not in known)
    return sorted(uses, key=lambda name: -uses[name])


def _names_in(lines: Sequence[_Line]) -> Iterator[Name]:
    for _, path in lines:
        for template in path:
            yield from template.names


def _keys(lines: Sequence[_Line], renamed: Renaming) -> Counter[_Key]:
    return Counter((mark, tuple(template.text(renamed, positions=False) for template in path)) for mark, path in lines)


def _unlike(name: Name, targets: Sequence[Name]) -> str:
    """A name for one that stands for nothing in the ground truth: its own, unless that would mean something there."""
    fresh = name[1]
    while (name[0], fresh) in targets:
        fresh += _FRESH
    return fresh
