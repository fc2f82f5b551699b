"""What a run may spend: sums over processes, and what happens at the limit."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from pytest_netbench.agents import run_budget
from pytest_netbench.agents.llm import Llm, raised_by_client
from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.agents.settings import Price
from pytest_netbench.errors import ResultsError, RunBudgetSpent, UsageError
from tests.support.openai_server import OpenAIServer, Text


def spend(path: Path, times: int) -> None:
    for _ in range(times):
        RunBudget(path=path).spend(cost_usd=0.25, tokens=7)


def test_processes_share_a_budget(tmp_path: Path) -> None:
    path = tmp_path / "run" / "spending.txt"
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(spend, [path] * 4, [50] * 4))
    assert RunBudget(path=path).spent() == (50.0, 1400)
    begun_later = RunBudget(path=path, begins=path.stat().st_size, most_cost_usd=1.0)
    assert begun_later.spent() == (0.0, 0)
    assert begun_later.used_up() is None


def test_limits(tmp_path: Path) -> None:
    path = tmp_path / "spending.txt"
    now = 100.0
    assert RunBudget(path=path).closed() is None
    limited = RunBudget(path=path, most_cost_usd=0.5, most_tokens=1000, most_s=60, started_at=50.0)
    assert limited.closed(now=now) is None
    limited.spend(cost_usd=None, tokens=999)
    assert limited.closed(now=now) is None
    limited.spend(cost_usd=0.1, tokens=1)
    assert limited.used_up() == limited.closed(now=now) == "1000 tokens"
    limited.spend(cost_usd=0.4, tokens=1)
    assert limited.used_up() == "0.5 USD"
    late = RunBudget(path=tmp_path / "other", most_s=60, started_at=40.0)
    assert late.closed(now=now) == "60 s"
    assert late.used_up() is None, "what runs is finished"


def test_what_cannot_be_noted_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="what was spent cannot be written"):
        RunBudget(path=tmp_path / "file" / "spending.txt").spend(cost_usd=0.1, tokens=1)


@pytest.fixture
def server(monkeypatch):
    with OpenAIServer([Text("one"), Text("two"), Text("three")]) as one:
        for name, value in one.environment.items():
            monkeypatch.setenv(name, value)
        yield one


def ask(llm: Llm) -> str:
    said = llm.complete([{"role": "user", "content": "?"}], note=lambda _: None, wall_left=lambda: None)
    return said.text


def test_a_model_is_not_asked_past_the_limit(server, tmp_path):
    llm = Llm(model="openai/gpt-4o", price=Price(input_per_token=1e-5, output_per_token=1e-5))
    with run_budget.used(RunBudget(path=tmp_path / "spent", most_cost_usd=0.002)):
        assert ask(llm) == "one"
        assert ask(llm) == "two", "the first cost 0.0011"
        with pytest.raises(RunBudgetSpent, match=r"the run has spent its 0\.002 USD") as refused:
            ask(llm)
    assert raised_by_client(refused.value)
    assert len(server.requests) == 2
    assert not raised_by_client(RunBudgetSpent("an agent says so"))


def test_a_cost_that_nobody_knows_cannot_be_limited(server, tmp_path):
    llm = Llm(model="openai/nobody-knows-this")
    unknown = pytest.raises(UsageError, match=r"price of openai/nobody-knows-this is not known.*--netbench-max-tokens")
    with run_budget.used(RunBudget(path=tmp_path / "spent", most_cost_usd=1.0)), unknown:
        ask(llm)
    with run_budget.used(RunBudget(path=tmp_path / "other", most_tokens=1000)):
        assert ask(llm) == "two"
