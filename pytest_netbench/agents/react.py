"""React: reasoning and tool calls in turn, until the model says that it is done or its budget is used up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.cassettes.question import compared
from pytest_netbench.agents.completion import Completion, Message
from pytest_netbench.agents.dialogue import Dialogue
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.prompting import Prompt, budget_words, digests, packaged, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.agents.toolcalls import Answer, Toolbox
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, BudgetExhausted, ProviderError
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

_LONGEST_RESULT = 600
_LONGEST_LOG = 60_000


def condense(dialogue: Dialogue, *, prompt: Prompt, ani: Ani) -> str | None:
    """One coherent trace of what the model thought and did; ``None`` if it neither thought nor did anything.

    If the auxiliary completion fails, the model's own texts in order are the trace, and a note says so.
    """
    spoken = thoughts(dialogue.messages)
    log = log_of(dialogue.messages)
    if not log:
        return None
    try:
        # what is cut out of a long log depends on its length, so it is compared without volatile parts
        steady = log_of(list(compared(dialogue.messages)))
        text = dialogue.ask_aside(prompt.fill(log=log), compared=prompt.fill(log=steady)).text.strip()
        problem = "" if text else "it was empty"
    except (AgentError, ProviderError) as error:
        text, problem = "", str(error)
    if text:
        return text
    ani.note(f"the reasoning could not be condensed ({problem}); it is the model's own texts instead")
    return "\n\n".join(spoken) or None


def thoughts(messages: Sequence[Message]) -> list[str]:
    """What the model said, in order."""
    texts = [message["content"].strip() for message in messages if message["role"] == "assistant"]
    return [text for text in texts if text and text != "(empty answer)"]


def log_of(messages: Sequence[Message]) -> str:
    """The conversation as a readable log, shortened from its middle; empty if the model said and did nothing."""
    lines: list[str] = []
    active = False
    for message in messages:
        if message["role"] == "tool":
            lines.append(f"RESULT: {_short(message['content'], _LONGEST_RESULT)}")
        elif message["role"] == "assistant":
            said = thoughts([message])
            calls = [f"ACTION: {_call(call)}" for call in message.get("tool_calls", ())]
            active = active or bool(said or calls)
            lines += [f"THOUGHT: {text}" for text in said] + calls
        elif message["role"] == "user" and not lines:
            lines.append(f"ASKED: {message['content']}")
    return _short("\n\n".join(lines), _LONGEST_LOG) if active else ""


def _call(call: dict[str, dict[str, str]]) -> str:
    return f"{call['function']['name']} {call['function']['arguments']}"


def _short(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[… {len(text) - longest} characters …]\n{text[-half:]}"


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
