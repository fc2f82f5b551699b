"""What comes back from where a trial is carried is what ``execute`` returns here, after it was pickled both ways."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_netbench import CassetteSpec, TrialSpec, execute
from pytest_netbench.agents.llm import load_litellm
from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.distributed.carrying import Carrier
from pytest_netbench.distributed.orders import Delivery, Order
from pytest_netbench.distributed.worker import TrialWorker, unpacked
from pytest_netbench.errors import CassetteMiss, InfrastructureError, LabError
from pytest_netbench.results.cassettes import CassetteDir
from pytest_netbench.results.truth import Truth
from tests.support.memory_trial import task_of
from tests.support.openai_server import Calls, OpenAIServer
from tests.support.trial_specs import without_times

pytestmark = pytest.mark.usefixtures("memory_parts")
DONE = Calls(("task_done", {"reasoning": "nothing to do"}))


def carried(spec: TrialSpec, **more: object) -> Delivery:
    """What a worker returns, as it comes back."""
    return unpacked(TrialWorker().carry(pickle.dumps(Order(spec=spec, **more))))


def spec_of(agent: str = "oracle", *, cassette: CassetteSpec | None = None, root: Path | None = None, **changes):
    place = {} if root is None else {"agents": str(root)}
    return TrialSpec(task=task_of(**changes), agent=agent, backend="memory", cassette=cassette, **place)


def test_a_result_is_that_of_a_trial_in_this_process() -> None:
    spec = spec_of()
    delivery, here = carried(spec), execute(spec)
    assert without_times(delivery.result) == without_times(here)
    assert delivery.result.record.trace
    assert delivery.seconds > 0
    failed = carried(spec_of("nop")).result
    assert (failed.status, {one.status for one in failed.testcase_results}) == ("failed", {"fail"})


def test_what_was_recorded_of_the_task_goes_with_the_order() -> None:
    spec = spec_of()
    truth = Truth(digest=spec.task.truth_digest or "", initial_configs={"edge": "a"}, configs={"edge": "b"})
    assert carried(spec).result.record.truth_configs is None
    assert carried(spec, truth=truth).result.record.truth_configs == {"edge": "b"}


def test_a_node_that_lacks_something_skips_and_a_lab_that_breaks_is_an_error() -> None:
    skipped = carried(spec_of(requirements=["unobtainium"]))
    assert skipped.skipped
    assert skipped.result is None
    broken = carried(spec_of(requirements=["lab-breaks"]))
    assert isinstance(broken.error, LabError)
    assert "LabError" in broken.trace or "in deploy" in broken.trace


class Odd(Exception):
    """Cannot be made of its arguments."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")


def test_an_error_that_cannot_be_pickled_comes_back_in_words(monkeypatch) -> None:
    def raises(self: Carrier, order: Order, tape: object) -> Delivery:
        raise Odd("what", "happened")

    monkeypatch.setattr(Carrier, "_carried", raises)
    delivery = carried(spec_of())
    assert type(delivery.error) is InfrastructureError
    assert str(delivery.error) == "Odd: what happened"
    assert "raise Odd" in delivery.trace


@pytest.fixture
def asker(tmp_path, monkeypatch) -> Path:
    """A folder with the file of an agent that asks a model."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/asker.agent.yaml").write_text("model: openai/a\nstrategy: react\n")
    load_litellm()
    with OpenAIServer([DONE, DONE]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield tmp_path


def test_a_cassette_comes_back_and_is_sent_and_no_folder_is_touched(asker) -> None:
    nowhere = asker / "nowhere"
    recorded = carried(spec_of("asker", root=asker, cassette=CassetteSpec(mode="record", folder=str(nowhere))))
    assert recorded.cassette is not None, recorded.trace
    assert recorded.cassette.agent == "asker"
    assert not nowhere.exists()
    replays = CassetteSpec(mode="replay", folder=str(nowhere), pace=0)
    replayed = carried(spec_of("asker", root=asker, cassette=replays), replays=recorded.cassette)
    assert replayed.result.replayed.requests == replayed.result.replayed.recorded == len(recorded.cassette.entries) > 0
    assert replayed.result.replayed.cassette == str(CassetteDir(nowhere).file(agent="asker", task="reach", trial=1))
    assert without_times(replayed.result)["scores"] == without_times(recorded.result)["scores"]
    empty = recorded.cassette.model_copy(update={"entries": (), "tools": {}})
    missed = carried(spec_of("asker", root=asker, cassette=replays), replays=empty)
    assert isinstance(missed.error, CassetteMiss)
    assert missed.replayed.requests == 0


def test_what_the_model_costs_is_noted_in_the_budget_of_the_run(asker) -> None:
    run_budget = RunBudget(path=asker / "spending.txt", most_tokens=100_000)
    spec = spec_of("asker", root=asker)
    assert carried(spec.model_copy(update={"run_budget": run_budget})).error is None
    spent = run_budget.spent().tokens
    assert spent > 0
    empty = replace(run_budget, most_tokens=spent)
    assert f"has spent its {spent} tokens" in str(carried(spec.model_copy(update={"run_budget": empty})).error)
