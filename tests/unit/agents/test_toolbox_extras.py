"""An extra method is a tool like the others, for those who have it."""

from __future__ import annotations

import json

from pytest_netbench.agents.completion import ToolCall
from pytest_netbench.agents.toolcalls import Toolbox
from pytest_netbench.ani.extras import EXTRAS
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.ani.policy import Policy
from pytest_netbench.model.extra_methods import SEARCH_MANUAL
from pytest_netbench.model.task import Budget
from tests.support.login import LoginDialect
from tests.support.memory_lab import chain


def toolbox(*extras: str) -> Toolbox:
    policy = Policy(extras=frozenset(extras))
    ani = AgentInterface(chain(), policy=policy, budget=Budget(), dialects={"memory": LoginDialect()})
    return Toolbox(methods=(*METHODS.values(), *(EXTRAS[name] for name in extras)), ani=ani)


def names(box: Toolbox) -> list[str]:
    return [tool["function"]["name"] for tool in box.specs]


def test_the_manual_is_offered_as_a_tool_to_whom_it_is_given():
    assert "search_manual" in names(toolbox(SEARCH_MANUAL))
    assert "search_manual" not in names(toolbox())


def test_a_call_of_it_is_answered_with_sections():
    call = ToolCall(id="1", name="search_manual", arguments='{"query": "rate limit"}')
    answer = toolbox(SEARCH_MANUAL).answer(call)
    assert answer.acted
    assert json.loads(answer.content)["sections"][0]["title"] == "rate BPS"


def test_a_model_that_invents_it_is_told_what_there_is():
    answer = toolbox().answer(ToolCall(id="1", name="search_manual", arguments='{"query": "rate"}'))
    assert "unknown tool 'search_manual'" in answer.content


def test_a_model_may_use_the_names_of_the_drafts_revision_02():
    box = toolbox()
    answer = box.answer(ToolCall(id="1", name="get_running_config", arguments='{"device": "edge"}'))
    assert answer.acted
    assert "running_config" in json.loads(answer.content)
    changed = box.answer(ToolCall(id="2", name="update_config", arguments='{"device": "edge", "commands": ["mark 1"]}'))
    assert changed.changed
