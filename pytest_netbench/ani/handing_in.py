"""What an external program gets and hands in beside the methods of the ANI: its task, and its submission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.ani.methods import spec_of, validated
from pytest_netbench.ani.wire import GetBriefResult, NoParams, TaskDoneParams, TaskDoneResult
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import Brief, Submission
from pytest_netbench.rpccodes import Code

GET_BRIEF = spec_of(
    "get-brief",
    "The task: what is asked, which devices there are, and the budget. Costs nothing.",
    NoParams,
    GetBriefResult,
)
TASK_DONE = spec_of(
    "task-done",
    "Say that the task is done, and hand in what was configured and why, and the answer if the task asks for one."
    " Costs nothing. The last call counts.",
    TaskDoneParams,
    TaskDoneResult,
)


class Desk:
    """Gives one program its brief and takes its submission.

    Args:
        brief: The task.
        text: The same in words, as a model is told.
    """

    def __init__(self, brief: Brief, *, text: str) -> None:
        self._brief = brief
        self._text = text
        self._submission: Submission | None = None

    @property
    def submission(self) -> Submission | None:
        """What was handed in last; ``None`` if nothing was."""
        return self._submission

    def get_brief(self, params: object) -> dict[str, Any]:
        """Answer ``get-brief``."""
        validated(GET_BRIEF.name, NoParams, params)
        # programs learn from the brief what they may call, and this is how all of them end
        brief = self._brief.model_copy(update={"methods": (*self._brief.methods, TASK_DONE)})
        return GetBriefResult(brief=brief.model_dump(mode="json"), text=self._text).model_dump(mode="json")

    def task_done(self, params: object) -> dict[str, Any]:
        """Answer ``task-done``.

        Raises:
            AniError: The task asks for an answer, and this is none.
        """
        given = validated(TASK_DONE.name, TaskDoneParams, params)
        schema = self._brief.answer
        if schema is not None:
            if given.answer is None:
                raise AniError("task-done: this task asks for an 'answer', see get-brief", code=Code.INVALID_PARAMS)
            missing = missing_members(given.answer, schema)
            if missing:
                raise AniError(f"task-done: the answer lacks {missing}", code=Code.INVALID_PARAMS)
        self._submission = Submission(reasoning=given.summary, answer=given.answer)
        return TaskDoneResult(ok=True).model_dump(mode="json")


def missing_members(answer: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """The members that an answer needs and does not have, in words; empty if there are none."""
    return ", ".join(repr(name) for name in schema.get("required", ()) if name not in answer)
