"""Answers the requests of an agent in a process of its own: the ANI's, and those of its cassette; nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from pytest_netbench.agents.cassettes.cassette import Refusal
from pytest_netbench.agents.cassettes.question import Question
from pytest_netbench.agents.cassettes.tapes import Recording, Replays, Tape
from pytest_netbench.agents.completion import Completion
from pytest_netbench.agents.failures import OutOfTime
from pytest_netbench.agents.worker.messages import error_object
from pytest_netbench.ani.interface import code_of
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, CassetteMiss, NetbenchError
from pytest_netbench.rpccodes import Code


class Answering:
    """Answers the requests of one trial. May be used from several threads.

    Args:
        ani: Its own policy, budget and recording apply.
        tape: What models answer is recorded on it or replayed from it, if there is one.
        trial: Its number. A request of another trial is refused: its agent has handed in.
    """

    def __init__(self, ani: Ani, *, tape: Tape | None, trial: int) -> None:
        self._ani = ani
        self._tape = tape
        self._trial = trial
        self._methods: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "call": lambda params: ani.call(params["method"], params["params"]),
            "budget-left": lambda _: ani.budget_left(),
            "offered": lambda _: [one.model_dump(mode="json") for one in ani.offered()],
            "add-completion": lambda params: ani.add_completion(params["data"], tokens=params["tokens"]),
            "note": lambda params: ani.note(params["text"]),
            "keep": self._keep,
            "entry": self._entry,
        }

    def answer(self, method: object, params: object) -> dict[str, Any]:
        """Return ``result`` or ``error`` of a request, whatever it is."""
        try:
            return {"result": self._answer(method, params)}
        except NetbenchError as error:
            return {"error": error_object(error, code=code_of(error))}
        except (KeyError, TypeError, AttributeError, ValidationError) as error:
            wrong = AniError(f"{method!r:.80}: wrong parameters: {type(error).__name__}", code=Code.INVALID_PARAMS)
            return {"error": error_object(wrong, code=wrong.code)}

    def _answer(self, method: object, params: object) -> Any:
        known = self._methods.get(method) if isinstance(method, str) else None
        if known is None:
            raise AniError(f"unknown request {method!r:.80}", code=Code.METHOD_NOT_FOUND)
        if not isinstance(params, dict) or params.get("trial") != self._trial:
            raise _ended()
        return known(params)

    def _keep(self, params: Mapping[str, Any]) -> None:
        if isinstance(self._tape, Recording):
            answer, refusal = params["answer"], params["refusal"]
            self._tape.keep(
                _question(params, self._tape),
                answer=None if answer is None else Completion.model_validate(answer),
                error=None if refusal is None else Refusal.model_validate(refusal).error(),
            )

    def _entry(self, params: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(self._tape, Replays):
            return {"miss": "this trial has no cassette"}
        entry = self._tape.entry(_question(params, self._tape))
        if isinstance(entry, OutOfTime):
            return {"out_of_time": str(entry)}
        return {"miss": str(entry)} if isinstance(entry, CassetteMiss) else {"entry": entry.model_dump(mode="json")}


def refused(method: object, params: object) -> dict[str, Any]:
    """Answer a request of an agent that is not at work: a thread of it that an earlier trial has left."""
    del method, params
    return {"error": error_object(_ended(), code=Code.POLICY_DENIED)}


def _ended() -> AniError:
    return AniError("the trial has ended: no further requests are answered", code=Code.POLICY_DENIED)


def _question(params: Mapping[str, Any], tape: Tape) -> Question:
    parameters = {**params["parameters"], "tools": params["tools"]}
    return Question.of(
        model=params["model"], messages=params["messages"], parameters=parameters, redaction=tape.redaction
    )
