"""Queries of the telemetry's tables, as an agent may send them."""

from __future__ import annotations


def select(what: str, table: str, *conditions: str) -> str:
    """Return a query of a table.

    Args:
        what: An expression over its rows.
        table: Its name.
        conditions: Of which each holds for each row.
    """
    return f"SELECT {what} FROM {table} WHERE {' AND '.join(conditions)}"  # noqa: S608  (of names of a task)


def is_up(node: str, protocol: str, address: str, time_s: str) -> str:
    """Return a query for how many neighbors of a node are up at an address, in one sample."""
    return select(
        "count(*)",
        "neighbors",
        f"node = '{node}'",
        f"protocol = '{protocol}'",
        f"address = '{address}'",
        "is_up",
        f"time_s = {time_s}",
    )
