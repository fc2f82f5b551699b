"""What a model is told of its task: the texts of the strategy ``react``."""

from __future__ import annotations

from typing import Final

from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.prompting import Prompt, packaged
from pytest_netbench.model.trial import Brief

OPENING: Final = Opening(system=packaged("react"), question=packaged("react-question"), instructions=None, examples={})
NUDGE: Final[Prompt] = packaged("nudge")


def task_text(brief: Brief) -> str:
    """The task in words, for an agent that hands in by the tool ``task_done``."""
    return OPENING.task_text(brief, how="as `answer` of `task_done`")
