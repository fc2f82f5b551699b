"""A trial is recorded or replayed by what its spec says: without pytest, and apart from other trials of the process."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_netbench import CassetteSpec, TrialSpec, execute, run_trial
from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.llm import Llm, load_litellm
from pytest_netbench.errors import CassetteError, CassetteMiss, UsageError
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.trial import Submission
from pytest_netbench.trial.execution import Here
from tests.support.kept_answers import QUESTION, keep_answers
from tests.support.memory_trial import Own, does_it, task_of
from tests.support.openai_server import OpenAIServer, Text

pytestmark = pytest.mark.usefixtures("memory_parts")
DRAWN = Drawn(generator="plan", seed=7, index=2, label="A", level=1)


@pytest.fixture
def server(monkeypatch):
    load_litellm()  # it takes seconds, and trials at once wait for each other
    with OpenAIServer([Text("new one"), Text("new two")]) as one:
        for name, value in one.environment.items():
            monkeypatch.setenv(name, value)
        yield one


def recorded_in(folder):
    return CassetteSpec(mode="record", folder=str(folder))


def replayed_from(folder, **changes):
    return CassetteSpec(mode="replay", folder=str(folder), **{"pace": 0, **changes})


def asks(times=2, between=lambda: None):
    """An agent that asks the same several times and hands in all answers."""

    def work(brief, ani):
        llm = Llm(model="openai/a")
        said = []
        for _ in range(times):
            between()
            said.append(llm.complete(QUESTION, note=ani.note, wall_left=lambda: None).text)
        return Submission(reasoning=", ".join(said))

    return Own(work)


def trial(agent, cassette, **changes):
    return run_trial(task_of(**changes), agent, backend="memory", cassette=cassette)


def test_trials_at_once_in_one_process_are_recorded_and_replayed_each_by_its_own_cassette(server, tmp_path):
    old = keep_answers(tmp_path / "b", "old one", "old two")
    before = old.read_bytes()
    both = threading.Barrier(2)
    cassettes = [recorded_in(tmp_path / "a"), replayed_from(tmp_path / "b")]
    with ThreadPoolExecutor(2) as pool:
        recorded, replayed = pool.map(lambda one: trial(asks(between=lambda: both.wait(60)), one), cassettes)
    assert recorded.record.submission.reasoning == "new one, new two"
    assert recorded.replayed is None
    assert replayed.record.submission.reasoning == "old one, old two"
    assert (replayed.replayed.cassette, replayed.replayed.requests) == (str(old), 2)
    assert len(server.requests) == 2
    assert old.read_bytes() == before
    assert active_cassette.current() is None
    again = trial(asks(), replayed_from(tmp_path / "a"))
    assert again.record.submission.reasoning == "new one, new two"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("name", "node_id", "drawn"),
    [
        ("tasks/access/reach.task.yaml::reach", "tasks/access/reach.task.yaml::reach[own]", None),
        (DRAWN.id, "plan[s7-0002-A-own]", DRAWN),
        (DRAWN.id, "frozen/plan-s7-0002-a.task.json::plan-s7-0002-a[own]", DRAWN),
        (DRAWN.id, "", DRAWN),
    ],
)
def test_a_cassette_of_a_run_of_pytest_is_found_by_the_node_id_or_by_the_draw(tmp_path, name, node_id, drawn):
    keep_answers(tmp_path, "answer", name=name)
    task = task_of(drawn=drawn)
    spec = TrialSpec(task=task, agent="own", backend="memory", node_id=node_id, cassette=replayed_from(tmp_path))
    result = execute(spec, Here(agent=asks(1)))
    assert (result.record.submission.reasoning, result.replayed.requests) == ("answer", 1)


def test_a_miss_is_raised_although_the_agent_goes_on(tmp_path):
    keep_answers(tmp_path, "only one")

    def goes_on(brief, ani):
        with pytest.raises(CassetteMiss):
            asks(2).run(brief, ani)
        return Submission()

    with pytest.raises(CassetteMiss, match="it was recorded 1 times and is asked once more"):
        trial(Own(goes_on), replayed_from(tmp_path))


def test_a_cassette_that_is_missing_is_told_before_the_lab_is_deployed(tmp_path):
    with pytest.raises(CassetteError, match="no cassette of trial 1 of agent 'own' at reach"):
        trial(asks(), replayed_from(tmp_path), requirements=["lab-breaks"])


def test_a_broken_lab_is_a_result_that_says_what_was_replayed(tmp_path):
    keep_answers(tmp_path / "tapes", "answer")
    broken = trial(asks(), replayed_from(tmp_path / "tapes", shown="tapes"), requirements=["lab-breaks"])
    assert (broken.status, broken.replayed.requests, broken.replayed.recorded) == ("error", 0, 1)
    assert broken.replayed.cassette.startswith("tapes/own/reach-")


def test_an_agent_that_asks_no_model_cannot_be_recorded(tmp_path):
    with pytest.raises(UsageError, match="agent own asked no model"):
        trial(Own(does_it), recorded_in(tmp_path / "tapes"))
    assert not (tmp_path / "tapes").exists()
