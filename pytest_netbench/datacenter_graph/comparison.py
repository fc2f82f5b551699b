"""Comparison of answers and graphs by canonical keyed structure: nodes by name, edges by the names of their ends."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from pytest_netbench.datacenter_graph.graph import Graph
from pytest_netbench.datacenter_graph.query import AnswerType


class Changes(NamedTuple):
    """How one graph differs from another: what was added, removed, and has other attributes.

    An item is the name of a node, or a pair of names for an edge.
    """

    added: frozenset[Any]
    removed: frozenset[Any]
    changed: frozenset[Any]

    @property
    def any(self) -> bool:
        """Whether there is a difference."""
        return bool(self.added or self.removed or self.changed)

    def describe(self, most: int = 5) -> str:
        """Return the differences in words, at most so many items of each kind."""
        words = ((kind, sorted(map(str, getattr(self, kind)))) for kind in self._fields)
        return "; ".join(
            f"{kind}: {', '.join(items[:most])}{f' and {len(items) - most} more' if len(items) > most else ''}"
            for kind, items in words
            if items
        )


def changes(before: Graph, after: Graph) -> Changes:
    """Return how ``after`` differs from ``before``."""
    added: set[Any] = {*after.nodes.keys() - before.nodes.keys(), *after.edges.keys() - before.edges.keys()}
    removed: set[Any] = {*before.nodes.keys() - after.nodes.keys(), *before.edges.keys() - after.edges.keys()}
    nodes = {name for name, one in before.nodes.items() if name in after.nodes and not _equal(one, after.nodes[name])}
    edges = {ends for ends, kind in before.edges.items() if after.edges.get(ends, kind) != kind}
    return Changes(frozenset(added), frozenset(removed), frozenset(nodes | edges))


def unasked(before: Graph, wanted: Graph, given: Graph) -> Changes:
    """Return the changes from ``before`` to ``given`` at places where ``wanted`` asks for none."""
    asked, made = changes(before, wanted), changes(before, given)
    places = asked.added | asked.removed | asked.changed
    return Changes(made.added - places, made.removed - places, made.changed - places)


def matches(kind: AnswerType, expected: Any, given: Any) -> bool:
    """Whether the answer ``given``, plain data, equals ``expected``. Graphs are compared by ``changes``.

    A number may be given as text. The order of a list does not matter, that of the rows of a table does.
    """
    if kind == "text":
        return isinstance(given, int | str) and not isinstance(given, bool) and str(given).strip() == str(expected)
    if not isinstance(given, list):
        return False
    if kind == "list":
        return all(isinstance(one, str) for one in given) and Counter(given) == Counter(expected)
    return len(given) == len(expected) and all(map(_same_row, expected, given))


def _same_row(expected: list[Any], given: Any) -> bool:
    return isinstance(given, list) and not any(isinstance(one, bool) for one in given) and given == expected


def _equal(one: Any, other: Any) -> bool:
    """Equality of JSON values that tells ``True`` from 1."""
    if one != other:
        return False
    if isinstance(one, dict):
        return all(_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return all(map(_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool)
