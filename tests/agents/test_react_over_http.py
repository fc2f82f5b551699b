"""React against a real OpenAI-compatible server: what a model may do, and what a provider may."""

from __future__ import annotations

import json
import time

import pytest

from pytest_netbench.agents.react import React
from pytest_netbench.errors import AgentError, BudgetExhausted, ProviderError
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import Submission
from tests.support.memory_ani import MemoryAni, brief_of
from tests.support.openai_server import CONDENSED, Calls, Fault, Forever, Hang, Raw, Text, engineer, engineers

ROUTE = "ip route 192.0.2.0/24 10.0.0.2"
LOOK = ("get_topology", {})
CONFIGURE = ("update_cfg", {"device": "R1", "commands": [ROUTE]})


def tool_messages(server) -> list[dict]:
    return [message for message in server.conversations[-2] if message["role"] == "tool"]


def test_a_competent_engineer_configures_the_network_and_hands_in_condensed_reasoning(serve, agent_file, ani):
    server = serve(engineer([LOOK], [("get_running_cfg", {"device": "R1"})], [CONFIGURE]))
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert ani.configs["R1"] == ["hostname R1", ROUTE]
    assert ani.methods == ["get-topology", "get-running-cfg", "update-cfg"]
    assert (submission.reasoning, submission.stop_reason) == (CONDENSED, "done")
    assert submission.usage.completions == 5
    assert (submission.usage.prompt_tokens, submission.usage.completion_tokens) == (500, 50)
    assert "tools" not in server.requests[-1]


def test_the_model_is_told_intents_devices_and_budget_and_after_every_turn_what_is_left(serve, agent_file, ani):
    server = serve(engineer([LOOK], [CONFIGURE]))
    React(file=agent_file()).run(brief_of(ani), ani)
    first = server.conversations[0]
    assert "R1 reaches 192.0.2.0/24 by R2" in first[1]["content"]
    assert "R2 (frr)" in first[1]["content"]
    assert "100 calls, 300 commands, 600 s" in first[1]["content"]
    assert "Budget left: 99 calls, 300 commands" in tool_messages(server)[0]["content"]
    assert "Budget left: 98 calls, 299 commands" in tool_messages(server)[1]["content"]


def test_tools_have_names_that_every_provider_takes(serve, agent_file, ani):
    server = serve(engineer())
    React(file=agent_file()).run(brief_of(ani), ani)
    names = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert names == ["get_topology", "get_running_cfg", "update_cfg", "execute_cmd", "task_done"]


def test_parallel_tool_calls_are_each_answered_in_order_and_the_budget_is_told_once(serve, agent_file, ani):
    server = serve(engineer([LOOK, CONFIGURE, ("execute_cmd", {"device": "R2", "command": "show ip route"})]))
    React(file=agent_file()).run(brief_of(ani), ani)
    asked = next(m for m in server.conversations[1] if m["role"] == "assistant")["tool_calls"]
    answered = [m for m in server.conversations[1] if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answered] == [call["id"] for call in asked]
    assert "R2# show ip route" in answered[2]["content"]
    assert ["Budget left" in m["content"] for m in answered] == [False, False, True]


@pytest.mark.parametrize(("value", "sent"), [(None, False), (False, True)])
def test_parallel_tool_calls_are_switched_only_if_the_agent_file_says_so(serve, agent_file, ani, value, sent):
    server = serve(engineer())
    React(file=agent_file(parallel_tool_calls=value)).run(brief_of(ani), ani)
    assert ("parallel_tool_calls" in server.requests[0]) is sent


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("update_cfg", '{"device": "R1", "commands": ['), "the arguments are not valid JSON"),
        (("update_cfg", '["R1"]'), "the arguments must be a JSON object"),
        (("updat_cfg", {"device": "R1"}), "Did you mean 'update_cfg'?"),
        (("update_cfg", {"device": "R1"}), "update-cfg: parameter 'commands' is missing"),
        (("get_running_cfg", {"device": "R9"}), "unknown device 'R9' (known: R1, R2)"),
    ],
)
def test_a_call_that_makes_no_sense_is_answered_with_what_is_wrong_and_the_agent_goes_on(
    serve, agent_file, ani, call, words
):
    server = serve([Calls(call), Calls(CONFIGURE), Text("Task done."), Text("because")])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert words in json.loads(tool_messages(server)[0]["content"].split("\n\n")[0])["error"]["message"]
    assert ROUTE in ani.configs["R1"]
    assert submission.stop_reason == "done"


def test_malformed_arguments_go_back_to_the_provider_as_valid_json_and_stay_in_the_record_as_written(
    serve, agent_file, ani
):
    server = serve([Calls(("update_cfg", "{oops")), Text("task done"), Text("because")])
    React(file=agent_file()).run(brief_of(ani), ani)
    sent_back = next(m for m in server.conversations[1] if m["role"] == "assistant")
    assert sent_back["tool_calls"][0]["function"]["arguments"] == "{}"
    assert ani.completions[0]["response"]["tool_calls"][0]["arguments"] == "{oops"


def test_the_task_done_tool_ends_the_work_after_the_calls_beside_it(serve, agent_file, ani):
    serve([Calls(("task_done", {"summary": "x"}), CONFIGURE), Text("because")])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert (submission.stop_reason, submission.usage.completions) == ("done", 2)
    assert ROUTE in ani.configs["R1"]


def test_a_model_that_answers_nothing_is_nudged_and_then_ended_for_no_progress(serve, agent_file, ani):
    server = serve([Forever(Text(None))])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert (submission.stop_reason, submission.reasoning) == ("no-progress", None)
    assert len(server.requests) == 3
    assert "your answer was empty" in server.conversations[1][-1]["content"]
    assert ani.notes == ["stopped: 3 turns in a row without a call to the network"]


def test_a_model_that_only_talks_is_ended_and_its_reasoning_is_kept(serve, agent_file, ani):
    serve([Text("Let me think."), Text("Still thinking.", finish_reason="length"), Text("Hm."), Text("It thought.")])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert (submission.stop_reason, submission.reasoning) == ("no-progress", "It thought.")


def test_a_model_that_never_writes_a_sensible_call_is_ended(serve, agent_file, ani):
    serve([Calls(("update_cfg", "{")), Calls(("nonsense", {})), Calls(("update_cfg", "[]")), Text("It failed.")])
    assert React(file=agent_file()).run(brief_of(ani), ani).stop_reason == "no-progress"


def test_a_call_to_the_network_makes_up_for_earlier_talk(serve, agent_file, ani):
    serve([Text("a"), Text("b"), Calls(LOOK), Text("c"), Text("d"), Text("task done"), Text("because")])
    assert React(file=agent_file()).run(brief_of(ani), ani).stop_reason == "done"


def test_a_model_that_never_stops_is_ended_by_its_calls_and_its_reasoning_is_still_handed_in(serve, agent_file):
    ani = MemoryAni({"R1": []}, budget=Budget(calls=4))
    server = serve(lambda request: Calls(LOOK) if request.get("tools") else Text("It looked."))
    with pytest.raises(BudgetExhausted, match=r"budget exhausted: calls \(allowed 4\)") as caught:
        React(file=agent_file()).run(brief_of(ani), ani)
    assert isinstance(caught.value.submission, Submission)
    assert (caught.value.submission.reasoning, caught.value.submission.stop_reason) == ("It looked.", "budget: calls")
    assert len(server.requests) == 6


def test_a_model_that_never_stops_is_ended_by_its_tokens_and_condensing_costs_it_none(serve, agent_file):
    ani = MemoryAni({"R1": []}, budget=Budget(tokens=250))
    serve(lambda request: Calls(LOOK) if request.get("tools") else Text("It looked."))
    with pytest.raises(BudgetExhausted, match=r"tokens \(allowed 250\)") as caught:
        React(file=agent_file()).run(brief_of(ani), ani)
    assert [data["purpose"] for data in ani.completions] == ["act", "act", "act", "condense"]
    assert caught.value.submission.usage.completions == 4


def test_a_model_that_thinks_beyond_the_wall_time_has_used_up_its_budget(serve, agent_file):
    budget = Budget(wall_s=0.3)
    ani = MemoryAni({"R1": []}, budget=budget)
    server = serve([Forever(Hang())])
    with pytest.raises(BudgetExhausted, match=r"wall_s \(allowed 0.3\)"):
        React(file=agent_file()).run(brief_of(ani, budget=budget), ani)
    assert len(server.requests) == 1


def test_a_rate_limit_is_waited_for_as_long_as_the_provider_asks(serve, agent_file, ani):
    serve([Fault(429, "slow down", retry_after=0.2), Text("task done"), Text("because")])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert submission.stop_reason == "done"
    assert len(ani.notes) == 1
    assert ani.notes[0].startswith("request 1 of 3 failed, next in 0.20 s: openai/fake limits the rate")
    assert 0.2 <= submission.usage.waited_s < 0.3
    assert [data["usage"]["waited_s"] > 0 for data in ani.completions] == [True, False]


def test_a_rate_limit_that_persists_is_an_infrastructure_error(serve, agent_file, ani):
    server = serve([Forever(Fault(429, "slow down"))])
    with pytest.raises(ProviderError, match=r"^openai/fake limits the rate: slow down — gave up after 3 requests$"):
        React(file=agent_file()).run(brief_of(ani), ani)
    assert len(server.requests) == 3
    assert len(ani.notes) == 2


def test_a_provider_that_asks_for_too_long_a_wait_has_failed_at_once(serve, agent_file, ani):
    server = serve([Forever(Fault(429, "slow down", retry_after=3600))])
    with pytest.raises(ProviderError, match=r"asks to wait 3600 s, more than longest_wait=0\.5s"):
        React(file=agent_file()).run(brief_of(ani), ani)
    assert len(server.requests) == 1


def test_a_wait_that_would_outlast_the_trial_is_not_begun(serve, agent_file):
    ani = MemoryAni({"R1": []}, budget=Budget(wall_s=5))
    serve([Forever(Fault(429, retry_after=30))])
    file = agent_file(retries={"attempts": 3, "first_wait_s": 0.01, "longest_wait_s": 60})
    with pytest.raises(ProviderError, match=r"would outlast the trial \([45]\.\d s left\)"):
        React(file=file).run(brief_of(ani), ani)


def test_an_account_without_credit_is_not_asked_again(serve, agent_file, ani):
    server = serve([Forever(Fault(429, "You exceeded your current quota", code="insufficient_quota"))])
    with pytest.raises(ProviderError, match="the account is out of credit"):
        React(file=agent_file()).run(brief_of(ani), ani)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_server_error_that_passes_is_only_a_note(serve, agent_file, ani, status):
    serve([Fault(status, "overloaded"), Fault(status, "overloaded"), Text("task done"), Text("because")])
    assert React(file=agent_file()).run(brief_of(ani), ani).stop_reason == "done"
    assert len(ani.notes) == 2


def test_a_request_that_times_out_is_tried_again(serve, agent_file, ani):
    serve([Hang(), Text("task done"), Text("because")])
    assert React(file=agent_file(settings={"timeout_s": 0.3})).run(brief_of(ani), ani).stop_reason == "done"
    assert "openai/fake did not answer within 0.3 s (the settings' timeout)" in ani.notes[0]


def test_a_server_that_is_not_there_is_an_infrastructure_error_that_says_where_it_was_looked_for(
    serve, agent_file, ani
):
    serve([])
    file = agent_file(settings={"api_base": "http://127.0.0.1:9/v1"})
    with pytest.raises(ProviderError, match=r"Is a server listening at http://127\.0\.0\.1:9/v1\? — gave up after 3"):
        React(file=file).run(brief_of(ani), ani)


def test_a_refused_key_names_its_variable_and_is_not_tried_again(serve, agent_file, ani):
    server = serve([Forever(Fault(401, "Incorrect API key provided", code="invalid_api_key"))])
    with pytest.raises(ProviderError, match="OPENAI_API_KEY is set, but its value was refused") as caught:
        React(file=agent_file()).run(brief_of(ani), ani)
    assert "key-of-the-test-server" not in str(caught.value)
    assert len(server.requests) == 1


def test_a_missing_key_names_the_variable_to_export(serve, agent_file, ani, monkeypatch):
    serve([])
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ProviderError, match=r"Fix: export OPENAI_API_KEY=…"):
        React(file=agent_file()).run(brief_of(ani), ani)


def test_a_bad_request_is_not_tried_again_and_says_what_to_look_at(serve, agent_file, ani):
    server = serve([Forever(Fault(400, "Unsupported value: 'temperature'"))])
    with pytest.raises(
        ProviderError, match=r"refused the request: .*temperature.*Check the model's name and the agent file"
    ):
        React(file=agent_file()).run(brief_of(ani), ani)
    assert len(server.requests) == 1


def test_an_unknown_model_is_told_apart(serve, agent_file, ani):
    serve([Forever(Fault(404, "The model `fake` does not exist", code="model_not_found"))])
    with pytest.raises(ProviderError, match="the provider has no such model, or api_base is wrong"):
        React(file=agent_file()).run(brief_of(ani), ani)


def test_a_model_without_a_provider_says_how_to_name_one(serve, agent_file, ani):
    serve([])
    with pytest.raises(ProviderError, match=r"Name its provider too, e\.g\. openai/nonsense-7b"):
        React(file=agent_file(model="nonsense-7b")).run(brief_of(ani), ani)


def test_an_overflowing_conversation_is_shortened_once_and_goes_on(serve, agent_file):
    ani = MemoryAni({"R1": [f"interface eth{number}" for number in range(100)]})
    look = Calls(("get_running_cfg", {"device": "R1"}))
    server = serve([look, look, Fault.context_overflow(), Text("task done"), Text("because")])
    assert React(file=agent_file()).run(brief_of(ani), ani).stop_reason == "done"
    contents = [m["content"] for m in server.conversations[3] if m["role"] == "tool"]
    assert "characters were left out here to make room" in contents[0]
    assert "interface eth99" in contents[1]
    assert "shortened tool outputs" in ani.notes[0]


def test_a_conversation_that_overflows_although_it_was_shortened_is_the_agents_failure(serve, agent_file):
    ani = MemoryAni({"R1": [f"interface eth{number}" for number in range(100)]})
    look = Calls(("get_running_cfg", {"device": "R1"}))
    serve([look, Fault.context_overflow(), Fault.context_overflow(), Text("It looked.")])
    with pytest.raises(AgentError, match="longer than the model's context") as caught:
        React(file=agent_file()).run(brief_of(ani), ani)
    assert not isinstance(caught.value, BudgetExhausted)
    assert caught.value.submission.reasoning == "It looked."


def test_reasoning_that_cannot_be_condensed_is_the_models_own_words(serve, agent_file, ani):
    serve([Calls(LOOK, text="First I look."), Text("All well: task done"), Forever(Fault(500))])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert submission.reasoning == "First I look.\n\nAll well: task done"
    assert "the reasoning could not be condensed" in ani.notes[-1]


def test_a_provider_that_does_not_count_tokens_has_them_estimated(serve, agent_file, ani):
    serve([Text("task done", usage=None), Text("because", usage=None)])
    submission = React(file=agent_file()).run(brief_of(ani), ani)
    assert submission.usage.prompt_tokens > 100
    assert ani.completions[0]["usage"]["prompt_tokens"] > 100


def test_the_cost_of_an_unknown_model_is_not_known_unless_the_file_prices_it(serve, agent_file, ani):
    serve([Forever(Text("task done"))])
    assert React(file=agent_file()).run(brief_of(ani), ani).usage.cost_usd is None
    priced = agent_file(price={"input_per_token": 1e-6, "output_per_token": 2e-6})
    assert React(file=priced).run(brief_of(ani), ani).usage.cost_usd == pytest.approx(2 * (100e-6 + 20e-6))


def test_a_known_model_has_litellms_price(serve, agent_file, ani):
    serve([Forever(Text("task done"))])
    cost = React(file=agent_file(model="openai/gpt-4o")).run(brief_of(ani), ani).usage.cost_usd
    assert cost is not None
    assert 0 < cost < 0.01


def test_the_trace_holds_every_message_once_and_whole(serve, agent_file, ani):
    server = serve(engineer([LOOK], [CONFIGURE]))
    React(file=agent_file()).run(brief_of(ani), ani)
    acts = [data for data in ani.completions if data["purpose"] == "act"]
    new = [message for data in acts for message in data["new_messages"]]
    spoken = [message for message in server.conversations[2] if message["role"] != "assistant"]
    assert [message["content"] for message in new] == [message["content"] for message in spoken]
    assert [data["messages"] for data in acts] == [2, 4, 6]
    assert all(len(data["messages_sha256"]) == 12 for data in acts)
    assert acts[-1]["response"]["text"] == "Every intent holds: task done"


def test_settings_reach_the_provider_and_nothing_else_does(serve, agent_file, ani):
    server = serve([Forever(Text("task done"))])
    settings = {"temperature": 0.0, "max_tokens": 77, "seed": 7, "extra": {"top_p": 0.5}}
    React(file=agent_file(settings=settings)).run(brief_of(ani), ani)
    request = server.requests[0]
    assert (request["temperature"], request["max_tokens"], request["seed"], request["top_p"]) == (0.0, 77, 7, 0.5)
    assert set(request) == {"model", "messages", "tools", "temperature", "max_tokens", "seed", "top_p"}


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Bad gateway</html>",
        b"",
        b"null",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b'{"choices": null}',
        b'{"error": {"message": "overloaded"}}',
        b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [{}]}}]}',
    ],
)
def test_a_provider_that_answers_nonsense_is_an_infrastructure_error(serve, agent_file, ani, body):
    serve([Forever(Raw(body))])
    with pytest.raises(ProviderError, match=r"^openai/fake (is unavailable|refused the request|answered without)"):
        React(file=agent_file()).run(brief_of(ani), ani)


def test_a_connection_that_breaks_is_tried_again(serve, agent_file, ani):
    serve([Hang(0), Text("task done"), Text("because")])
    assert React(file=agent_file()).run(brief_of(ani), ani).stop_reason == "done"
    assert len(ani.notes) == 1


def test_condensing_does_not_hold_up_the_end_of_a_trial_for_long(serve, agent_file):
    budget = Budget(wall_s=0.8)
    ani = MemoryAni({"R1": []}, budget=budget)
    serve([Calls(LOOK, text="First I look."), Text("task done"), Forever(Hang())])
    began = time.monotonic()
    submission = React(file=agent_file()).run(brief_of(ani, budget=budget), ani)
    assert submission.reasoning == "First I look.\n\ntask done"
    assert time.monotonic() - began < 5


def test_several_agents_on_one_server_each_solve_their_own_task(serve, agent_file):
    serve(engineers({"Task A": engineer([CONFIGURE]), "Task B": engineer([LOOK])}))
    for task_name, methods in (("Task A", ["update-cfg"]), ("Task B", ["get-topology"])):
        ani = MemoryAni({"R1": []})
        React(file=agent_file()).run(brief_of(ani).model_copy(update={"task_name": task_name}), ani)
        assert ani.methods == methods


SCHEMA = {
    "type": "object",
    "properties": {"faulty": {"$ref": "#/$defs/Node"}},
    "required": ["faulty"],
    "$defs": {"Node": {"type": "string"}},
}


def test_a_task_that_asks_for_an_answer_is_done_only_with_it(serve, agent_file, ani):
    wrong = [("task_done", {"summary": "R2"})], [("task_done", {"answer": "R2"})], [("task_done", {"answer": {}})]
    server = serve(
        engineer([LOOK], wrong[0], wrong[1], [LOOK], wrong[2], [("task_done", {"answer": {"faulty": "R2"}})])
    )
    brief = brief_of(ani).model_copy(update={"answer": SCHEMA})
    submission = React(file=agent_file()).run(brief, ani)
    assert (submission.answer, submission.stop_reason) == ({"faulty": "R2"}, "done")
    assert '"required": [\n  "faulty"\n ]' in server.conversations[0][1]["content"]
    done = server.requests[0]["tools"][-1]["function"]["parameters"]
    assert (done["required"], done["$defs"]) == (["answer"], SCHEMA["$defs"])
    assert "$defs" not in done["properties"]["answer"]
    told = [message["content"] for message in tool_messages(server) if "error" in message["content"]]
    assert [("'answer' must be a JSON object" in one, "the answer lacks 'faulty'" in one) for one in told] == [
        (True, False),
        (True, False),
        (False, True),
    ]


def test_the_words_task_done_do_not_replace_an_answer(serve, agent_file, ani):
    serve(engineer([LOOK]))
    submission = React(file=agent_file()).run(brief_of(ani).model_copy(update={"answer": SCHEMA}), ani)
    assert (submission.answer, submission.stop_reason) == (None, "no-progress")
