"""An agent in a process of its own, without pytest: its cost, its errors, and its end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from pytest_netbench.agents.ending import EndedApart
from pytest_netbench.agents.worker.apart import Processes
from pytest_netbench.errors import UsageError
from tests.support.ios import eventually
from tests.support.memory_ani import MemoryAni, brief_of

MODULE = """
import os, sys, time
from pytest_netbench.errors import AgentError, BudgetExhausted, RequirementMissing
from pytest_netbench.model.trial import AgentInfo, Submission


class Nop:
    info = AgentInfo(id="nop", strategy="own")

    def run(self, brief, ani):
        return Submission(reasoning="é" * 3)


class Large(Nop):
    def run(self, brief, ani):
        ani.note("x" * 3_000_000)
        return Submission(reasoning="y" * 3_000_000)


class Wrong(Nop):
    def run(self, brief, ani):
        return {"no": "submission"}


class HandsIn(Nop):
    def run(self, brief, ani):
        error = BudgetExhausted("tokens", 10)
        error.submission = Submission(reasoning="so far")
        raise error


class Lacks(Nop):
    def prepare(self):
        raise RequirementMissing("no magic", "apt install magic")


class Breaks(Nop):
    def prepare(self):
        raise KeyError("weights")


class Variables(Nop):
    def run(self, brief, ani):
        return Submission(reasoning=f"{os.environ.get('NETBENCH_TEST')} {os.getcwd()}")


class Pid(Nop):
    def run(self, brief, ani):
        return Submission(reasoning=str(os.getpid()))


class Hangs(Nop):
    def run(self, brief, ani):
        time.sleep(600)
"""


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    (tmp_path / "apart_agents.py").write_text(MODULE)
    kept = Processes(rootdir=tmp_path)
    yield kept
    kept.close()


@pytest.fixture
def ani() -> MemoryAni:
    return MemoryAni({"R1": ["a"], "R2": []})


def work(processes, ani, name):
    agent = processes.agent(f"apart_agents:{name}", name=name)
    agent.prepare()
    return agent.run(brief_of(ani), ani)


def test_a_trial_costs_less_than_20_ms_more(processes, ani):
    def seconds():
        began = time.perf_counter()
        assert work(processes, ani, "Nop").reasoning == "ééé"
        return time.perf_counter() - began

    seconds()
    took = [seconds() for _ in range(60)]
    assert min(took) < 0.01
    if os.getloadavg()[0] < (os.cpu_count() or 1):
        assert median(took) < 0.02


def test_long_messages_arrive(processes, ani):
    assert len(work(processes, ani, "Large").reasoning) == 3_000_000


def test_what_is_no_submission_is_told(processes, ani):
    with pytest.raises(EndedApart, match=r"run\(\) returned \{'no': 'submission'\}, not a Submission"):
        work(processes, ani, "Wrong")


def test_what_is_handed_in_with_an_error_arrives(processes, ani):
    with pytest.raises(EndedApart) as caught:
        work(processes, ani, "HandsIn")
    assert caught.value.raised.limit == "tokens"
    assert caught.value.raised.handed_in.reasoning == "so far"


def test_a_requirement_that_is_missing_in_prepare_is_told_as_such_and_a_bug_is_the_agents(processes, ani):
    from pytest_netbench.errors import RequirementMissing

    with pytest.raises(RequirementMissing, match="no magic") as caught:
        work(processes, ani, "Lacks")
    assert caught.value.remedy == "apt install magic"
    with pytest.raises(EndedApart, match="KeyError: 'weights'"):
        work(processes, ani, "Breaks")


def test_a_class_that_does_not_exist_is_told_as_in_this_process(processes):
    with pytest.raises(UsageError, match=r"apart_agents has no 'Nob'.*Did you mean 'Nop'\?"):
        _ = processes.agent("apart_agents:Nob", name="nob").info


def test_variables_and_the_working_directory_are_those_of_the_trial(processes, ani, monkeypatch, tmp_path):
    assert work(processes, ani, "Variables").reasoning == f"None {Path.cwd()}"
    monkeypatch.setenv("NETBENCH_TEST", "first")
    monkeypatch.chdir(tmp_path)
    assert work(processes, ani, "Variables").reasoning == f"first {tmp_path}"
    monkeypatch.delenv("NETBENCH_TEST")
    assert work(processes, ani, "Variables").reasoning == f"None {tmp_path}"


def test_a_process_that_was_killed_between_two_trials_is_started_anew(processes, ani):
    first = int(work(processes, ani, "Pid").reasoning)
    os.kill(first, 9)
    assert eventually(lambda: not Path(f"/proc/{first}").exists())
    assert int(work(processes, ani, "Pid").reasoning) != first


def test_a_process_can_be_ended_while_the_agent_works(processes, ani):
    import threading

    agent = processes.agent("apart_agents:Hangs", name="hangs")
    agent.prepare()
    ended = []

    def run():
        try:
            agent.run(brief_of(ani), ani)
        except EndedApart as error:
            ended.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.2)
    agent.end_process()
    thread.join(10)
    assert ended == ["the agent's process closed its connection to the trial, and was ended"]


def test_no_descriptor_is_left(processes, ani):
    def open_now():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = open_now()
    for _ in range(2):
        agent = processes.agent("apart_agents:Nop", name="nop")
        _ = agent.info
        processes.drop("apart_agents:Nop")
    assert open_now() == before
