"""Agents in processes of their own, as trials know them, and the processes that a run keeps for them."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench.agents import ending, run_budget
from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.tapes import Replays
from pytest_netbench.agents.ending import EndedApart, Raised
from pytest_netbench.agents.worker.answering import Answering, refused
from pytest_netbench.agents.worker.messages import error_of
from pytest_netbench.agents.worker.process import AgentProcess, ProcessEnded
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

PREPARES_WITHIN_S: Final = 300.0
"""Wall seconds in which an agent is made, and prepared."""
_ENDED: Final = "the agent's process ended with "


class Processes:
    """The agents' processes of one pytest process: one for each agent, kept for many trials.

    Args:
        rootdir: Where agents are looked for.
    """

    def __init__(self, *, rootdir: Path) -> None:
        self._rootdir = rootdir
        self._kept: dict[str, AgentProcess] = {}
        self._told: dict[str, dict[str, str]] = {}
        self._trials = 0

    def agent(self, spec: str, *, name: str) -> AgentApart:
        """Let the process of ``spec`` make a new agent; it is not waited for.

        Args:
            spec: The value of ``--agent``.
            name: The agent's id in the run.
        """
        self._trials += 1
        return AgentApart(self, spec, name=name, trial=self._trials)

    def process(self, spec: str) -> tuple[AgentProcess, bool]:
        """The process of ``spec``, and whether it has just been started: one that has ended is started anew."""
        kept = self._kept.get(spec)
        if kept is not None and not kept.ended():
            return kept, False
        self.drop(spec)
        self._told[spec] = dict(os.environ)
        self._kept[spec] = AgentProcess()
        return self._kept[spec], True

    def making(self, spec: str) -> dict[str, Any]:
        """The parameters of the request ``make``."""
        shared = run_budget.current()
        plain = None if shared is None else {one.name: getattr(shared, one.name) for one in fields(shared)}
        return {
            "spec": spec,
            "rootdir": str(self._rootdir),
            "replays": active_cassette.replays(),
            "run_budget": None if plain is None else {**plain, "path": str(plain["path"])},
            "surroundings": self._surroundings(spec),
        }

    def drop(self, spec: str) -> None:
        """End the process of ``spec``, if there is one."""
        kept = self._kept.pop(spec, None)
        if kept is not None:
            kept.end()
            kept.close()

    def close(self) -> None:
        """End all processes."""
        for spec in tuple(self._kept):
            self._kept.pop(spec).close()

    def _surroundings(self, spec: str) -> dict[str, Any]:
        """What has changed in this process since the agent's was started or told last."""
        before, now = self._told[spec], dict(os.environ)
        self._told[spec] = now
        changed: dict[str, str | None] = {name: value for name, value in now.items() if before.get(name) != value}
        changed |= {name: None for name in before if name not in now}
        return {"variables": changed, "folder": str(Path.cwd()), "log_level": logging.getLogger().level}


class AgentApart:
    """An agent in a process of its own: its work there is a request of this process.

    Args:
        processes: Has the process.
        spec: The value of ``--agent``.
        name: Its id in the run.
        trial: Number of the trial in this pytest process.
    """

    def __init__(self, processes: Processes, spec: str, *, name: str, trial: int) -> None:
        self._processes = processes
        self._spec = spec
        self._trial = trial
        self._info: AgentInfo | None = None
        self._unmade = AgentInfo(id=name, strategy="own")
        self._failed: Raised | None = None
        self._process, self._is_new = processes.process(spec)
        self._making: int | None = self._make()

    @property
    def info(self) -> AgentInfo:
        """What the agent says of itself. An agent that could not be made fails when it is to work.

        Raises:
            InputError: It cannot be used as it is configured.
            RequirementMissing: It needs what this machine lacks.
        """
        if self._info is None:
            self._info = self._made()
        return self._info

    def prepare(self) -> None:
        """Let the agent load what it needs.

        Raises:
            NetbenchError: What it raised.
            EndedApart: Another error that it raised, or the end of its process.
        """
        self._refuse_if_failed()
        self._result(self._process.send("prepare", {}), None, within_s=PREPARES_WITHIN_S)

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Let the agent work.

        Raises:
            EndedApart: It raised an error, or its process ended.
        """
        self._refuse_if_failed()
        tape = active_cassette.current()
        told = None if tape is None else {"pace": tape.pace if isinstance(tape, Replays) else None}
        params = {"brief": brief.model_dump(mode="json"), "trial": self._trial, "tape": told}
        answering = Answering(ani, tape=tape, trial=self._trial)
        result = self._result(self._process.send("run", params), answering)
        try:
            return Submission.model_validate(result["submission"])
        except (KeyError, ValidationError):
            raise self._forged() from None

    def end_process(self) -> tuple[str, ...]:
        """End the process: the agent's time is over. Return the frames of the agent's code that was still busy."""
        self._process.end()
        return self._stack()

    def _make(self) -> int:
        return self._process.send("make", self._processes.making(self._spec))

    def _made(self) -> AgentInfo:
        assert self._making is not None
        try:
            result = self._result(self._making, None, within_s=PREPARES_WITHIN_S)
            overrides = AgentSettings.model_validate(result["overrides"])
            info: AgentInfo = AgentInfo.model_validate(result["info"]).model_copy(update={"overrides": overrides})
        except EndedApart as error:
            if error.raised.process is not None and not self._is_new:
                # a thread that an earlier trial left behind may have ended it meanwhile
                self._process, self._is_new = self._processes.process(self._spec)
                self._making = self._make()
                return self._made()
            self._failed = error.raised
            return self._unmade
        except (KeyError, ValidationError):
            self._failed = self._forged().raised
            return self._unmade
        return info

    def _result(self, number: int, answering: Answering | None, *, within_s: float | None = None) -> dict[str, Any]:
        answer = refused if answering is None else answering.answer
        try:
            message = self._process.answer_to(number, answer=answer, within_s=within_s)
        except ProcessEnded as error:
            raise self._ended(str(error)) from None
        except BaseException:
            self._process.end()  # whoever waited has gone: Ctrl-C
            raise
        if "error" in message:
            raise error_of(message["error"])
        result: dict[str, Any] = message["result"]
        if "raised" in result:
            raise self._raised(result)
        return result

    def _raised(self, result: Mapping[str, Any]) -> EndedApart:
        try:
            raised = Raised.model_validate(result["raised"]).model_copy(update={"process": None})
        except ValidationError:
            return self._forged()
        told = result.get("error")
        if not raised.by_client or not isinstance(told, dict):
            return EndedApart(raised.model_copy(update={"by_client": False}))
        return EndedApart(raised, client=error_of(told))

    def _ended(self, words: str) -> EndedApart:
        how = words.removeprefix(_ENDED) if words.startswith(_ENDED) else words
        return EndedApart(Raised(text=words, process=how, traceback=self._stack()))

    def _forged(self) -> EndedApart:
        self._process.end()
        words = "the agent's process sent an answer to the trial that cannot be read, and was ended"
        return EndedApart(Raised(text=words, process=words))

    def _stack(self) -> tuple[str, ...]:
        return ending.lines_of(self._process.stack())

    def _refuse_if_failed(self) -> None:
        _ = self.info
        if self._failed is not None:
            raise EndedApart(self._failed)
