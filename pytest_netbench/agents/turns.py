"""Work in turns: each answer has commands to read and to change, and the next message says what came of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pytest_netbench.agents.prompting import Prompt, budget_words, packaged, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.agents.turn import read_turn
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, AniError
from pytest_netbench.model.trial import Brief

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
