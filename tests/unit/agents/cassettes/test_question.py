"""What is compared of a request, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_netbench.agents.cassettes.question import Question, compared
from pytest_netbench.agents.cassettes.secrets import Redaction

TOOL = {"type": "function", "function": {"name": "execute_cmd", "parameters": {"type": "object"}}}
OPENING = [
    {"role": "system", "content": "You are an engineer. It is 00:01:02."},
    {"role": "user", "content": "Open the firewall from 08:00:00 to 17:00:00.\n\n```\nntp at 10:00:00\n```"},
]
CALL = {"id": "call-1", "type": "function", "function": {"name": "execute_cmd", "arguments": '{"at": "00:01:02"}'}}


def conversation(output: str, *, left: str = "97 calls, 290 commands, 512 s") -> list[dict[str, Any]]:
    return [
        *OPENING,
        {"role": "assistant", "content": "I look at 00:00:01.", "tool_calls": [CALL]},
        {
            "role": "tool",
            "tool_call_id": "call-1",
            "name": "execute_cmd",
            "content": json.dumps({"output": output}) + f"\n\nBudget left: {left}.",
        },
    ]


def question(messages: list[dict[str, Any]] | None = None, **changes: Any) -> Question:
    given: dict[str, Any] = {
        "model": "openai/a",
        "parameters": {"temperature": 0.0, "seed": 7, "tools": [TOOL]},
        "redaction": Redaction({}),
        **changes,
    }
    return Question.of(messages=conversation("up 00:00:01") if messages is None else messages, **given)


def test_times_in_outputs_of_devices_and_the_time_that_is_left_do_not_count():
    later = conversation("up 02:00:01", left="97 calls, 290 commands, 3 s")
    assert question(later).digest == question().digest


def test_calls_that_are_left_do():
    assert question(conversation("up 00:00:01", left="96 calls, 290 commands, 512 s")).digest != question().digest


@pytest.mark.parametrize(
    ("at", "change"),
    [
        (0, ("00:01:02", "00:01:03")),
        (1, ("17:00:00", "18:00:00")),
        (1, ("10:00:00", "11:00:00")),
        (2, ("00:00:01", "00:00:02")),
    ],
)
def test_instructions_the_task_and_what_the_model_said_are_compared_as_they_are(at, change):
    messages = conversation("up 00:00:01")
    messages[at] = {**messages[at], "content": messages[at]["content"].replace(*change)}
    assert question(messages).digest != question().digest


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "openai/b"},
        {"parameters": {"temperature": 0.1, "seed": 7, "tools": [TOOL]}},
        {"parameters": {"temperature": 0.0, "seed": 8, "tools": [TOOL]}},
        {"parameters": {"temperature": 0.0, "seed": 7, "tools": []}},
        {"parameters": {"temperature": 0.0, "seed": 7, "tools": [TOOL], "reasoning_effort": "high"}},
    ],
)
def test_another_model_other_parameters_and_other_tools_are_another_question(changes):
    assert question(**changes).digest != question().digest


def test_where_a_request_is_sent_does_not_count_and_is_not_kept():
    where = {
        "api_base": "https://me:secret@host/v1",
        "api_key": "sk-abc",
        "timeout": 3,
        "extra_headers": {"Authorization": "Bearer abc"},
    }
    asked = question(parameters={"temperature": 0.0, "seed": 7, "tools": [TOOL], **where})
    assert asked == question()
    assert set(asked.parameters) == {"temperature", "seed"}


def test_fenced_outputs_of_an_answer_in_turns_are_compared_without_times_and_the_words_around_them_are_not():
    def turn(words: str, output: str) -> list[dict[str, Any]]:
        return [
            *OPENING,
            {"role": "assistant", "content": "x"},
            {"role": "user", "content": f"{words}\n\n```\n{output}\n```"},
        ]

    first = question(turn("`date` at 10:00:00", "up 00:00:01")).digest
    assert question(turn("`date` at 10:00:00", "up 00:09:01")).digest == first
    assert question(turn("`date` at 11:00:00", "up 00:00:01")).digest != first


def test_a_remark_on_what_was_left_out_does_not_count_its_characters():
    def shortened(number: int) -> list[dict[str, Any]]:
        remark = f"[{number} characters were left out here to make room; ask again if they are needed]"
        return [*OPENING, {"role": "assistant", "content": "x"}, {"role": "tool", "content": remark}]

    assert list(compared(shortened(901))) == list(compared(shortened(899)))


def test_a_line_of_a_configuration_in_a_result_is_compared():
    one, other = (
        question(conversation(f"interface eth0\n ip address 10.0.0.{host}/24\n ip ospf cost 10")).digest
        for host in (1, 2)
    )
    assert one != other
