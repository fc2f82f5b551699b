"""Work in turns: each answer has commands to read and to change, and the next message says what came of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_netbench.agents.answer import per_device, split
from pytest_netbench.agents.prompting import Prompt, budget_words, packaged, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, AniError
from pytest_netbench.model.trial import Brief

_KEYS = ("read", "change", "done")


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One answer.

    Attributes:
        reasoning: The text before the JSON object.
        read: Device to commands that only read.
        change: Device to configuration commands.
        done: Nothing follows.
    """

    reasoning: str = ""
    read: Mapping[str, list[str]] = field(default_factory=dict)
    change: Mapping[str, list[str]] = field(default_factory=dict)
    done: bool = False


def read_turn(text: str, devices: Collection[str]) -> Turn:
    """Read an answer. An object of devices alone is a change, and "task done" in words is an end.

    Raises:
        AgentError: It cannot be read; the message has the reason.
    """
    try:
        reasoning, value = split(text)
    except AgentError:
        if "task done" in text.lower():
            return Turn(reasoning=text.strip(), done=True)
        raise
    if value and set(value) <= set(devices):
        value = {"change": value}
    unknown = sorted(set(value) - set(_KEYS))
    if unknown or not value:
        what = f"has the unknown key {unknown[0]!r}" if unknown else "is empty"
        raise AgentError(f"the JSON object {what} (known: {', '.join(_KEYS)})")
    if not isinstance(value.get("done", False), bool):
        raise AgentError(f"'done' must be true or false, not {value['done']!r:.80}")
    return Turn(
        reasoning=reasoning,
        read=per_device(_mapping(value, "read"), devices),
        change=per_device(_mapping(value, "change"), devices),
        done=value.get("done", False),
    )


def _mapping(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key, {})
    if not isinstance(found, dict):
        raise AgentError(f"{key!r} must be a JSON object of devices, not {found!r:.80}")
    return found


LOST_TURNS: Final = 3
"""Answers in a row that cannot be read, or that ask for nothing."""


class _Outcome(NamedTuple):
    """What came of one answer. ``useful``: a command was run. ``problem``: why the answer cannot be read."""

    reasoning: str
    told: str = ""
    useful: bool = False
    done: bool = False
    problem: str = ""


class Turns:
    """Carries out the answers of one agent.

    Args:
        brief: The task.
        ani: The network.
        reports: On reachability, after each change.
    """

    def __init__(self, *, brief: Brief, ani: Ani, reports: Reports) -> None:
        self._brief = brief
        self._ani = ani
        self._reports = reports
        self._turn, self._unreadable = prompts()
        self.spoken: list[str] = []
        """The reasoning of each answer so far."""

    @property
    def reasoning(self) -> str | None:
        """The reasoning of all answers so far."""
        return "\n\n".join(filter(None, self.spoken)) or None

    def work(self, opening: str, ask: Callable[[str], str]) -> str:
        """Work until an answer says that it is done, or three in a row have no command.

        Args:
            opening: The first message.
            ask: Sends a message and returns the answer.

        Returns:
            ``done`` or ``no-progress``.

        Raises:
            AgentError: Several answers in a row are of no use, and the last one cannot be read.
        """
        lost, told = 0, opening
        while True:
            outcome = self._carried_out(ask(told))
            self.spoken.append(outcome.reasoning)
            if outcome.done:
                return "done"
            lost = 0 if outcome.useful else lost + 1
            if lost >= LOST_TURNS and outcome.problem:
                raise AgentError(
                    f"{lost} answers in a row were of no use; the last one cannot be read: {outcome.problem}"
                )
            if lost >= LOST_TURNS:
                self._ani.note(f"stopped: {lost} answers in a row without a command")
                return "no-progress"
            told = outcome.told

    def _carried_out(self, text: str) -> _Outcome:
        """Run the commands of an answer, those that read first."""
        ani = self._ani
        try:
            turn = read_turn(text, self._brief.devices)
        except AgentError as error:
            told = self._unreadable.fill(problem=str(error), budget=budget_words(ani.budget_left()))
            return _Outcome(reasoning=text.strip(), told=told, problem=str(error))
        results = [_read(device, command, ani) for device, commands in turn.read.items() for command in commands]
        results += [_change(device, commands, ani) for device, commands in turn.change.items() if commands]
        if turn.done:
            return _Outcome(reasoning=turn.reasoning, done=True)
        words = paragraphs(*(results or ["There was no command."]), self._reports.text() if turn.change else "")
        told = self._turn.fill(results=words, budget=budget_words(ani.budget_left()))
        return _Outcome(reasoning=turn.reasoning, told=told, useful=bool(results))


def prompts() -> tuple[Prompt, Prompt]:
    """What an agent is told after an answer: what came of it, or why it cannot be read."""
    return packaged("turn"), packaged("unreadable")


def _read(device: str, command: str, ani: Ani) -> str:
    try:
        shown = str(ani.execute_cmd(device, command)["output"]).strip("\n")
    except AniError as error:
        shown = f"(refused: {error})"
    return f"`{command}` on {device}:\n\n```\n{shown}\n```"


def _change(device: str, commands: list[str], ani: Ani) -> str:
    try:
        results = ani.update_cfg(device, commands)["results"]
    except AniError as error:
        return f"The commands on {device} were refused: {error}"
    return "\n".join(_status(device, result) for result in results)


def _status(device: str, result: dict[str, Any]) -> str:
    said = (result.get("message") or "").strip()
    return f"`{result['command'].strip()}` on {device}: {result['status']}{f': {said}' if said else ''}"
