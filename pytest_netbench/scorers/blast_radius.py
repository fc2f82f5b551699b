"""Blast radius: what an agent changed and did not need to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.config_tree import parse_tree
from pytest_netbench.scorers.diff import diff, walk
from pytest_netbench.scorers.lines import Lines
from pytest_netbench.scorers.values import not_measured

NEEDLESS = "nothing-found"
"""What came of a ticket that names nothing that is wrong."""
LISTED = 50
"""Lines and routes that the evidence lists; it counts all of them."""
_Changes = Counter[tuple[str, tuple[str, ...]]]


class BlastRadiusScorer:
    """Config lines and routes that the agent changed needlessly, and its tickets for nothing. Lower is better.

    A line or route that the agent brought back to what it was before the faults needed to be changed. Every other
    change of the agent did not, even if it has the same effect.

    Args:
        dialects: Dialects by name, instead of those found by entry point.
    """

    name = "blast_radius"
    version = 1
    on_controller = False

    def __init__(self, *, dialects: Mapping[str, Dialect] | None = None) -> None:
        self._dialects = dialects

    def score(self, record: TrialRecord) -> Score:
        if not record.healthy_configs:
            return not_measured(
                self.name, self.version, "not measured: the configs of the healthy network were not recorded"
            )
        lines = {node: found for node in record.healthy_configs if (found := list(self._lines(record, node)))}
        routes = {node: found for node in record.routes.get("healthy", {}) if (found := list(_routes(record, node)))}
        nodes = sorted({*lines, *routes})
        tickets = [one for one in record.other.get("tickets", ()) if one["outcome"] == NEEDLESS]
        counted = sum(map(len, lines.values())) + sum(map(len, routes.values())) + len(tickets)
        words = f"{sum(map(len, lines.values()))} lines and {sum(map(len, routes.values()))} routes"
        words += f", and {len(tickets)} tickets for nothing:" if tickets else ""
        where = f" on {', '.join(nodes)}" if nodes else ""
        return Score(
            metric=self.name,
            value=float(counted),
            explanation=f"{words} changed that did not need to be{where}",
            scorer=f"{self.name}/{self.version}",
            evidence={
                "nodes": nodes,
                "lines": [f"{node}: {line}" for node, found in lines.items() for line in found][:LISTED],
                "routes": [f"{node}: {route}" for node, found in routes.items() for route in found][:LISTED],
                **({"tickets": [f"{one['fault_type']} at {one['resource_id']}" for one in tickets]} if tickets else {}),
                "routes_compared": "healthy" in record.routes,
            },
        )

    def _lines(self, record: TrialRecord, node: str) -> Iterator[str]:
        lines = Lines(self._dialect(record.task.network.platform_of(node)))
        before = record.initial_configs.get(node, "")
        made = _changes(lines, before, record.final_configs.get(node, ""))
        needed = _changes(lines, before, record.healthy_configs[node])
        for (mark, path), count in (made - needed).items():
            yield from [f"{mark} {' / '.join(path)}"] * count

    def _dialect(self, name: str) -> Dialect:
        if self._dialects is not None:
            return self._dialects[name]
        dialect: Dialect = parts.load("dialects", name)()
        return dialect


def _changes(lines: Lines, before: str, after: str) -> _Changes:
    """The added and removed lines, each with the lines that it stands under."""
    old, new = (lines.canonical(parse_tree(text, lines.syntax)) for text in (before, after))
    found = diff(lines, old, new)
    return Counter((path[-1].mark, tuple(change.line for change in path)) for path in walk(found))


def _routes(record: TrialRecord, node: str) -> Iterator[str]:
    """Routes of a node that are neither as they were when the agent began nor as in the healthy network."""
    healthy, initial, final = (record.routes.get(when, {}).get(node, {}) for when in ("healthy", "initial", "final"))
    for prefix in dict.fromkeys((*healthy, *initial, *final)):
        after = final.get(prefix)
        if after not in (initial.get(prefix), healthy.get(prefix)):
            yield f"{prefix} {'is gone' if after is None else ' '.join(after)}"
