"""SingleTurn: shows the model the whole network, takes one answer, and applies its commands."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.answer import read_answer, read_with_answer
from pytest_netbench.agents.dialogue import Dialogue
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.prompting import digests, packaged, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, AniError, BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Brief, Submission


class SingleTurn:
    """A model that answers once.

    Args:
        file: Its agent file: name, model, settings.
    """

    def __init__(self, *, file: AgentFile) -> None:
        self._file = file
        self._llm = Llm(model=file.needed_model(), settings=file.settings, retries=file.retries, price=file.price)
        self._opening = opening_of(file)
        self._state = packaged("state")

    @property
    def info(self) -> AgentInfo:
        return self._file.info(prompts=digests((*self._opening.prompts, self._state)))

    def prepare(self) -> None:
        """Load litellm, which takes seconds."""
        self._llm.prepare()

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Ask once and apply the answer.

        Raises:
            BudgetExhausted: The budget did not suffice; with ``submission`` once the model has answered.
            AgentError: The answer cannot be read, or names an unknown device; with ``submission``.
            ProviderError: The provider refused, or kept failing.
        """
        dialogue = Dialogue(llm=self._llm, brief=brief, ani=ani)
        reasoning: str | None = None
        answer: dict[str, Any] | None = None
        try:
            reports = Reports(wanted=self._file.report_reachability, brief=brief, ani=ani)
            dialogue.say("system", self._opening.system_text(brief))
            dialogue.say("user", paragraphs(question(self._opening, brief, ani), reports.text()))
            text = dialogue.ask().text
            reasoning = text.strip() or None
            if brief.answer is None:
                explained, commands = read_answer(text, brief.devices)
            else:
                explained, commands, answer = read_with_answer(text, brief.devices)
            reasoning = explained or None
            for device, lines in commands.items():
                _apply(device, lines, ani, managed=brief.control.get(device, "managed") == "managed")
        except AgentError as error:
            stop_reason = f"budget: {error.limit}" if isinstance(error, BudgetExhausted) else "agent-error"
            error.submission = Submission(reasoning=reasoning, stop_reason=stop_reason, usage=dialogue.usage)
            raise
        return Submission(reasoning=reasoning, answer=answer, usage=dialogue.usage)


def opening_of(file: AgentFile) -> Opening:
    """What the model is told before it works.

    Raises:
        AgentFileError: A prompt of the file cannot be read, or is empty.
    """
    return Opening.of(file, system="single-turn", question="single-turn-question")


def question(opening: Opening, brief: Brief, ani: Ani, *, without: Collection[str] = ()) -> str:
    """What the model is asked: its task, and the network as it is now.

    Args:
        opening: Has the words of the task.
        brief: The task.
        ani: Shows the network.
        without: Devices whose running config is not shown, beside those that are foreign.

    Raises:
        BudgetExhausted: The budget does not suffice to look at the network.
    """
    task = opening.task_text(brief, how="under the key `answer` of your JSON object")
    if not brief.devices:
        return task
    topology = ani.get_topology()["topology"]
    configs = [
        f"Running configuration of {device}:\n\n```\n{_running(device, ani)}\n```"
        for device in brief.devices
        if brief.control.get(device) != "foreign" and device not in without
    ]
    return packaged("state").fill(task=task, topology=json.dumps(topology, indent=1), configs="\n\n".join(configs))


def _running(device: str, ani: Ani) -> str:
    try:
        return str(ani.get_running_cfg(device)["running_config"]).strip("\n")
    except AniError as error:
        return f"(cannot be read: {error})"


def _apply(device: str, lines: list[str], ani: Ani, *, managed: bool) -> None:
    if not lines:
        return
    try:
        ani.update_cfg(device, lines)
    except AniError as error:
        if not managed:
            return  # the refusal is in the trace, and the network is judged without these lines
        raise AgentError(f"the answer's commands for {device!r} were refused: {error}") from error
