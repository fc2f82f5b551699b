"""The agent of a task that names none: Inspect's ``react`` with the prompts of the strategy ``react``."""

from __future__ import annotations

from typing import Final

from inspect_ai.agent import Agent, AgentPrompt, AgentState, react

from pytest_netbench.agents.prompting import budget_words
from pytest_netbench.agents.react import IDLE_TURNS
from pytest_netbench.inspect.opening import NUDGE, OPENING
from pytest_netbench.inspect.tools import ani_tools, at_work
from pytest_netbench.model.trial import Brief

_DONE_WORDS: Final = "task done"


def engineer(brief: Brief) -> Agent:
    """Return the agent for tasks like that of ``brief``. It works until it is done, or does nothing any more."""
    prompt = AgentPrompt(OPENING.system_text(brief), handoff_prompt=None, assistant_prompt=None, submit_prompt=None)
    return react(prompt=prompt, tools=[ani_tools()], submit=False, on_continue=_goes_on)


async def _goes_on(state: AgentState) -> bool | str:
    """Whether the agent goes on after a turn, and what it is told if it called no tool."""
    work = at_work()
    calls = bool(state.output.message.tool_calls)
    says_done = not calls and _DONE_WORDS in state.output.completion.lower()
    if work.attempt.submission is not None or (says_done and work.attempt.brief.answer is None):
        return False
    if work.idle_turns() >= IDLE_TURNS:
        work.attempt.ani.note(f"stopped: {IDLE_TURNS} turns in a row without a call to the network")
        work.stopped = "no-progress"
        return False
    if calls:
        return True
    return NUDGE.fill(
        why="" if state.output.completion.strip() else " (your answer was empty)",
        budget=budget_words(work.attempt.ani.budget_left()),
    )
