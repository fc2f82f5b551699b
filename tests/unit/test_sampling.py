"""The tests that the gate runs today: none is left out for ever, and the gate only leaves out what it may."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.sampling import DAY, SHARES, is_of_day, left_out

ROOT = Path(__file__).parents[2]


class Item(NamedTuple):
    nodeid: str
    path: Path


ITEMS = [
    Item(f"{name}::test_{number}", ROOT / name if name.endswith(".py") else ROOT / name / "test_one.py")
    for name in SHARES
    for number in range(40)
]
OTHER = Item("tests/unit/test_text.py::test_one", ROOT / "tests/unit/test_text.py")


def test_what_is_sampled_exists() -> None:
    assert [name for name in SHARES if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("parity", [0, 1])
def test_every_test_runs_once_in_twenty_days_with_xdist_and_without_it(parity: int) -> None:
    days = range(100 + parity, 120, 2)
    assert [item for item in ITEMS if not any(is_of_day(item, day) for day in days)] == []


def test_the_share_of_a_day_is_the_one_that_is_named() -> None:
    for name, count in SHARES.items():
        items = [item for item in ITEMS if item.nodeid.startswith(f"{name}::")]
        assert sum(is_of_day(item, 17) for item in items) == pytest.approx(len(items) / count, abs=9)


def test_all_run_outside_the_gate_and_most_modules_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DAY, raising=False)
    assert left_out(ITEMS) == []
    monkeypatch.setenv(DAY, "17")
    assert 0 < len(left_out([*ITEMS, OTHER])) < len(ITEMS)
    assert OTHER not in left_out([*ITEMS, OTHER])
