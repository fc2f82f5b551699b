"""Cassettes of trials, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_netbench.agents.cassettes.question import Question
from pytest_netbench.agents.cassettes.tapes import Recording
from pytest_netbench.agents.completion import Completion, Message
from pytest_netbench.agents.settings import ModelSettings
from pytest_netbench.results.cassettes import CassetteDir
from tests.support.memory_trial import task_of

QUESTION: Sequence[Message] = [{"role": "user", "content": "?"}]


def keep_answers(
    folder: Path,
    *answers: str,
    agent: str = "own",
    name: str = "reach",
    asked: Sequence[Message] = QUESTION,
) -> Path:
    """Write the cassette of a trial in which ``openai/a`` was asked the same once for each answer.

    Args:
        folder: The directory of cassettes.
        answers: The texts.
        agent: The agent's id.
        name: The task's id in cassettes.
        asked: The messages.
    """
    recording = Recording()
    for text in answers:
        question = Question.of(
            model="openai/a",
            messages=asked,
            parameters=ModelSettings().request(),
            redaction=recording.redaction,
        )
        recording.keep(question, answer=Completion(text=text, duration_s=1.0))
    cassette = recording.cassette(agent=agent, task=name, task_digest=task_of().digest, trial=1, out_of_time=False)
    return CassetteDir(folder).save(cassette)
