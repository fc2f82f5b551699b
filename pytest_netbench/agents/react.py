"""React: reasoning and tool calls in turn, until the model says that it is done or its budget is used up."""

from __future__ import annotations

from typing import Any

from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.completion import Completion
from pytest_netbench.agents.condense import condense
from pytest_netbench.agents.dialogue import Dialogue
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.prompting import budget_words, digests, packaged, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.agents.toolcalls import Answer, Toolbox
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

IDLE_TURNS = 3


class React:
    """A model with tools.

    Args:
        file: Its agent file: name, model, settings.
    """

    def __init__(self, *, file: AgentFile) -> None:
        self._file = file
        self._llm = Llm(model=file.needed_model(), settings=file.settings, retries=file.retries, price=file.price)
        self._opening = Opening.of(file, system="react", question="react-question")
        self._nudge, self._condense = packaged("nudge"), packaged("condense")
        self.asks_at_the_end = False
        """Whether it asks its model for what it hands in, which may take longer than its time."""

    @property
    def info(self) -> AgentInfo:
        return self._file.info(prompts=digests((*self._opening.prompts, self._nudge, self._condense)))

    def prepare(self) -> None:
        """Load litellm, which takes seconds."""
        self._llm.prepare()

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Work until the model says that it is done, stops making progress, or has used up its budget.

        Raises:
            BudgetExhausted: With ``submission``: the reasoning so far.
            AgentError: With ``submission``, as above.
            ProviderError: The provider refused, or kept failing.
        """
        self.asks_at_the_end = False
        dialogue = Dialogue(llm=self._llm, brief=brief, ani=ani)
        reports = Reports(wanted=self._file.report_reachability, brief=brief, ani=ani)
        toolbox = Toolbox(methods=brief.methods, ani=ani, answer=brief.answer)
        try:
            dialogue.say("system", self._opening.system_text(brief))
            task = self._opening.task_text(brief, how="as `answer` of `task_done`")
            dialogue.say("user", paragraphs(task, reports.text()))
            stop_reason = self._work(dialogue, toolbox, reports, ani)
        except AgentError as error:
            stop_reason = f"budget: {error.limit}" if isinstance(error, BudgetExhausted) else "agent-error"
            error.submission = self._hand_in(dialogue, ani, stop_reason, toolbox.handed_in)
            raise
        return self._hand_in(dialogue, ani, stop_reason, toolbox.handed_in)

    def _work(self, dialogue: Dialogue, toolbox: Toolbox, reports: Reports, ani: Ani) -> str:
        options: dict[str, Any] = {"tools": toolbox.specs}
        if self._file.parallel_tool_calls is not None:
            options["parallel_tool_calls"] = self._file.parallel_tool_calls
        idle = 0
        while True:
            completion = dialogue.ask(**options)
            answers: list[Answer] = []
            for call in completion.tool_calls:
                answers.append(toolbox.answer(call))
                dialogue.messages.append(answers[-1].message())
            done = any(answer.done for answer in answers) or (_says_done(completion) and not toolbox.needs_answer)
            report = reports.text() if any(answer.changed for answer in answers) and not done else ""
            left = budget_words(ani.budget_left())
            if answers:
                said = dialogue.messages[-1]
                said["content"] = paragraphs(said["content"], report, f"Budget left: {left}.")
            if done:
                return "done"
            idle = 0 if any(answer.acted for answer in answers) else idle + 1
            if idle >= IDLE_TURNS:
                ani.note(f"stopped: {idle} turns in a row without a call to the network")
                return "no-progress"
            if not answers:
                dialogue.say("user", self._nudge.fill(why=_why(completion), budget=left))

    def _hand_in(self, dialogue: Dialogue, ani: Ani, stop_reason: str, answer: dict[str, Any] | None) -> Submission:
        self.asks_at_the_end = True
        reasoning = condense(dialogue, prompt=self._condense, ani=ani)
        return Submission(reasoning=reasoning, answer=answer, stop_reason=stop_reason, usage=dialogue.usage)


def _says_done(completion: Completion) -> bool:
    return not completion.tool_calls and "task done" in completion.text.lower()


def _why(completion: Completion) -> str:
    if completion.finish_reason == "length":
        return " (your answer was cut off at its longest permitted length)"
    return "" if completion.text.strip() else " (your answer was empty)"
