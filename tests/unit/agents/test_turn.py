"""Answers of a model that works in turns, good and bad."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.turns import Turn, read_turn
from pytest_netbench.errors import AgentError

DEVICES = ("R1", "R2")


def fenced(text: str) -> str:
    return f"Because.\n\n```json\n{text}\n```"


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ('{"read": {"R1": ["ip route"]}}', Turn(reasoning="Because.", read={"R1": ["ip route"]})),
        (
            '{"change": {"R2": "a\\nb"}, "done": true}',
            Turn(reasoning="Because.", change={"R2": ["a", "b"]}, done=True),
        ),
        ('{"R1": ["a"]}', Turn(reasoning="Because.", change={"R1": ["a"]})),
        ('{"done": false, "read": {}}', Turn(reasoning="Because.")),
    ],
)
def test_an_answer_says_what_to_read_what_to_change_and_whether_it_is_the_last(text, turn):
    assert read_turn(fenced(text), DEVICES) == turn


def test_the_words_task_done_are_an_end():
    assert read_turn("All is well: Task done.", DEVICES) == Turn(reasoning="All is well: Task done.", done=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I would look at the routes.", "has no JSON object"),
        ("", "the answer is empty"),
        (fenced("{}"), r"is empty \(known: read, change, done\)"),
        (fenced('{"reed": {}}'), r"unknown key 'reed' \(known: read, change, done\)"),
        (fenced('{"read": {"R9": ["a"]}}'), r"unknown device 'R9' \(known: R1, R2\)"),
        (fenced('{"read": "ip route"}'), "'read' must be a JSON object of devices, not 'ip route'"),
        (fenced('{"change": {"R1": [1]}}'), "commands for 'R1' are not a list of strings"),
        (fenced('{"done": "yes"}'), "'done' must be true or false, not 'yes'"),
    ],
)
def test_an_answer_that_cannot_be_read_says_why(text, words):
    with pytest.raises(AgentError, match=words):
        read_turn(text, DEVICES)
