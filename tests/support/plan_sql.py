"""The operations of queries a second time, in SQL: independent of ``datacenter_graph.operations``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_netbench.datacenter_graph.graph import Graph

_BELOW = """
WITH RECURSIVE below(name) AS (
    SELECT child FROM edge WHERE parent = :name AND type = 'RK_CONTAINS'
    UNION SELECT child FROM edge JOIN below ON parent = below.name WHERE type = 'RK_CONTAINS'
)
"""
_CAPACITY = f"""{_BELOW}
SELECT coalesce(sum(bps), 0) FROM node
WHERE type = 'EK_PORT' AND (name = :name OR name IN (SELECT name FROM below))
"""


class SqlGraph:
    """A data-center graph in SQLite."""

    def __init__(self, graph: Graph) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript(
            "CREATE TABLE node (name TEXT PRIMARY KEY, type TEXT, bps INTEGER, stage INTEGER);"
            "CREATE TABLE edge (parent TEXT, child TEXT, type TEXT, PRIMARY KEY (parent, child));"
            "CREATE INDEX up ON edge (child);"
        )
        rows = [
            (name, one["type"], one.get("physical_capacity_bps"), one.get("switch_loc", {}).get("stage"))
            for name, one in graph.nodes.items()
        ]
        self.db.executemany("INSERT INTO node VALUES (?, ?, ?, ?)", rows)
        self.db.executemany("INSERT INTO edge VALUES (?, ?, ?)", [(*ends, kind) for ends, kind in graph.edges.items()])

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Undo afterwards what is done meanwhile."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("ROLLBACK")

    def do(self, steps: list[dict[str, Any]], node: str | None = None) -> Any:
        found = None
        for step in steps:
            found = getattr(self, step["op"].replace("-", "_") + "_")({k: self.bound(v, node) for k, v in step.items()})
        return found

    @staticmethod
    def bound(value: Any, node: str | None) -> Any:
        if isinstance(value, str) and node is not None:
            return value.replace("{node}", node)
        if isinstance(value, list):
            return [SqlGraph.bound(one, node) for one in value]
        return {k: SqlGraph.bound(v, node) for k, v in value.items()} if isinstance(value, dict) else value

    def state(self) -> tuple[set[Any], set[Any]]:
        return set(self.db.execute("SELECT * FROM node")), set(self.db.execute("SELECT * FROM edge"))

    def add_(self, step: dict[str, Any]) -> None:
        kind, name = step["type"], step["name"]
        bps = step["capacity_bps"] if kind == "EK_PORT" else None
        stage = 1 if kind == "EK_PACKET_SWITCH" else None
        self.db.execute("INSERT INTO node VALUES (?, ?, ?, ?)", (name, kind, bps, stage))
        self.db.execute("INSERT INTO edge VALUES (?, ?, 'RK_CONTAINS')", (step["parent"], name))
        for port in range(step["ports"]):
            self.db.execute(
                "INSERT INTO node VALUES (?, 'EK_PORT', ?, NULL)", (f"{name}.p{port + 1}", step["capacity_bps"])
            )
            self.db.execute("INSERT INTO edge VALUES (?, ?, 'RK_CONTAINS')", (name, f"{name}.p{port + 1}"))

    def remove_(self, step: dict[str, Any]) -> None:
        gone = [row[0] for row in self.db.execute(f"{_BELOW} SELECT name FROM below", step)] + [step["name"]]
        for name in gone:
            self.db.execute("DELETE FROM node WHERE name = ?", (name,))
            self.db.execute("DELETE FROM edge WHERE parent = ? OR child = ?", (name, name))

    def update_(self, step: dict[str, Any]) -> None:
        self.db.execute(
            f"{_BELOW} UPDATE node SET bps = :capacity_bps WHERE type = 'EK_PORT'"
            " AND (name = :name OR name IN (SELECT name FROM below))",
            step,
        )

    def count_(self, step: dict[str, Any]) -> int:
        sql = f"{_BELOW} SELECT count(*) FROM node WHERE type = :type AND name IN (SELECT name FROM below)"
        return int(self.db.execute(sql, step).fetchone()[0])

    def capacity_(self, step: dict[str, Any]) -> int:
        return int(self.db.execute(_CAPACITY, step).fetchone()[0])

    def list_(self, step: dict[str, Any]) -> list[str]:
        sql = "SELECT child FROM edge WHERE parent = :name AND type = 'RK_CONTAINS'"
        return [row[0] for row in self.db.execute(sql, step)]

    def rank_(self, step: dict[str, Any]) -> list[list[Any]]:
        self.db.execute("CREATE TEMP TABLE rank (name TEXT, total INTEGER)")
        for child in self.list_(step):
            self.db.execute("INSERT INTO rank VALUES (?, ?)", (child, self.capacity_({"name": child})))
        rows = [list(row) for row in self.db.execute("SELECT * FROM rank ORDER BY total DESC, name")]
        self.db.execute("DROP TABLE rank")
        return rows

    def if_(self, step: dict[str, Any]) -> None:
        self.do(step["then"] if self.do([step["measure"]]) >= step["at_least"] else step["otherwise"])

    def for_each_(self, step: dict[str, Any]) -> None:
        sql = f"{_BELOW} SELECT name FROM node WHERE type = :type AND name IN (SELECT name FROM below)"
        for (node,) in self.db.execute(sql, {"name": step["name"], "type": step["type"]}).fetchall():
            self.do(step["steps"], node)
