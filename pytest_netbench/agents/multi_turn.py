"""MultiTurn: a model without tools that answers in turns and is told each time what its commands did."""

from __future__ import annotations

from typing import Any, NamedTuple

from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.dialogue import Dialogue
from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.opening import Opening
from pytest_netbench.agents.prompting import budget_words, digests, packaged, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.agents.turn import read_turn
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, AniError, BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

LOST_TURNS = 3
"""Answers in a row that cannot be read, or that ask for nothing."""


class _Outcome(NamedTuple):
    """What came of one answer. ``useful``: a command was run. ``problem``: why the answer cannot be read."""

    reasoning: str
    told: str = ""
    useful: bool = False
    done: bool = False
    problem: str = ""


class MultiTurn:
    """A model that answers in turns. A task without devices has nothing to try, so it gets one answer.

    Args:
        file: Its agent file: name, model, settings.
    """

    def __init__(self, *, file: AgentFile) -> None:
        self._file = file
        self._llm = Llm(model=file.needed_model(), settings=file.settings, retries=file.retries, price=file.price)
        self._opening = Opening.of(file, system="multi-turn", question="single-turn-question")
        self._once = SingleTurn(file=file)
        self._turn, self._unreadable = packaged("turn"), packaged("unreadable")

    @property
    def info(self) -> AgentInfo:
        return self._file.info(prompts=digests((*self._opening.prompts, self._turn, self._unreadable)))

    def prepare(self) -> None:
        """Load litellm, which takes seconds."""
        self._llm.prepare()

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Work until the model says that it is done, or has used up its budget.

        Raises:
            BudgetExhausted: With ``submission``: the reasoning so far.
            AgentError: Several answers in a row cannot be read, or the model cannot be asked; with ``submission``.
            ProviderError: The provider refused, or kept failing.
        """
        if not brief.devices:
            return self._once.run(brief, ani)
        dialogue = Dialogue(llm=self._llm, brief=brief, ani=ani)
        spoken: list[str] = []

        def submission(stop_reason: str) -> Submission:
            reasoning = "\n\n".join(filter(None, spoken)) or None
            return Submission(reasoning=reasoning, stop_reason=stop_reason, usage=dialogue.usage)

        try:
            return submission(self._work(dialogue, brief, ani, spoken))
        except AgentError as error:
            reason = f"budget: {error.limit}" if isinstance(error, BudgetExhausted) else "agent-error"
            error.submission = submission(reason)
            raise

    def _work(self, dialogue: Dialogue, brief: Brief, ani: Ani, spoken: list[str]) -> str:
        reports = Reports(wanted=self._file.report_reachability, brief=brief, ani=ani)
        dialogue.say("system", self._opening.system_text(brief))
        dialogue.say("user", paragraphs(self._opening.task_text(brief, how=""), reports.text()))
        lost = 0
        while True:
            outcome = self._carried_out(dialogue.ask().text, brief, ani, reports)
            spoken.append(outcome.reasoning)
            if outcome.done:
                return "done"
            lost = 0 if outcome.useful else lost + 1
            if lost >= LOST_TURNS and outcome.problem:
                raise AgentError(
                    f"{lost} answers in a row were of no use; the last one cannot be read: {outcome.problem}"
                )
            if lost >= LOST_TURNS:
                ani.note(f"stopped: {lost} answers in a row without a command")
                return "no-progress"
            dialogue.say("user", outcome.told)

    def _carried_out(self, text: str, brief: Brief, ani: Ani, reports: Reports) -> _Outcome:
        """Run the commands of an answer, those that read first."""
        try:
            turn = read_turn(text, brief.devices)
        except AgentError as error:
            told = self._unreadable.fill(problem=str(error), budget=budget_words(ani.budget_left()))
            return _Outcome(reasoning=text.strip(), told=told, problem=str(error))
        results = [_read(device, command, ani) for device, commands in turn.read.items() for command in commands]
        results += [_change(device, commands, ani) for device, commands in turn.change.items() if commands]
        if turn.done:
            return _Outcome(reasoning=turn.reasoning, done=True)
        words = paragraphs(*(results or ["There was no command."]), reports.text() if turn.change else "")
        told = self._turn.fill(results=words, budget=budget_words(ani.budget_left()))
        return _Outcome(reasoning=turn.reasoning, told=told, useful=bool(results))


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
