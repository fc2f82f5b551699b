"""What the line of a step tells."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.model.trial import Step
from pytest_netbench.reporting.page.steps import MOST_GIST, shown


def gist(**data: Any) -> str:
    return shown(Step(at_s=0.1, kind="ani", data={"method": "m", **data})).gist


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"params": {"device": "R1", "commands": ["router ospf 1", "no shutdown"]}}, "router ospf 1, no shutdown"),
        ({"params": {"device": "R1", "command": "show version"}}, "show version"),
        ({"params": {"source": "a", "target": "b"}}, "source: a, target: b"),
        ({"params": {"diagnosis": "{\n \"is_anomaly\": true\n}"}}, "True"),
        ({"result": "{\n \"links\": [\n  \"a <-> b\"\n ]\n}"}, "a <-> b"),
        ({"result": {"nodes": ["a", "b"], "links": []}}, "nodes: a b, links:"),
        ({"result": "!\n!\nversion 15.9\n!\nhostname R1\n"}, "version 15.9 hostname R1"),
        ({"result": "table inet filter {\n}"}, "table inet filter"),
        ({"result": "{ not JSON\n"}, "{ not JSON"),
        ({"result": "\n\n  \n"}, ""),
        ({"error": {"message": "no such device"}}, "no such device"),
        ({"params": {"count": 0, "fast": False}}, "count: 0, fast: False"),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_line_tells_what_a_step_is_about(data, words):
    assert gist(**data) == words


@pytest.mark.parametrize("text", ["{", "[\n {\n", "!\n!", "a {", "f(", '{"a": {\n "b": [\n'])
def test_no_line_ends_in_an_open_bracket(text):
    assert gist(result=text)[-1:] not in {"{", "[", "(", "!"}


def test_a_line_is_short():
    assert len(gist(result={"a": ["x" * 10_000] * 10_000})) <= MOST_GIST


def test_the_line_of_a_completion_tells_its_calls_else_what_was_said():
    def of(response: Any) -> str:
        return shown(Step(at_s=0, kind="completion", data={"model": "m", "response": response})).gist

    assert of({"text": "I look first.", "tool_calls": []}) == "I look first."
    assert (
        of({"text": "", "tool_calls": [{"name": "get-topology", "arguments": {}}]}) == "name: get-topology arguments:"
    )
    assert of("plain") == "plain"
