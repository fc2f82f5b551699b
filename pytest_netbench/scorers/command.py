"""S_command: F1 of what the agent changed in the running configs against what the ground truth changes (draft §3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.config_tree import parse_tree
from pytest_netbench.scorers.diff import Change, diff, walk
from pytest_netbench.scorers.lines import Lines
from pytest_netbench.scorers.renaming import best_renaming

_LISTED = 50
"""Missing and superfluous lines that the evidence lists; it counts all of them."""


class CommandScorer:
    """Compares added and removed lines, each under its parents, in the device's own syntax.

    Args:
        dialects: Dialects by name, instead of those found by entry point.
    """

    name = "command"
    version = 1
    on_controller = False

    def __init__(self, *, dialects: Mapping[str, Dialect] | None = None) -> None:
        self._dialects = dialects

    def score(self, record: TrialRecord) -> Score:
        label = f"{self.name}/{self.version}"
        lack = _lack(record)
        if lack is not None:
            return Score(metric=self.name, value=None, explanation=f"not measured: {lack}", scorer=label)
        judged = [self._judge(record, node) for node in sorted(_nodes(record))]
        matched = sum(one.matched for one in judged)
        generated = sum(one.generated for one in judged)
        expected = sum(one.expected for one in judged)
        precision, recall, f1 = f1_of(matched, generated=generated, expected=expected)
        return Score(
            metric=self.name,
            value=f1,
            explanation=_explanation(matched, generated, expected),
            scorer=label,
            evidence={
                "precision": precision,
                "recall": recall,
                "matched": matched,
                "generated": generated,
                "expected": expected,
                "missing": [line for one in judged for line in one.missing][:_LISTED],
                "superfluous": [line for one in judged for line in one.superfluous][:_LISTED],
                "renamed": {one.node: one.renamed for one in judged if one.renamed},
                "renaming_exact": all(one.exact for one in judged),
            },
        )

    def _judge(self, record: TrialRecord, node: str) -> _Judged:
        lines = Lines(self._dialect(record.task.network.platform_of(node)))

        def tree(configs: Mapping[str, str] | None) -> Any:
            return lines.canonical(parse_tree((configs or {}).get(node, "")))

        initial, truth_initial = tree(record.initial_configs), tree(record.truth_initial_configs)
        agent = diff(lines, initial, tree(record.final_configs))
        truth = diff(lines, truth_initial, tree(record.truth_configs))
        best = best_renaming(lines, agent, truth, (*initial, *truth_initial))
        mine, theirs = list(walk(agent)), list(walk(truth))
        hit = {id(change) for pair in best.pairs for change in pair}
        renamed: dict[str, dict[str, str]] = {}
        for (kind, name), target in best.renamed.items():
            if name != target:
                renamed.setdefault(kind, {})[name] = target
        return _Judged(
            node=node,
            matched=len(best.pairs),
            generated=len(mine),
            expected=len(theirs),
            missing=[_shown(node, path) for path in theirs if id(path[-1]) not in hit],
            superfluous=[_shown(node, path) for path in mine if id(path[-1]) not in hit],
            renamed=renamed,
            exact=best.exact,
        )

    def _dialect(self, name: str) -> Dialect:
        if self._dialects is not None:
            return self._dialects[name]
        dialect: Dialect = parts.load("dialects", name)()
        return dialect


@dataclass(frozen=True, kw_only=True)
class _Judged:
    node: str
    matched: int
    generated: int
    expected: int
    missing: list[str]
    superfluous: list[str]
    renamed: dict[str, dict[str, str]]
    exact: bool


def f1_of(matched: int, *, generated: int, expected: int) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean, to 6 decimals.

    If both are empty, all three are 1.0; if only one is empty, all three are 0.0.
    """
    if generated == expected == 0:
        return 1.0, 1.0, 1.0
    precision = matched / generated if generated else 0.0
    recall = matched / expected if expected else 0.0
    f1 = 2 * matched / (generated + expected)
    return round(precision, 6), round(recall, 6), round(f1, 6)


def _lack(record: TrialRecord) -> str | None:
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


def _explanation(matched: int, generated: int, expected: int) -> str:
    if generated == expected == 0:
        return "nothing was to be changed, and nothing was"
    return f"{matched} of {generated} changed lines are in the ground truth, which changes {expected}"


def _shown(node: str, path: Sequence[Change]) -> str:
    """E.g. ``R1: + router ospf / network 10.0.0.0/8 area 0``."""
    return f"{node}: {path[-1].mark} {' / '.join(change.line for change in path)}"
