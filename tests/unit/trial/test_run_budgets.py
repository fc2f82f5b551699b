"""Two runs in one process spend from budgets of their own."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_netbench.agents import run_budget
from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.agents.settings import Price
from pytest_netbench.model.trial import Submission
from pytest_netbench.trial import TrialSpec, execute
from pytest_netbench.trial.execution import Here
from tests.support.memory_trial import Own, task_of
from tests.support.openai_server import OpenAIServer, Text

pytestmark = pytest.mark.usefixtures("memory_parts")


@pytest.fixture
def server(monkeypatch):
    with OpenAIServer([Text("answer") for _ in range(4)]) as one:
        for name, value in one.environment.items():
            monkeypatch.setenv(name, value)
        yield one


def spec_of(budget):
    return TrialSpec(task=task_of(), agent="own", backend="memory", run_budget=budget)


def test_two_runs_at_once_in_one_process_have_budgets_of_their_own(server, tmp_path):
    both = threading.Barrier(2)
    price = Price(input_per_token=1e-5, output_per_token=1e-5)

    def asks_twice(brief, ani):
        llm = Llm(model="openai/gpt-4o", price=price)
        both.wait(60)
        for _ in range(2):
            llm.complete([{"role": "user", "content": "?"}], note=ani.note, wall_left=lambda: None)
        return Submission()

    small = RunBudget(path=tmp_path / "small", most_tokens=1)
    large = RunBudget(path=tmp_path / "large", most_tokens=1_000_000)
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda one: execute(spec_of(one), Here(agent=Own(asks_twice))), (small, large))
        cut_off, whole = found
    assert (cut_off.status, cut_off.record) == ("error", None)
    assert cut_off.error.startswith("RunBudgetSpent: the run has spent its 1 tokens")
    assert (whole.status, whole.outcome) == ("failed", "done")
    assert 2 * small.spent().tokens == large.spent().tokens > 0
    assert len(server.requests) == 3
    assert run_budget.current() is None


def test_a_spec_names_its_purse_in_json(tmp_path):
    spec = spec_of(RunBudget(path=tmp_path / "spent", begins=3, started_at=9.5, most_cost_usd=1.5, most_s=60.0))
    assert TrialSpec.model_validate_json(spec.model_dump_json()) == spec


def test_an_agent_in_a_process_of_its_own_spends_from_the_purse_of_its_trial(server, tmp_path):
    (tmp_path / "spends.py").write_text(
        "import threading\n"
        "from pytest_netbench import AgentInfo, Llm, Submission\n"
        "class Spends:\n"
        "    info = AgentInfo(id='spends', strategy='spends')\n"
        "    def run(self, brief, ani):\n"
        "        ask = lambda: Llm(model='openai/gpt-4o').complete(\n"
        "            [{'role': 'user', 'content': '?'}], note=ani.note, wall_left=lambda: None)\n"
        "        thread = threading.Thread(target=ask)\n"
        "        thread.start()\n"
        "        thread.join()\n"
        "        return Submission()\n"
    )
    mine = RunBudget(path=tmp_path / "mine", most_tokens=1_000_000)
    spec = spec_of(mine).model_copy(update={"agent": "spends:Spends", "agents": str(tmp_path)})
    assert execute(spec).outcome == "done"
    assert mine.spent().tokens > 0
