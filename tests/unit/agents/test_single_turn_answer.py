"""Reading the one answer of a single-turn model."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.agents.answer import read_answer
from pytest_netbench.errors import AgentError

DEVICES = ("R1", "R2")
OBJECT = '{"R1": ["a", "b"]}'


@pytest.mark.parametrize(
    "text",
    [
        f"Why.\n\n```json\n{OBJECT}\n```",
        f"Why.\n\n```json\n{OBJECT}\n```\nGood luck!",
        f"Why.\n```\n{OBJECT}\n```",
        f"Why.\n```JSON \n{OBJECT}\n  ```",
        f"Why.\n```json\n{OBJECT}",
        f"Why.\n{OBJECT}",
        f"Why.\n{OBJECT}\nThat is all.",
        'Why.\n```json\n{"R1": "a\\nb\\n"}\n```',
        'Why.\n```json\n{"R1": ["a\\nb", "  "]}\n```',
        'Why.\n```json\n{"R1": ["a"], "R1": ["b"]}\n```',
        'Why.\n```json\n{"commands": {"R1": ["a", "b"]}}\n```',
        'Why.\r\n```json\r\n{"R1": ["a", "b"]}\r\n```\r\n',
    ],
)
def test_reasoning_and_commands_are_found(text):
    assert read_answer(text, DEVICES) == ("Why.", {"R1": ["a", "b"]})


def test_the_last_object_counts_and_earlier_blocks_are_reasoning():
    text = 'First:\n```json\n{"R2": ["x"]}\n```\nNo, better:\n```json\n{"R1": ["a"]}\n```'
    reasoning, commands = read_answer(text, DEVICES)
    assert commands == {"R1": ["a"]}
    assert reasoning.startswith("First:")
    assert reasoning.endswith("No, better:")


def test_a_block_of_another_kind_after_the_object_does_not_hide_it():
    assert read_answer('Why.\n```json\n{"R1": ["a"]}\n```\n```\nshow ip route\n```', DEVICES)[1] == {"R1": ["a"]}


def test_indentation_within_a_command_is_kept():
    assert read_answer('```json\n{"R1": ["router ospf", " network x"]}\n```', DEVICES)[1] == {
        "R1": ["router ospf", " network x"]
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the answer is empty"),
        ("I cannot do this.", "has no JSON object"),
        ('Why.\n```json\n{"R1": ["a",]}\n```', r"cannot be read: .* at line 1 of"),
        ('Why.\n```json\n{"R1": ["a"\n```', "cannot be read"),
        ('Why.\n```json\n{"R9": ["a"]}\n```', r"unknown device 'R9' \(known: R1, R2\)"),
        ('Why.\n```json\n{"R1": [1]}\n```', r"commands for 'R1' are not a list of strings: \[1\]"),
        ('Why.\n```json\n{"R1": {"a": 1}}\n```', "commands for 'R1' are not a list of strings"),
        ('Why.\n```json\n["a"]\n```', "has no JSON object"),
    ],
)
def test_an_answer_that_cannot_be_read_says_what_is_wrong_with_it(text, words):
    with pytest.raises(AgentError, match=words):
        read_answer(text, DEVICES)


@given(st.text(alphabet="{}[]\"'`:,R1 \njson", max_size=120))
def test_no_text_whatever_raises_anything_but_an_agent_error(text):
    with suppress(AgentError):
        read_answer(text, DEVICES)
