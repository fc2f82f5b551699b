"""What was measured of a network over time, in tables that can be asked in SQL. Knows no lab."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

_MOMENT: Final = "time_s REAL, lab_s REAL"
TABLES: Final[Mapping[str, str]] = {
    "interfaces": (
        f"{_MOMENT}, node TEXT, interface TEXT, received_packets INTEGER, received_bytes INTEGER,"
        " received_errors INTEGER, received_drops INTEGER, sent_packets INTEGER, sent_bytes INTEGER,"
        " sent_errors INTEGER, sent_drops INTEGER"
    ),
    "flows": (
        f"{_MOMENT}, source TEXT, target TEXT, port INTEGER, offered_bps REAL, received_bps REAL, loss REAL,"
        " delay_ms REAL, stalled_ms REAL"
    ),
    "requests": f"{_MOMENT}, client TEXT, url TEXT, status INTEGER, total_ms REAL, error TEXT",
    "neighbors": f"{_MOMENT}, node TEXT, protocol TEXT, address TEXT, state TEXT, is_up INTEGER",
}
"""By table: its columns."""
AVERAGED: Final[Mapping[str, str]] = {
    "averages": f"{_MOMENT}, node TEXT, interface TEXT, bps REAL, packets_per_s REAL, errors INTEGER",
    **{name: TABLES[name] for name in ("flows", "requests")},
}
"""The same where interfaces are monitored by averages."""
OF_PROGRAMS: Final = "counters"
"""The table of the counters that programs of nodes keep."""
_COUNTED: Final = f"{_MOMENT}, node TEXT, counter TEXT, place INTEGER, packets INTEGER, bytes INTEGER"
_COUNTING: Final = frozenset({"p4"})
"""Platforms whose nodes run programs with counters."""
LONGEST_S: Final = 2.0
MOST_ROWS: Final = 500
MOST_CHARACTERS: Final = 50_000
_HEAP_BYTES: Final = 128 << 20
"""Of all databases of this process together."""
_LONGEST_VALUE: Final = 100_000
_LONGEST_SQL: Final = 10_000
_STEPS: Final = 1000
_ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


def tables_of(platforms: Collection[str], *, is_averaged: bool) -> Mapping[str, str]:
    """The tables of a network with nodes of these platforms, each with its columns."""
    if is_averaged:
        return AVERAGED
    return TABLES if _COUNTING.isdisjoint(platforms) else {**TABLES, OF_PROGRAMS: _COUNTED}


class Found(NamedTuple):
    """The answer to a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool
    """Whether there are more rows than are shown."""


class Store:
    """Tables in memory. Rows are added by one thread; others ask.

    Args:
        tables: Their columns, by name.
    """

    def __init__(self, tables: Mapping[str, str] = TABLES) -> None:
        self._tables = tables
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._database.execute("PRAGMA temp_store = MEMORY")
        self._database.execute(f"PRAGMA hard_heap_limit = {_HEAP_BYTES}")
        for name, columns in tables.items():
            self._database.execute(f"CREATE TABLE {name} ({columns})")
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        self._database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_SQL)

    def add(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows to a table, their values in the order of its columns."""
        places = ", ".join("?" * len(self._tables[table].split(", ")))
        with self._lock:
            self._database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608  (our own names)

    def forget(self) -> None:
        """Delete all rows."""
        with self._lock:
            for name in self._tables:
                self._database.execute(f"DELETE FROM {name}")  # noqa: S608  (our own names)

    def query(self, sql: str) -> Found:
        """Answer one SELECT.

        Raises:
            ValueError: It is not valid, does more than read, or takes too long or too much memory.
        """
        if not sql.strip():
            raise ValueError("the query is empty")
        with self._lock:
            ends_at = time.monotonic() + LONGEST_S
            self._database.set_authorizer(_permit)
            self._database.set_progress_handler(lambda: time.monotonic() > ends_at, _STEPS)
            try:
                return _shown(self._database.execute(sql))
            except (sqlite3.Error, sqlite3.Warning, MemoryError) as error:
                raise ValueError(_reason(error)) from None
            finally:
                self._database.set_progress_handler(None, 0)
                self._database.set_authorizer(None)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._database.close()


def _permit(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _shown(cursor: sqlite3.Cursor) -> Found:
    """The first rows, as many as may be shown."""
    rows: list[tuple[Any, ...]] = []
    characters = 0
    for row in cursor:
        characters += sum(len(str(value)) for value in row)
        if len(rows) == MOST_ROWS or characters > MOST_CHARACTERS:
            return Found(_columns(cursor), tuple(rows), is_cut=True)
        rows.append(tuple(value.hex() if isinstance(value, bytes) else value for value in row))
    return Found(_columns(cursor), tuple(rows), is_cut=False)


def _columns(cursor: sqlite3.Cursor) -> tuple[str, ...]:
    return tuple(column[0] for column in cursor.description or ())


def _reason(error: Exception) -> str:
    said = str(error)
    if said == "interrupted":
        return f"the query took more than {LONGEST_S:g} s"
    if isinstance(error, MemoryError):
        return "the query needs too much memory"
    if said in {"authorization denied", "not authorized"}:
        return "only one SELECT is allowed"
    return said
