"""What an external program gets and hands in beside the methods of the ANI: its task, and its submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Event
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
_FORMER_REASONING = "summary"


class SubmissionMethods:
    """Gives one program its brief and takes its submission.

    Args:
        brief: The task.
        text: The same in words, as a model is told.
        answers_later: ``task-done`` is answered after ``release``, so that the client stays until the work is judged.
        is_final: The first ``task-done`` ends the trial; otherwise the last one counts.
    """

    def __init__(self, brief: Brief, *, text: str, answers_later: bool = False, is_final: bool = False) -> None:
        self._brief = brief
        self._text = text
        self._submission: Submission | None = None
        self._answers_later = answers_later
        self._is_final = is_final
        self._may_answer = Event()
        self._ended = ""
        self._told = Event()

    def release(self) -> None:
        """Answer ``task-done``."""
        self._may_answer.set()

    def end(self, why: str) -> None:
        """Take nothing any more: ``task-done`` is answered with the reason, in words."""
        self._ended = why
        self.release()

    def await_question(self, within_s: float) -> bool:
        """Wait until somebody was told that nothing is taken any more; whether that came in time."""
        return self._told.wait(within_s)

    @property
    def submission(self) -> Submission | None:
        """What was handed in last; ``None`` if nothing was."""
        return self._submission

    def refuse_if_over(self, method: str) -> None:
        """Refuse every request after the one that ended the trial.

        Raises:
            AniError: The work was handed in.
        """
        if self._is_final and self._submission is not None:
            raise AniError(f"{method}: task-done was called, and the trial is over", code=Code.POLICY_DENIED)

    def get_brief(self, params: object) -> dict[str, Any]:
        """Answer ``get-brief``."""
        validated(GET_BRIEF.name, NoParams, params)
        # programs learn from the brief what they may call, and this is how all of them end
        brief = self._brief.model_copy(update={"methods": (*self._brief.methods, TASK_DONE)})
        return GetBriefResult(brief=brief.model_dump(mode="json"), text=self._text).model_dump(mode="json")

    def task_done(self, params: object) -> dict[str, Any]:
        """Answer ``task-done``.

        Raises:
            AniError: The task asks for an answer, and this is none; or nothing is taken any more.
        """
        if self._ended:
            self._told.set()
            raise AniError(f"task-done: {self._ended}", code=Code.POLICY_DENIED)
        params, note = _renamed(params)
        given = validated(TASK_DONE.name, TaskDoneParams, params)
        schema = self._brief.answer
        if schema is not None:
            if given.answer is None:
                raise AniError("task-done: this task asks for an 'answer', see get-brief", code=Code.INVALID_PARAMS)
            wrong = misfit(given.answer, schema)
            if wrong:
                raise AniError(f"task-done: {wrong}", code=Code.INVALID_PARAMS)
        self._submission = Submission(reasoning=given.reasoning, answer=given.answer)
        if self._answers_later:
            self._may_answer.wait()
        return TaskDoneResult(ok=True, note=note).model_dump(mode="json", exclude_none=True)


def _renamed(params: object) -> tuple[object, str | None]:
    """The parameters of ``task-done``, and what is said of those that earlier versions called otherwise."""
    if not isinstance(params, Mapping) or _FORMER_REASONING not in params:
        return params, None
    others = {name: value for name, value in params.items() if name != _FORMER_REASONING}
    note = f"{_FORMER_REASONING!r} was taken as 'reasoning', as it is called now"
    return {"reasoning": params[_FORMER_REASONING], **others}, note


def misfit(answer: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """What is wrong with the members of an answer, in words: one that it needs, or does not know; empty if nothing is.

    Values are read at the end, by the family of the task.
    """
    return next(_misfits(answer, schema, schema.get("$defs", {}), "the answer"), "")


def _misfits(value: object, schema: Mapping[str, Any], defined: Mapping[str, Any], place: str) -> Iterator[str]:
    if "$ref" in schema:
        yield from _misfits(value, defined.get(schema["$ref"].rpartition("/")[2], {}), defined, place)
    elif isinstance(value, Mapping):
        known = schema.get("properties", {})
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing:
            yield f"{place} lacks {', '.join(map(repr, missing))}"
        unknown = [name for name in value if name not in known]
        if unknown and schema.get("additionalProperties") is False:
            yield f"{place} has no {', '.join(map(repr, unknown))} (known: {', '.join(map(repr, known))})"
        for name in known:
            if name in value:
                yield from _misfits(value[name], known[name], defined, f"{name!r} of {place}")
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _misfits(one, schema.get("items", {}), defined, f"[{number}] of {place}")
