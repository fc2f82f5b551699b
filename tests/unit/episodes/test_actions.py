"""What a policy may send, and what is made of it."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.episodes.actions import SUBMIT, UNREADABLE, read_action, submission_of


@pytest.mark.parametrize("form", [lambda action: action, json.dumps], ids=["mapping", "text"])
def test_a_request_is_read_from_a_mapping_and_from_text(form):
    request = read_action(form({"method": "execute-cmd", "params": {"device": "r0", "command": "ip route"}}))
    assert (request.method, request.problem) == ("execute-cmd", "")
    assert request.params == {"device": "r0", "command": "ip route"}


def test_params_may_be_left_out():
    assert read_action({"method": SUBMIT}).params == {}


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("get-topology", "it is not JSON"),
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1]", "a value of type list"),
        (None, "a value of type NoneType"),
        (3, "a value of type int"),
        ({}, "its method is missing"),
        ({"method": 3}, "its method is missing or not a string"),
        ({"method": "submit", "params": [1]}, "its params are not an object"),
        ({"method": "execute-cmd", "device": "r0"}, "it has the key 'device'"),
    ],
)
def test_what_cannot_be_read_is_a_request_that_says_why(action, why):
    request = read_action(action)
    assert request.method == UNREADABLE
    assert request.problem.startswith('an action is a JSON object {"method": "…", "params": {…}}; ')
    assert why in request.problem
    assert len(request.params["action"]) <= 81


def test_a_submission_has_an_answer_and_a_reasoning():
    submission = submission_of({"answer": {"code": "x"}, "reasoning": "because"})
    assert (submission.answer, submission.reasoning, submission.stop_reason) == ({"code": "x"}, "because", "done")


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"code": "x"}, "submit: unknown parameter 'code' (known: 'answer', 'reasoning')"),
        ({"stop_reason": "budget: calls"}, "submit: unknown parameter 'stop_reason'"),
        ({"answer": 3}, "submit: 'answer': "),
        ({"reasoning": []}, "submit: 'reasoning': "),
    ],
)
def test_a_wrong_submission_says_what_is_wrong(params, why):
    with pytest.raises(ValueError, match=r"^submit: ") as raised:
        submission_of(params)
    assert str(raised.value).startswith(why)
