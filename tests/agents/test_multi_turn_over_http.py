"""MultiTurn against a real OpenAI-compatible server."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.agents.multi_turn import MultiTurn
from pytest_netbench.errors import AgentError, BudgetExhausted
from pytest_netbench.model.task import Budget
from tests.support.memory_ani import MemoryAni, brief_of
from tests.support.openai_server import Fault, Forever, Text

ROUTE = "ip route 192.0.2.0/24 10.0.0.2"


@pytest.fixture
def file(agent_file):
    return agent_file(strategy="multi-turn")


def turn(reasoning: str = "", **parts: object) -> Text:
    return Text(f"{reasoning}\n```json\n{json.dumps(parts)}\n```")


def test_it_reads_changes_and_is_told_what_came_of_each_command(serve, file, ani):
    server = serve(
        [
            turn("I look.", read={"R1": ["show ip route"]}),
            turn("It lacks a route.", read={"R2": ["show"]}, change={"R1": ["invalid", ROUTE]}),
            turn("It works.", done=True),
        ]
    )
    submission = MultiTurn(file=file).run(brief_of(ani), ani)
    assert ani.methods == ["execute-cmd", "execute-cmd", "update-cfg"]
    assert ani.configs["R1"] == ["hostname R1", ROUTE]
    assert (submission.stop_reason, submission.usage.completions) == ("done", 3)
    assert submission.reasoning == "I look.\n\nIt lacks a route.\n\nIt works."
    first, second = (conversation[-1]["content"] for conversation in server.conversations[1:])
    assert "`show ip route` on R1:\n\n```\nR1# show ip route\n```" in first
    assert f"`invalid` on R1: error: % Unknown command\n`{ROUTE}` on R1: success" in second
    assert "tools" not in server.requests[0]


def test_the_last_answer_may_also_change_something(serve, file, ani):
    serve([turn("At once.", change={"R1": [ROUTE]}, done=True)])
    assert MultiTurn(file=file).run(brief_of(ani), ani).usage.completions == 1
    assert ROUTE in ani.configs["R1"]


def test_after_an_answer_that_cannot_be_read_it_goes_on(serve, file, ani):
    server = serve([Text("Hm."), turn("Now.", change={"R1": [ROUTE]}), turn(done=True)])
    assert MultiTurn(file=file).run(brief_of(ani), ani).stop_reason == "done"
    assert "cannot be read: the answer has no JSON object" in server.conversations[1][-1]["content"]


def test_nonsense_three_times_in_a_row_is_the_agents_failure(serve, file, ani):
    server = serve([Forever(Text("The weather is fine."))])
    with pytest.raises(AgentError, match=r"3 answers in a row were of no use.*has no JSON object") as caught:
        MultiTurn(file=file).run(brief_of(ani), ani)
    assert len(server.requests) == 3
    assert ani.methods == []
    assert caught.value.submission.reasoning.startswith("The weather is fine.")


def test_three_answers_without_a_command_end_the_work(serve, file, ani):
    serve([Forever(turn("I wait.", read={}))])
    assert MultiTurn(file=file).run(brief_of(ani), ani).stop_reason == "no-progress"
    assert ani.notes == ["stopped: 3 answers in a row without a command"]


def test_a_request_that_is_refused_is_told_and_the_work_goes_on(serve, file):
    ani = MemoryAni({"R1": []}, forbidden=["update-cfg", "execute-cmd"])
    server = serve([turn(read={"R1": ["show"]}, change={"R1": ["a"]}), turn(done=True)])
    MultiTurn(file=file).run(brief_of(ani), ani)
    told = server.conversations[1][-1]["content"]
    assert "(refused: method 'execute-cmd' is not permitted" in told
    assert "The commands on R1 were refused: method 'update-cfg' is not permitted" in told


def test_a_budget_that_is_used_up_ends_the_work_with_the_reasoning_so_far(serve, file):
    budget = Budget(calls=2)
    ani = MemoryAni({"R1": []}, budget=budget)
    serve([Forever(turn("Again.", read={"R1": ["show"]}))])
    with pytest.raises(BudgetExhausted) as caught:
        MultiTurn(file=file).run(brief_of(ani, budget=budget), ani)
    assert caught.value.submission.stop_reason == "budget: calls"
    assert caught.value.submission.reasoning == "Again.\n\nAgain."


def test_long_results_are_shortened_if_the_conversation_is_too_long(serve, file, ani):
    long = "x" * 500
    server = serve([turn(read={"R1": [long]}), Fault.context_overflow(), turn(done=True)])
    MultiTurn(file=file).run(brief_of(ani), ani)
    system, task, _, result = server.conversations[-1]
    assert "were left out here" in result["content"]
    assert "were left out here" not in system["content"] + task["content"]


SCHEMA = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}


def test_a_task_without_devices_is_answered_once(serve, file):
    ani = MemoryAni({})
    server = serve([Text('Because.\n{"answer": {"code": "x"}}')])
    submission = MultiTurn(file=file).run(brief_of(ani).model_copy(update={"answer": SCHEMA}), ani)
    assert (submission.answer, submission.usage.completions) == ({"code": "x"}, 1)
    assert "answer once" in server.conversations[0][0]["content"]
