"""The process of an agent, inside: makes the agent from its spec for each trial, and lets it work.

It gets the brief and never the task. The agent runs in the main thread; another one receives.
"""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import queue
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_netbench.agents import ending, run_budget
from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.tapes import NoTrial
from pytest_netbench.agents.ending import Raised
from pytest_netbench.agents.resolve import resolve_agent
from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.agents.worker.interface import AniApart, Calls, RecordingApart, ReplayApart
from pytest_netbench.agents.worker.messages import Connection, NotAMessage, error_object
from pytest_netbench.catching import Caught
from pytest_netbench.errors import InfrastructureError, InputError, NetbenchError, RequirementMissing
from pytest_netbench.model.trial import Brief, Submission

STACK_AFTER_S: Final = 0.2
"""Wall seconds after the budget's when the stack of an agent that is still busy is noted."""


def serve(descriptor: int, stacks: int) -> None:
    """Answer the requests of the process of the trial until it closes the socket.

    Args:
        descriptor: The socket.
        stacks: A file for the Python stack at a fatal signal.
    """
    faulthandler.enable(file=stacks)
    sys.argv[:] = sys.argv[:1]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    connection = Connection(socket.socket(fileno=descriptor))
    logging.getLogger().addHandler(_Forwarded(connection))
    _Inside(connection, stacks).work()


class _Inside:
    """Carries out the requests ``make``, ``prepare`` and ``run``, one after the other."""

    def __init__(self, connection: Connection, stacks: int) -> None:
        self._connection = connection
        self._stacks = stacks
        self._calls = Calls(connection)
        self._requests: queue.SimpleQueue[Mapping[str, Any] | None] = queue.SimpleQueue()
        self._agent: Any = None
        self._between_trials: NoTrial | None = None
        self._process = os.getpid()
        self._handlers: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "make": self._make,
            "prepare": self._prepare,
            "run": self._run,
        }

    def work(self) -> None:
        threading.Thread(target=self._receive, name="netbench messages", daemon=True).start()
        while (request := self._requests.get()) is not None:
            answer = self._handlers[request["method"]](request["params"])
            _flush()
            self._connection.send({"id": request["id"], **answer}, default=str)

    def _receive(self) -> None:
        try:
            while (messages := self._connection.receive()) is not None:
                for message in messages:
                    if "method" in message:
                        self._requests.put(message)
                    else:
                        self._calls.take(message)
        except (OSError, NotAMessage):
            pass
        self._requests.put(None)

    def _make(self, params: Mapping[str, Any]) -> dict[str, Any]:
        self._agent = None
        _surround(params["surroundings"])
        self._between_trials = NoTrial() if params["replays"] else None
        active_cassette.use_in_process(self._between_trials)
        shared = params["run_budget"]
        run_budget.use_in_process(None if shared is None else RunBudget(**{**shared, "path": Path(shared["path"])}))
        with Caught(BaseException) as caught:  # whatever an agent raises is its result
            self._agent = resolve_agent(params["spec"], rootdir=Path(params["rootdir"]))
            info = self._agent.info
            overrides = info.overrides.model_dump(mode="json", exclude_unset=True)
            result = {"info": info.model_dump(mode="json"), "overrides": overrides}
        if caught.error is None:
            return {"result": result}
        if isinstance(caught.error, NetbenchError):
            return {"error": error_object(caught.error)}
        return _raised(ending.read(caught.error, self._agent))

    def _prepare(self, params: Mapping[str, Any]) -> dict[str, Any]:
        del params
        with Caught(BaseException) as caught:  # whatever an agent raises is its result
            getattr(self._agent, "prepare", _nothing_to_load)()
        if caught.error is None:
            return {"result": {}}
        if isinstance(caught.error, InfrastructureError | InputError | RequirementMissing):
            return {"error": error_object(caught.error)}
        return _raised(ending.read(caught.error, self._agent))

    def _run(self, params: Mapping[str, Any]) -> dict[str, Any]:
        brief, trial = Brief.model_validate(params["brief"]), params["trial"]
        ani = AniApart(self._calls, trial)
        tape = self._tape(params["tape"], trial)
        active_cassette.use_in_process(tape or self._between_trials)
        os.ftruncate(self._stacks, 0)
        os.lseek(self._stacks, 0, os.SEEK_SET)
        if brief.budget.wall_s is not None:
            faulthandler.dump_traceback_later(brief.budget.wall_s + STACK_AFTER_S, file=self._stacks)
        try:
            with active_cassette.used(tape):
                return _handed_in(self._agent.run(brief, ani))
        except BaseException as error:  # noqa: BLE001  (whatever an agent raises is its result)
            raised = ending.read(error, self._agent)
            told = {"error": error_object(error)} if isinstance(error, NetbenchError) and raised.by_client else {}
            return {"result": {**_raised(raised)["result"], **told}}
        finally:
            if os.getpid() != self._process:
                os._exit(0)  # a copy of this process that the agent made and did not end
            faulthandler.cancel_dump_traceback_later()
            ani.close()
            active_cassette.use_in_process(self._between_trials)

    def _tape(self, told: Mapping[str, Any] | None, trial: int) -> RecordingApart | ReplayApart | None:
        if told is None:
            return None
        if told["pace"] is None:
            return RecordingApart(self._calls, trial)
        return ReplayApart(self._calls, trial, pace=told["pace"])


class _Forwarded(logging.Handler):
    """Sends log records to the process of the trial, which handles them as its own."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self._process = os.getpid()

    def emit(self, record: logging.LogRecord) -> None:
        if os.getpid() != self._process:
            return  # a copy of this process: its messages would mix with those of the agent
        try:
            text = record.getMessage()
            if record.exc_info:
                text = f"{text}\n{(self.formatter or logging.Formatter()).formatException(record.exc_info)}"
            told = {name: getattr(record, name) for name in ("name", "levelno", "pathname", "lineno", "funcName")}
            self._connection.send({"method": "log", "params": {**told, "text": text}}, default=str)
        except Exception:  # noqa: BLE001  (as all handlers do)
            self.handleError(record)


def _handed_in(answer: object) -> dict[str, Any]:
    if isinstance(answer, Submission):
        return {"result": {"submission": ending.checked(answer).model_dump(mode="json")}}
    return _raised(ending.no_submission(answer))


def _raised(raised: Raised) -> dict[str, Any]:
    return {"result": {"raised": raised.model_dump(mode="json")}}


def _surround(told: Mapping[str, Any]) -> None:
    """Take over what has changed in the process of the trial: variables, the working directory, the level of logs."""
    for name, value in told["variables"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if told["folder"] is not None:
        os.chdir(told["folder"])
    logging.getLogger().setLevel(told["log_level"])


def _flush() -> None:
    """Let all that was printed be where it is read before the answer is; also what C libraries hold."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # the agent has closed or replaced it
    ctypes.CDLL(None).fflush(None)


def _nothing_to_load() -> None:
    """Most agents have no ``prepare``."""
