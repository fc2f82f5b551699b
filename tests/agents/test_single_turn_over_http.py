"""SingleTurn against a real OpenAI-compatible server."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.errors import AgentError, BudgetExhausted, ProviderError
from pytest_netbench.model.task import Budget
from tests.support.memory_ani import MemoryAni, brief_of
from tests.support.openai_server import CONDENSED, Fault, Forever, Text, single_turn

ROUTE = "ip route 192.0.2.0/24 10.0.0.2"


@pytest.fixture
def file(agent_file):
    return agent_file(strategy="single-turn")


def test_one_completion_sees_the_network_and_its_commands_are_applied(serve, file, ani):
    server = serve([single_turn({"R1": [ROUTE], "R2": ["a", "b"]})])
    submission = SingleTurn(file=file).run(brief_of(ani), ani)
    assert ani.configs == {"R1": ["hostname R1", ROUTE], "R2": ["hostname R2", "a", "b"]}
    assert ani.methods == ["get-topology", "get-running-cfg", "get-running-cfg", "update-cfg", "update-cfg"]
    assert (submission.reasoning, submission.stop_reason, submission.usage.completions) == (CONDENSED, "done", 1)
    shown = server.conversations[0][1]["content"]
    assert "hostname R1" in shown
    assert '"R2"' in shown
    assert "R1 reaches 192.0.2.0/24 by R2" in shown
    assert "tools" not in server.requests[0]


def test_the_whole_prompt_and_answer_are_in_the_trace(serve, file, ani):
    serve([single_turn({"R1": [ROUTE]})])
    SingleTurn(file=file).run(brief_of(ani), ani)
    (completion,) = ani.completions
    assert [message["role"] for message in completion["new_messages"]] == ["system", "user"]
    assert ROUTE in completion["response"]["text"]


def test_a_command_that_a_device_refuses_is_no_failure_of_the_rest(serve, file, ani):
    serve([single_turn({"R1": ["invalid", ROUTE], "R2": []})])
    assert SingleTurn(file=file).run(brief_of(ani), ani).stop_reason == "done"
    assert ROUTE in ani.configs["R1"]
    assert ani.methods.count("update-cfg") == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Text("I would add a route."), "has no JSON object"),
        (Text(None), "the answer is empty"),
        (single_turn({"R7": ["a"]}), r"unknown device 'R7' \(known: R1, R2\)"),
    ],
)
def test_an_answer_that_cannot_be_used_is_the_agents_failure_and_changes_nothing(serve, file, ani, answer, words):
    serve([answer])
    with pytest.raises(AgentError, match=words) as caught:
        SingleTurn(file=file).run(brief_of(ani), ani)
    assert ani.configs == {"R1": ["hostname R1"], "R2": ["hostname R2"]}
    assert caught.value.submission.reasoning == ((answer.text or "").strip() or None)
    assert caught.value.submission.usage.completions == 1


def test_an_answer_for_a_device_beyond_the_policy_is_the_agents_failure(serve, file):
    ani = MemoryAni({"R1": []}, forbidden=["update-cfg"])
    serve([single_turn({"R1": ["a"]})])
    with pytest.raises(AgentError, match="commands for 'R1' were refused: method 'update-cfg' is not permitted"):
        SingleTurn(file=file).run(brief_of(ani), ani)


def test_a_configuration_that_may_not_be_read_is_said_to_the_model(serve, file):
    ani = MemoryAni({"R1": []}, forbidden=["get-running-cfg"])
    server = serve([single_turn({"R1": ["a"]})])
    SingleTurn(file=file).run(brief_of(ani), ani)
    assert "(cannot be read: method 'get-running-cfg' is not permitted" in server.conversations[0][1]["content"]


def test_looking_at_the_network_is_paid_for(serve, file):
    ani = MemoryAni({"R1": [], "R2": []}, budget=Budget(calls=2))
    server = serve([])
    with pytest.raises(BudgetExhausted, match=r"calls \(allowed 2\)"):
        SingleTurn(file=file).run(brief_of(ani), ani)
    assert server.requests == []


def test_commands_beyond_the_budget_leave_reasoning_and_what_was_done(serve, file):
    ani = MemoryAni({"R1": [], "R2": []}, budget=Budget(commands=1))
    serve([single_turn({"R1": ["a"], "R2": ["b"]})])
    with pytest.raises(BudgetExhausted) as caught:
        SingleTurn(file=file).run(brief_of(ani), ani)
    assert ani.configs == {"R1": ["a"], "R2": []}
    assert (caught.value.submission.reasoning, caught.value.submission.stop_reason) == (CONDENSED, "budget: commands")


def test_a_network_too_big_for_the_model_is_the_agents_failure(serve, file, ani):
    serve([Forever(Fault.context_overflow())])
    with pytest.raises(AgentError, match="longer than the model's context"):
        SingleTurn(file=file).run(brief_of(ani), ani)


def test_a_provider_that_fails_is_an_infrastructure_error(serve, file, ani):
    serve([Forever(Fault(503))])
    with pytest.raises(ProviderError, match="gave up after 3 requests"):
        SingleTurn(file=file).run(brief_of(ani), ani)


SCHEMA = {"type": "object", "properties": {"faulty": {"type": "string"}}, "required": ["faulty"]}


def test_an_answer_that_the_task_asks_for_stands_beside_the_devices(serve, file, ani):
    server = serve([Text(f'R2 lacks a route.\n```json\n{{"R1": ["{ROUTE}"], "answer": {{"faulty": "R2"}}}}\n```')])
    submission = SingleTurn(file=file).run(brief_of(ani).model_copy(update={"answer": SCHEMA}), ani)
    assert (submission.answer, submission.reasoning) == ({"faulty": "R2"}, "R2 lacks a route.")
    assert ani.configs["R1"] == ["hostname R1", ROUTE]
    assert "under the key `answer` of your JSON object" in server.conversations[0][1]["content"]


def test_an_answer_without_the_one_that_the_task_asks_for_is_a_failure_and_changes_nothing(serve, file, ani):
    serve([single_turn({"R1": [ROUTE]})])
    with pytest.raises(AgentError, match="the JSON object has no 'answer'"):
        SingleTurn(file=file).run(brief_of(ani).model_copy(update={"answer": SCHEMA}), ani)
    assert ani.configs["R1"] == ["hostname R1"]


def test_a_task_without_devices_is_answered_without_a_look(serve, file):
    serve([Text('Because.\n{"answer": {"faulty": "R2"}}')])
    ani = MemoryAni({})
    submission = SingleTurn(file=file).run(brief_of(ani).model_copy(update={"answer": SCHEMA}), ani)
    assert (submission.answer, ani.methods) == ({"faulty": "R2"}, [])
