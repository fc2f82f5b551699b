"""Whether a recorded right solution is the ground truth under other names, or in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.configure import Configure
from pytest_netbench.scorers.config_tree import ConfigNode, parse_tree
from pytest_netbench.scorers.diff import Change
from pytest_netbench.scorers.lines import Lines
from pytest_netbench.scorers.renaming import best_renaming

RENAMING = "it is the ground truth under other names or in another order; record one of another mechanism or structure"


def renaming_of_truth(payload: Configure, configs: Mapping[str, Sequence[str]]) -> str | None:
    """Say so if the commands of ``configs`` are those of the ground truth, free names and order left aside."""
    truth = {node: lines for node, lines in payload.ground_truth_configs.items() if lines}
    mine = {node: lines for node, lines in configs.items() if lines}
    if truth.keys() != mine.keys():
        return None
    return RENAMING if all(_same(payload, node, mine[node], truth[node]) for node in truth) else None


def _same(payload: Configure, node: str, mine: Sequence[str], truth: Sequence[str]) -> bool:
    dialect: Dialect = parts.load("dialects", payload.platform_of(node))()
    lines = Lines(dialect)
    agent, expected = _changes(lines, mine), _changes(lines, truth)
    if len(agent) != len(expected):
        return False
    known = lines.canonical(parse_tree(payload.startup_configs.get(node, ""), lines.syntax))
    return len(best_renaming(lines, agent, expected, known).pairs) == len(expected)


def _changes(lines: Lines, commands: Sequence[str]) -> tuple[Change, ...]:
    """The commands as added lines; each is compared on its own, since commands do not show their parents."""
    typed = [ConfigNode(line=command.strip()) for command in commands if command.strip()]
    return tuple(Change(mark="+", line=node.line) for node in lines.canonical(typed))
