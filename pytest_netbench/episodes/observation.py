"""Observation: what a policy sees after a reset and after each action."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from pytest_netbench.agents.prompting import answer_message, budget_words, packaged, task_message
from pytest_netbench.episodes.actions import SHAPE, SUBMIT
from pytest_netbench.model.base import Recorded
from pytest_netbench.model.trial import Brief


class Observation(Recorded):
    """What a policy sees. ``str()`` of it is the same as text for a language model.

    Nothing in it tells the answer: it is what an agent gets, and the state of the flows.
    """

    brief: Brief = Field(description="what is asked, and how; the same in each observation of an episode")
    first: bool = Field(False, description="it is the observation of a reset")
    result: dict[str, Any] | None = Field(None, description="of the request, as in the ANI")
    error: str | None = Field(None, description="why the request was refused")
    reachability: str | None = Field(
        None, description="which nodes reach which, as measured after the last change; none if no flows are watched"
    )
    budget_left: dict[str, float | None] = Field(
        {}, description="calls, commands, wall_s, tokens, lab_s; null is no limit"
    )

    def __str__(self) -> str:
        parts = [_instructions(self.brief)] if self.first else []
        if self.error is not None:
            parts.append(f"Error: {self.error}")
        if self.result is not None:
            parts.append("\n".join(_lines(self.result)))
        if self.reachability is not None:
            parts.append(f"Which nodes reach which now:\n\n{self.reachability}")
        if not self.first:
            # the time left would make equal observations differ
            parts.append(f"Left: {budget_words({**self.budget_left, 'wall_s': None})}.")
        return "\n\n".join(part.rstrip() for part in parts)


def _instructions(brief: Brief) -> str:
    task = task_message(packaged("task"), brief, budget=budget_words(brief.budget.model_dump()))
    answer = answer_message(packaged("answer"), brief, how=f"as `answer` of `{SUBMIT}`")
    methods = "\n".join(f"- {one.name}: {json.dumps(one.parameters)}" for one in brief.methods)
    return (
        f"{task.rstrip()}\n{answer}\nEach of your messages is one action, a JSON object {SHAPE}, and nothing else."
        f" These methods have these parameters (JSON Schema):\n\n{methods}\n\nThe method `{SUBMIT}` ends your work."
    )


def _lines(result: Mapping[str, Any]) -> list[str]:
    """A result for reading: texts as they are, everything else as JSON."""
    return [
        f"{name}: {value}" if isinstance(value, str) else f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in result.items()
    ]
