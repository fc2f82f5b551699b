"""A budget on another machine: a socket leads to it, and what is noted twice counts once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.agents.till import ask
from pytest_netbench.distributed.worker import BudgetKeeper, Till
from pytest_netbench.errors import ResultsError


def test_a_purse_behind_a_socket_is_the_one_in_the_file(tmp_path: Path) -> None:
    kept = RunBudget(path=tmp_path / "spending.txt", most_tokens=100)
    till = Till(BudgetKeeper(kept).answer)
    far = RunBudget(path=Path("/nowhere/spending.txt"), most_tokens=100, socket=till.path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: far.spend(cost_usd=0.125, tokens=1), range(99)))
    assert far.spent() == kept.spent() == (12.375, 99)
    assert far.used_up() is None
    far.spend(cost_usd=None, tokens=1)
    assert far.used_up() == kept.used_up() == "100 tokens"
    assert Path(till.path).parent.stat().st_mode & 0o077 == 0, "only its owner reaches it"
    till.close()
    with pytest.raises(ResultsError, match="the budget of the run cannot be reached"):
        far.spend(cost_usd=0.1, tokens=1)


def test_a_charge_that_is_repeated_after_its_keeper_ended_counts_once(tmp_path: Path) -> None:
    run_budget = RunBudget(path=tmp_path / "spending.txt")
    for _ in range(2):
        assert BudgetKeeper(run_budget).answer("note 0.5 7 one") == "noted"
    BudgetKeeper(run_budget).answer("note 0.5 7 another")
    assert run_budget.spent() == (1.0, 14)


def test_what_cannot_be_noted_there_is_an_error_here(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    till = Till(BudgetKeeper(RunBudget(path=tmp_path / "file/spending.txt")).answer)
    with pytest.raises(ResultsError, match="what was spent cannot be written"):
        ask(till.path, "note 0.5 7 one")
    till.close()
