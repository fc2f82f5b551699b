"""The changes of an agent in one node's running config, compared with those of a right solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.config_tree import ConfigNode, parse_tree
from pytest_netbench.scorers.diff import Change, diff, walk
from pytest_netbench.scorers.lines import Lines
from pytest_netbench.scorers.references import Reference, shown
from pytest_netbench.scorers.renaming import best_renaming

LISTED = 50
"""Missing and superfluous lines that the evidence lists; it counts all of them."""


@dataclass(frozen=True, kw_only=True)
class NodeComparison:
    """Changed lines of one node. ``added`` counts those of ``superfluous`` that the agent added, not removed."""

    node: str
    matched: int
    generated: int
    expected: int
    missing: tuple[str, ...]
    superfluous: tuple[str, ...]
    added: int
    renamed: Mapping[str, Mapping[str, str]]
    exact: bool


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Changed lines of all nodes, compared with those of the right solution ``reference``."""

    reference: str
    nodes: tuple[NodeComparison, ...]

    @property
    def matched(self) -> int:
        """Lines that both changed alike."""
        return sum(one.matched for one in self.nodes)

    @property
    def generated(self) -> int:
        """Lines that the agent changed."""
        return sum(one.generated for one in self.nodes)

    @property
    def expected(self) -> int:
        """Lines that the right solution changes."""
        return sum(one.expected for one in self.nodes)

    @property
    def added(self) -> int:
        """Lines that the agent added and the right solution does not have."""
        return sum(one.added for one in self.nodes)

    def words(self) -> str:
        """Say what matched."""
        if self.generated == self.expected == 0:
            return "nothing was to be changed, and nothing was"
        right = shown(self.reference)
        return f"{self.matched} of {self.generated} changed lines are in the {right}, which changes {self.expected}"

    def evidence(self) -> dict[str, object]:
        """The counts, some of the lines that differ, and the renaming."""
        return {
            "matched": self.matched,
            "generated": self.generated,
            "expected": self.expected,
            "missing": [line for one in self.nodes for line in one.missing][:LISTED],
            "superfluous": [line for one in self.nodes for line in one.superfluous][:LISTED],
            "renamed": {one.node: one.renamed for one in self.nodes if one.renamed},
            "renaming_exact": all(one.exact for one in self.nodes),
        }


class Comparer:
    """Compares the configs of one record with right solutions.

    Args:
        record: It has all configs that the comparison needs, see ``lack``.
        dialects: Dialects by name, instead of those found by entry point.
    """

    def __init__(self, record: TrialRecord, *, dialects: Mapping[str, Dialect] | None = None) -> None:
        self._record = record
        self._dialects = dialects
        self._of_node = cache(self._compare)  # right solutions differ in few nodes

    def with_reference(self, reference: Reference) -> Comparison:
        """Compare with one right solution."""
        nodes = sorted(_nodes(self._record) | reference.configs.keys())
        return Comparison(
            reference=reference.name,
            nodes=tuple(self._of_node(node, reference.configs.get(node, "")) for node in nodes),
        )

    def _compare(self, node: str, right: str) -> NodeComparison:
        record, lines = self._record, Lines(self._dialect(self._record.task.network.platform_of(node)))

        def tree(text: str) -> tuple[ConfigNode, ...]:
            return lines.canonical(parse_tree(text, lines.syntax))

        initial = tree(record.initial_configs.get(node, ""))
        truth_initial = tree((record.truth_initial_configs or {}).get(node, ""))
        agent = diff(lines, initial, tree(record.final_configs.get(node, "")))
        truth = diff(lines, truth_initial, tree(right))
        best = best_renaming(lines, agent, truth, (*initial, *truth_initial))
        mine, theirs = list(walk(agent)), list(walk(truth))
        hit = {id(change) for pair in best.pairs for change in pair}
        superfluous = [path for path in mine if id(path[-1]) not in hit]
        renamed: dict[str, dict[str, str]] = {}
        for (kind, name), target in best.renamed.items():
            if name != target:
                renamed.setdefault(kind, {})[name] = target
        return NodeComparison(
            node=node,
            matched=len(best.pairs),
            generated=len(mine),
            expected=len(theirs),
            missing=tuple(_shown(node, path) for path in theirs if id(path[-1]) not in hit),
            superfluous=tuple(_shown(node, path) for path in superfluous),
            added=sum(path[-1].mark == "+" for path in superfluous),
            renamed=renamed,
            exact=best.exact,
        )

    def _dialect(self, name: str) -> Dialect:
        if self._dialects is not None:
            return self._dialects[name]
        dialect: Dialect = parts.load("dialects", name)()
        return dialect


def lack(record: TrialRecord) -> str | None:
    """Return what the record lacks for a comparison, or ``None``."""
    if record.truth_configs is None or record.truth_initial_configs is None:
        return (
            f"no recorded ground truth for task digest {record.task_digest}; "
            "record it with: pytest TASK_FILE --netbench-selftest"
        )
    for what, configs in (("initial", record.initial_configs), ("final", record.final_configs)):
        absent = sorted(_nodes(record) - configs.keys())
        if absent:
            return f"the {what} config of {', '.join(absent)} was not recorded"
    return None


def _nodes(record: TrialRecord) -> set[str]:
    return {
        *record.initial_configs,
        *record.final_configs,
        *(record.truth_initial_configs or {}),
        *(record.truth_configs or {}),
    }


def _shown(node: str, path: Sequence[Change]) -> str:
    """E.g. ``R1: + router ospf / network 10.0.0.0/8 area 0``."""
    return f"{node}: {path[-1].mark} {' / '.join(change.line for change in path)}"
