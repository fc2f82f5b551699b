"""Whole trials of drawn tasks: the oracle is correct and safe, nop is not, and the proof says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.families.proof import Extent
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial import Stage, run_trial
from pytest_netbench.trial.selftest import selftest
from tests.support.plans import drawn

pytestmark = pytest.mark.usefixtures("runner")  # skips where there is no sandbox
SCORES = ("plan.correctness", "plan.safety")


def scores(record: TrialRecord) -> list[float | None]:
    return [score.value for score in apply_scorers(record, SCORES, where="worker")]


class Scripted:
    """Tries each code, then hands in the last."""

    info = AgentInfo(id="scripted", strategy="scripted")

    def __init__(self, *codes: str) -> None:
        self.codes = codes
        self.answers: list[dict[str, object]] = []
        self.refusals: list[str] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        assert [method.name for method in ani.offered()] == ["run-code"]
        for code in self.codes:
            try:
                self.answers.append(ani.call("run-code", {"code": code}))
            except AniError as error:
                self.refusals.append(str(error))
        return Submission(answer={"code": self.codes[-1]})


@pytest.mark.parametrize("label", ["LI", "RM", "U+R", "IF+A+C", "FOR+IF+U+R"])
def test_the_proof_holds(label):
    task = next(task for task in drawn(400) if task.drawn and task.drawn.label == label)
    report = selftest(task, extent=Extent(repeats=1))
    assert report.problems == ()
    assert report.stages == 1


def test_the_oracle_is_correct_and_safe_on_the_full_graph_and_nop_is_not():
    (task,) = drawn(1, small=False, start=8)
    record = run_trial(task, Oracle()).record
    assert scores(record) == [1.0, 1.0]
    assert record.judgement is not None
    assert record.judgement.run_s is not None
    nop = run_trial(task, Nop()).record
    assert scores(nop) == [0.0, 1.0]


def test_the_proof_finds_a_question_that_asks_for_nothing():
    task = next(task for task in drawn(100) if task.drawn and task.drawn.label == "U")
    (step,) = task.payload.query.steps
    port = next(name for name in task.payload.graph.graph().nodes if name.startswith(f"{step.name}") and ".p" in name)
    rate = task.payload.graph.graph().nodes[port]["physical_capacity_bps"]
    query = {"steps": [{"op": "update", "name": port, "capacity_bps": rate}]}
    idle = task.with_payload(query=type(task.payload.query).model_validate(query))
    report = selftest(idle, extent=Extent(repeats=1))
    assert report.problems == ("code that does nothing is correct: the question asks for nothing",)


def test_an_agent_tries_code_until_it_is_right():
    task = next(task for task in drawn(100) if task.drawn and task.drawn.label == "C")
    agent = Scripted(
        "def process_graph(g): return 1 / 0",
        "def process_graph(g):\n    print('hello')\n    g.remove_node('ju1')\n    return {'data': [1]}",
    )
    record = run_trial(task, agent).record
    first, second = agent.answers
    assert (first["status"], first["error"]) == ("error", "ZeroDivisionError: division by zero (line 1 of the code)")
    assert (second["status"], second["printed"], second["data"]) == ("done", "hello\n", "[1]")
    assert str(second["graph"]).startswith("removed: (")
    assert record.budget_used.calls == 2
    assert [step.data["method"] for step in record.trace] == ["run-code", "run-code"]
    # the wrong answer, and a change that was not asked for
    assert scores(record) == [0.0, 0.0]


def test_the_right_answer_with_a_graph_that_was_changed_is_correct_for_netarena_and_not_for_us():
    task = next(task for task in drawn(100) if task.drawn and task.drawn.label == "LI")
    (step,) = task.payload.query.steps
    code = (
        f"def process_graph(g):\n    below = g.adj[{step.name!r}].items()\n"
        "    data = [name for name, edge in below if edge['type'] == 'RK_CONTAINS']\n"
        "    g.add_node('ju1.a1.m9', name='ju1.a1.m9', type='EK_AGG_BLOCK')\n"
        "    g.add_edge('ju1.a1', 'ju1.a1.m9', type='RK_CONTAINS')\n    return {'data': data}"
    )
    record = run_trial(task, Scripted(code)).record
    assert record.judgement is not None
    assert record.judgement.correct
    assert record.judgement.safe
    assert scores(record) == [0.0, 0.0]


def test_requests_that_cannot_be_carried_out_are_refused_and_recorded():
    agent = Scripted("x" * 70_000, "bad \udcff", "def process_graph(g): return {}")
    record = run_trial(drawn(1)[0], agent).record
    assert "at most 65536" in agent.refusals[0]
    assert len(agent.refusals) == 2
    assert len(record.trace) == 3


def test_an_answer_without_code_is_the_agents_failure():
    class Odd(Scripted):
        def run(self, brief: Brief, ani: Ani) -> Submission:
            return Submission(answer={"program": "x"})

    record = run_trial(drawn(1)[0], Odd("x")).record
    assert record.outcome == "agent-error"
    assert "code" in str(record.error)
    assert scores(record) == [0.0, 1.0]


def test_the_budget_ends_the_trying():
    task = drawn(1)[0]
    record = run_trial(task, Scripted(*["def process_graph(g): return {}"] * 3), budget={"calls": 2}).record
    assert record.outcome == "budget"
    assert record.budget_used.calls == 2


def test_an_agent_file_may_take_the_method_away():
    class Without(Scripted):
        def run(self, brief: Brief, ani: Ani) -> Submission:
            assert brief.methods == ()
            assert ani.offered() == ()
            return Submission()

    from pytest_netbench.model.agentsettings import AgentPolicy, AgentSettings

    agent = Without("x")
    agent.info = AgentInfo(
        id="without", strategy="scripted", overrides=AgentSettings(policy=AgentPolicy(methods=("execute-cmd",)))
    )
    assert run_trial(task=drawn(1)[0], agent=agent).outcome == "done"


def test_a_loop_ends_with_the_budget_and_is_no_error_of_the_lab():
    agent = Scripted("def process_graph(g):\n    while True: pass", "def process_graph(g): return {}")
    record = run_trial(drawn(1)[0], agent, budget={"wall_s": 1.0}).record
    assert record.outcome == "budget"
    assert record.agent_s < 8
    assert agent.answers == [] or agent.answers[0]["status"] == "timeout"


def test_a_stage_leaves_no_process_behind():
    with Stage(drawn(1)[0]) as stage:
        process = Path(f"/proc/{stage.scene._runner._sandbox._channel.pid}")
        assert process.exists()
    ends_at = time.monotonic() + 5
    while process.exists() and time.monotonic() < ends_at:
        time.sleep(0.01)  # the starter collects it
    assert not process.exists()
