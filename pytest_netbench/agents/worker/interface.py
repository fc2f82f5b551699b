"""The ANI and the cassette of a trial, as an agent in a process of its own sees them."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from pytest_netbench.agents.cassettes.cassette import Entry, Refusal
from pytest_netbench.agents.cassettes.question import Question
from pytest_netbench.agents.cassettes.secrets import Redaction
from pytest_netbench.agents.completion import Completion
from pytest_netbench.agents.failures import OutOfTime
from pytest_netbench.agents.worker.messages import Connection, error_of
from pytest_netbench.ani.methods import DraftMethods
from pytest_netbench.errors import AniError, CassetteMiss, LabError
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code


class Calls:
    """Requests to the process of the trial. May be used from several threads.

    Args:
        connection: To it.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._process = os.getpid()
        self._ids = itertools.count(1)
        self._waiting: dict[int, _Answer] = {}

    def ask(self, method: str, params: Mapping[str, Any], *, default: Callable[[Any], Any]) -> Any:
        """Send a request and return its result.

        Raises:
            NetbenchError: What the other side says.
            AniError: The parameters are no JSON value, or this is a copy of the agent's process.
            LabError: The other side has gone.
        """
        if os.getpid() != self._process:
            raise AniError("only the agent's own process can send requests, and not a copy of it (os.fork)")
        number, answer = next(self._ids), _Answer()
        self._waiting[number] = answer
        try:
            self._connection.send({"id": number, "method": method, "params": params}, default=default)
        except (TypeError, ValueError, RecursionError) as error:
            raise AniError(f"the request cannot be sent: {error}", code=Code.INVALID_PARAMS) from None
        except OSError as error:
            raise LabError(f"the trial does not answer any more: {error}") from None
        answer.arrived.wait()
        told = answer.message
        if "error" in told:
            raise error_of(told["error"])
        return told.get("result")

    def take(self, message: Mapping[str, Any]) -> None:
        """Give an answer to who waits for it."""
        answer = self._waiting.pop(message["id"], None)
        if answer is not None:
            answer.message = message
            answer.arrived.set()


class _Answer:
    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.message: Mapping[str, Any] = {}


class AniApart(DraftMethods):
    """The ANI of one trial: the protocol ``Ani``, with the same results and errors as in the process of the trial.

    Args:
        calls: To the process of the trial.
        trial: Its number.
    """

    def __init__(self, calls: Calls, trial: int) -> None:
        self._calls = calls
        self._trial = trial
        self._closed = False

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """One request by its wire name."""
        result: dict[str, Any] = self._ask("call", {"method": method, "params": params}, default=_no_value)
        return result

    def budget_left(self) -> dict[str, float | None]:
        left: dict[str, float | None] = self._ask("budget-left", {})
        return left

    def offered(self) -> tuple[MethodSpec, ...]:
        return tuple(MethodSpec.model_validate(one) for one in self._ask("offered", {}))

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        self._ask("add-completion", {"data": data, "tokens": tokens})

    def note(self, text: str) -> None:
        self._ask("note", {"text": text})

    def close(self) -> None:
        """Refuse everything from now on: the agent's work is done."""
        self._closed = True

    def _ask(self, method: str, params: Mapping[str, Any], *, default: Callable[[Any], Any] = str) -> Any:
        if self._closed:
            raise AniError("the trial has ended: no further requests are answered", code=Code.POLICY_DENIED)
        return self._calls.ask(method, {**params, "trial": self._trial}, default=default)


class RecordingApart:
    """Takes what models answer, for the cassette of the trial. As ``tapes.Recording``.

    Args:
        calls: To the process of the trial.
        trial: Its number.
    """

    def __init__(self, calls: Calls, trial: int) -> None:
        self._calls = calls
        self._trial = trial
        self.redaction = Redaction()

    def keep(self, question: Question, *, answer: Completion | None = None, error: Exception | None = None) -> None:
        """Take a request and what came of it."""
        told = {
            **_plain(question, self._trial),
            "answer": None if answer is None else answer.model_dump(mode="json"),
            "refusal": None if error is None else Refusal.of(error).model_dump(mode="json"),
        }
        self._calls.ask("keep", told, default=str)


class ReplayApart:
    """Gives what models answered, from the cassette of the trial. As ``tapes.Replay``.

    Args:
        calls: To the process of the trial.
        trial: Its number.
        pace: How long an answer takes, as a multiple of what the model took.
    """

    def __init__(self, calls: Calls, trial: int, *, pace: float) -> None:
        self._calls = calls
        self._trial = trial
        self.redaction = Redaction()
        self.pace = pace

    def entry(self, question: Question) -> Entry | CassetteMiss | OutOfTime:
        """The entry of a request, or the error to raise if there is none."""
        told = self._calls.ask("entry", _plain(question, self._trial), default=str)
        if "out_of_time" in told:
            return OutOfTime(told["out_of_time"])
        return CassetteMiss(told["miss"]) if "miss" in told else Entry.model_validate(told["entry"])


def _plain(question: Question, trial: int) -> dict[str, Any]:
    return {
        "trial": trial,
        "model": question.model,
        "messages": list(question.messages),
        "tools": list(question.tools),
        "parameters": dict(question.parameters),
    }


def _no_value(value: object) -> dict[str, str]:
    """What is sent for an object that is no JSON value: the ANI refuses it, as it would refuse the object."""
    return {"not-json": type(value).__name__}
