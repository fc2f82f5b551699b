"""The store of telemetry: what can be asked, and what an agent cannot do with it."""

from __future__ import annotations

import pytest

from pytest_netbench.families.diagnose.store import MOST_CHARACTERS, MOST_ROWS, Store

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "


@pytest.fixture
def store() -> Store:
    made = Store()
    made.add(
        "neighbors",
        [(1.0, 20.0, "r1", "ospf", "10.0.0.2", "Full", 1), (2.0, 40.0, "r1", "ospf", "10.0.0.2", "Init", 0)],
    )
    return made


def test_rows_are_found_by_columns(store: Store) -> None:
    found = store.query("SELECT time_s, state FROM neighbors WHERE NOT is_up")
    assert found == (("time_s", "state"), ((2.0, "Init"),), False)


def test_windows_and_sums_work(store: Store) -> None:
    sql = "SELECT node, min(is_up) AS least FROM neighbors WHERE time_s BETWEEN 0 AND 1.5 GROUP BY node"
    assert store.query(sql).rows == (("r1", 1),)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM neighbors",
        "INSERT INTO neighbors VALUES (1, 'x', 'x', 'x', 'x', 1)",
        "DROP TABLE neighbors",
        "CREATE TABLE mine (x)",
        "ATTACH '/tmp/other.db' AS other",
        "PRAGMA hard_heap_limit = 0",
        "VACUUM INTO '/tmp/copy.db'",
        "SELECT load_extension('mine')",
    ],
)
def test_nothing_but_reading_is_allowed(store: Store, sql: str) -> None:
    with pytest.raises(ValueError, match="only one SELECT is allowed"):
        store.query(sql)
    assert len(store.query("SELECT * FROM neighbors").rows) == 2


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("  ", "the query is empty"),
        ("SELECT 1; SELECT 2", "one statement at a time"),
        ("SELEC", "syntax error"),
        ("SELECT x FROM neighbors", "no such column: x"),
        ("SELECT 1 -- " + "x" * 20_000, "too large"),
        ("SELECT 'a\x00'", "null character"),
        ("SELECT zeroblob(1000000000)", "too big"),
        (ENDLESS + "SELECT sum(n) FROM c", "the query took more than 2 s"),
        (ENDLESS + "SELECT randomblob(90000) AS b FROM c ORDER BY b", "too much memory|more than 2 s"),
    ],
)
def test_a_bad_query_says_why(store: Store, sql: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        store.query(sql)
    store.add("flows", [(3.0, 60.0, "h1", "h2", 20000, 1.0, 1.0, 0.0, None, 0.0)])
    assert len(store.query("SELECT * FROM flows").rows) == 1


def test_a_long_answer_is_cut(store: Store) -> None:
    many = store.query(ENDLESS + "SELECT n FROM c LIMIT 100000")
    assert many.is_cut
    assert len(many.rows) == MOST_ROWS
    wide = store.query(ENDLESS + "SELECT printf('%.*c', 9000, 'x') FROM c LIMIT 400")
    assert wide.is_cut
    assert len(wide.rows) == MOST_CHARACTERS // 9000
