"""The strategies on the ANI that a trial opens: over a lab in memory, its policy, budget and recording as they are."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.react import React
from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import BudgetExhausted
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import Brief
from tests.support.memory_lab import DIALECTS, chain
from tests.support.openai_server import Calls, Forever, Text, engineer, single_turn

DEVICES = ("branch", "edge", "web")


def open_ani(*, control=None, told=None, **limits) -> tuple[AgentInterface, Brief]:
    budget = Budget(**limits)
    brief = Brief(
        task_name="t",
        family="configure",
        intents=("x",),
        devices=dict.fromkeys(DEVICES, "memory"),
        methods=tuple(METHODS.values()),
        budget=budget,
        control=control or {},
        **(told or {}),
    )
    return AgentInterface(chain(control=control), policy=Policy(), budget=budget, dialects=DIALECTS), brief


@pytest.fixture
def configure() -> tuple[str, dict]:
    return ("update_cfg", {"device": "edge", "commands": ["route 192.0.2.0/24 via 10.0.0.2"]})


def test_react_configures_a_device_and_every_step_is_in_the_trace_in_order(serve, agent_file, configure):
    serve(engineer([("get_topology", {})], [configure]))
    ani, brief = open_ani()
    React(file=agent_file()).run(brief, ani)
    assert [step.kind for step in ani.steps] == ["completion", "ani", "completion", "ani", "completion", "completion"]
    assert [(one.device, one.command) for one in ani.commands] == [("edge", "route 192.0.2.0/24 via 10.0.0.2")]
    assert ani.budget_used.tokens == 3 * 110


def test_tokens_that_are_used_up_end_react_and_its_reasoning_is_still_condensed(serve, agent_file):
    serve(lambda request: Calls(("get_topology", {})) if request.get("tools") else Text("It looked."))
    ani, brief = open_ani(tokens=150)
    with pytest.raises(BudgetExhausted, match="tokens") as caught:
        React(file=agent_file()).run(brief, ani)
    assert caught.value.submission.reasoning == "It looked."
    assert ani.budget_used.tokens == 220


def test_a_closed_ani_ends_an_agent_that_would_go_on(serve, agent_file):
    server = serve([Forever(Calls(("get_topology", {})))])
    ani, brief = open_ani()
    ani.close()
    with pytest.raises(Exception, match="the trial has ended"):
        React(file=agent_file()).run(brief, ani)
    assert len(server.requests) == 1


def test_single_turn_configures_a_device(serve, agent_file, configure):
    serve([single_turn({"edge": configure[1]["commands"]})])
    ani, brief = open_ani()
    SingleTurn(file=agent_file(strategy="single-turn")).run(brief, ani)
    assert [one.device for one in ani.commands] == ["edge"]
    assert ani.budget_used.calls == 5


CONTROL = {"branch": "observed", "edge": "managed", "web": "foreign"}
TOLD = {"rules": ("Whatever the intents do not ask for must stay as it is.",)}


def test_a_model_is_told_its_rules_and_what_it_may_do_with_each_device(serve, agent_file):
    server = serve(engineer())
    ani, brief = open_ani(control=CONTROL, told=TOLD)
    React(file=agent_file()).run(brief, ani)
    said = server.conversations[0][1]["content"]
    assert "1. x\n\nWhatever the intents do not ask for must stay as it is.\n" in said
    assert "Managed: you configure them.\n\n- edge (memory)\n" in said
    assert "send packets from them. You cannot change them.\n\n- branch (memory)\n" in said
    assert "have no access to them.\n\n- web (memory)\n" in said


def test_a_model_is_told_sub_intents_below_their_intent(serve, agent_file):
    server = serve(engineer())
    ani, brief = open_ani(told={"sub_intents": (("edge: route it", "web: answer"),)})
    React(file=agent_file()).run(brief, ani)
    assert "1. x\n   - edge: route it\n   - web: answer\n" in server.conversations[0][1]["content"]


def test_react_goes_on_after_it_was_refused_to_change_a_host(serve, agent_file, configure):
    server = serve(engineer([("update_cfg", {"device": "branch", "commands": ["mark 1"]})], [configure]))
    ani, brief = open_ani(control=CONTROL)
    React(file=agent_file()).run(brief, ani)
    answers = [message["content"] for message in server.conversations[-2] if message["role"] == "tool"]
    assert "device 'branch' is observed" in answers[0]
    assert [(one.device, one.status) for one in ani.commands] == [("edge", "success")]


def test_single_turn_reads_no_foreign_device_and_goes_on_after_a_refusal(serve, agent_file):
    route = "route 192.0.2.0/24 via 10.0.0.2"
    server = serve([single_turn({"web": ["mark 1"], "branch": ["mark 1"], "edge": [route]})])
    ani, brief = open_ani(control=CONTROL)
    assert SingleTurn(file=agent_file(strategy="single-turn")).run(brief, ani).stop_reason == "done"
    assert "Running configuration of web" not in server.conversations[0][1]["content"]
    assert [(one.device, one.command) for one in ani.commands] == [("edge", route)]
    refused = [step.data["params"]["device"] for step in ani.steps if "error" in step.data]
    assert refused == ["web", "branch"]
