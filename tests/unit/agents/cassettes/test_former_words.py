"""Cassettes of earlier versions, in which a tool had another word for the same thing."""

from __future__ import annotations

import json

from pytest_netbench.agents.cassettes.cassette import Cassette
from pytest_netbench.agents.toolcalls import tool_specs


def test_a_cassette_that_called_the_reasoning_summary_fits_the_present_tools():
    (now,) = tool_specs([], None)
    then = json.loads(json.dumps(now).replace('"reasoning"', '"summary"'))
    assert then != now
    other = {"type": "function", "function": {"name": "x", "parameters": {"properties": {"summary": {}}}}}
    cassette = Cassette.model_validate(
        {
            "format": 1,
            "netbench": "0.1",
            "recorded_at": "2026-01-01T00:00:00Z",
            "agent": "a",
            "task": "t",
            "task_digest": "d",
            "trial": 1,
            "tools": {"k": [then, other]},
            "entries": [{"model": "m", "parameters": {}, "tools": "k", "same": 0, "messages": []}],
        }
    )
    ((question, _),) = cassette.questions()
    assert question.tools == (now, other)
