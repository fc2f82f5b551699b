"""Opening: what a model is told before it works: the system prompt, worked examples, and the task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.prompting import Prompt, answer_message, budget_words, from_file, packaged, task_message
from pytest_netbench.model.trial import Brief

_EXAMPLE = re.compile(r"^(?=## )", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Opening:
    """The first two messages of a conversation.

    Attributes:
        system: The system prompt for tasks with devices.
        question: The system prompt for tasks without devices.
        instructions: What the agent file adds to the system prompt.
        examples: Worked examples by family, or by family and platform, as in ``repair/kubernetes``.
        reports: Whether reports on reachability follow it.
    """

    system: Prompt
    question: Prompt
    instructions: Prompt | None
    examples: Mapping[str, Prompt]
    reports: bool = False

    @classmethod
    def of(cls, file: AgentFile, *, system: str, question: str) -> Opening:
        """Return what ``file`` says, and for the rest the packaged prompts of these names.

        Raises:
            AgentFileError: A prompt of the file cannot be read, or is empty.
        """
        return cls(
            system=from_file(system, file.prompt),
            question=from_file(question, file.prompt),
            instructions=None if file.instructions is None else from_file("instructions", file.instructions),
            examples={family: from_file(f"examples of {family}", path) for family, path in file.examples.items()},
            reports=file.report_reachability,
        )

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All prompts that it may use, for their digests."""
        added = () if self.instructions is None else (self.instructions,)
        names = ("task", "question", "answer", *(("examples",) if self.examples else ()))
        shared = (*names, *(("report",) if self.reports else ()))
        return (self.system, self.question, *added, *self.examples.values(), *map(packaged, shared))

    def system_text(self, brief: Brief) -> str:
        """The system prompt for a task."""
        text = self.system.text if brief.devices else self.question.text
        return text if self.instructions is None else f"{text.rstrip()}\n\n{self.instructions.text}"

    def task_text(self, brief: Brief, *, how: str) -> str:
        """The task, with the worked examples of its family before it.

        Args:
            brief: The task.
            how: How an answer is handed in, if the task asks for one.
        """
        template = packaged("task" if brief.devices else "question")
        task = task_message(template, brief, budget=budget_words(brief.budget.model_dump()))
        return self._examples_for(brief) + task + answer_message(packaged("answer"), brief, how=how)

    def _examples_for(self, brief: Brief) -> str:
        named = [*(f"{brief.family}/{platform}" for platform in sorted({*brief.devices.values()})), brief.family]
        prompt = next((self.examples[name] for name in named if name in self.examples), None)
        if prompt is None:
            return ""
        shown = [one.strip() for one in _EXAMPLE.split(prompt.text)[1:] if not _is_of(one, brief)]
        return packaged("examples").fill(examples="\n\n".join(shown)) + "\n" if shown else ""


def _is_of(example: str, brief: Brief) -> bool:
    """Whether an example is the task itself: then it would give the answer away."""
    words = " ".join(example.split())
    return all(" ".join(intent.split()) in words for intent in brief.intents)
