"""The two sides of a cassette: a recording takes what a model answers, a replay gives it again."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

from pytest_netbench import __version__
from pytest_netbench.agents.cassettes.cassette import FORMAT, Cassette, Entry, Refusal, entry_of
from pytest_netbench.agents.cassettes.missing import explain
from pytest_netbench.agents.cassettes.question import Question, digest
from pytest_netbench.agents.cassettes.secrets import Redaction
from pytest_netbench.agents.completion import Completion, Message
from pytest_netbench.agents.failures import OutOfTime
from pytest_netbench.errors import CassetteMiss
from pytest_netbench.model.trial import Replayed


class Recording:
    """Takes the requests of one trial. May be used from several threads.

    Args:
        redaction: Removes secrets.
    """

    replayed: None = None
    """What results say of its answers: a model gave them."""

    def __init__(self, *, redaction: Redaction | None = None) -> None:
        self.redaction = redaction or Redaction()
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._tools: dict[str, tuple[dict[str, object], ...]] = {}
        self._before: tuple[Message, ...] = ()

    def keep(self, question: Question, *, answer: Completion | None = None, error: Exception | None = None) -> None:
        """Take a request and what came of it: an answer, or an error with which the agent may go on."""
        given = None if answer is None else self.redaction.value(answer.model_dump(mode="json"))
        refusal = None if error is None else Refusal.of(error)
        if refusal is not None:
            refusal = refusal.model_copy(update={"message": self.redaction.text(refusal.message)})
        with self._lock:
            entry = entry_of(
                question,
                self._before,
                answer=None if given is None else Completion.model_validate(given),
                refusal=refusal,
            )
            if question.tools:
                self._tools.setdefault(digest(list(question.tools)), question.tools)
            self._entries.append(entry)
            self._before = question.messages

    def cassette(self, *, agent: str, task: str, task_digest: str, trial: int, out_of_time: bool) -> Cassette:
        """What was recorded, with the trial that it belongs to."""
        with self._lock:
            return Cassette(
                format=FORMAT,
                netbench=__version__,
                recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
                agent=agent,
                task=task,
                task_digest=task_digest,
                trial=trial,
                out_of_time=out_of_time,
                tools=dict(self._tools),
                entries=tuple(self._entries),
            )

    @property
    def requests(self) -> int:
        """How many requests were taken."""
        return len(self._entries)


class Replay:
    """Gives the answers of one trial again. May be used from several threads.

    Equal requests are given their answers in the order of the recording, each once.

    Args:
        cassette: What was recorded.
        where: Names the cassette in messages.
        task_digest: Digest of the task as it is now.
        pace: How long an answer takes, as a multiple of what the model took.

    Raises:
        ValueError: The cassette contradicts itself.
    """

    def __init__(self, cassette: Cassette, *, where: str, task_digest: str, pace: float = 1.0) -> None:
        self.redaction = Redaction()
        self.cassette = cassette
        self.pace = pace
        self.missed: CassetteMiss | None = None
        self.where = where
        self._task_changed = cassette.task_digest != task_digest
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        self._known: list[Question] = []
        self._entries: dict[str, list[Entry]] = {}
        for question, entry in cassette.questions():
            self._known.append(question)
            self._entries.setdefault(question.digest, []).append(entry)

    def entry(self, question: Question) -> Entry | CassetteMiss | OutOfTime:
        """The entry of a request, or the error to raise if there is none."""
        key = question.digest
        with self._lock:
            number = self._asked[key]
            recorded = self._entries.get(key, [])
            if number < len(recorded):
                self._asked[key] += 1
                return recorded[number]
            if self.cassette.out_of_time and self._asked.total() == len(self._known):
                return OutOfTime("the wall time of the recorded trial ended here")
            self.missed = self.missed or self._miss(question, len(recorded))
            return self.missed

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return self._asked.total()

    @property
    def replayed(self) -> Replayed:
        """What results say of its answers."""
        return Replayed(
            cassette=self.where,
            recorded_at=self.cassette.recorded_at,
            requests=self.requests,
            recorded=len(self.cassette.entries),
        )

    def _miss(self, question: Question, times: int) -> CassetteMiss:
        changed = " The task has been changed since." if self._task_changed else ""
        return CassetteMiss(
            f"{self.where} has no answer to request {self._asked.total() + 1} of the agent to {question.model}; this"
            f" trial is not scored.{changed} Record it again with --netbench-record, or undo the change. In detail,"
            f" {explain(question, self._known, times=times)}"
        )


class NoTrial:
    """Gives no answer: a run replays, and none of its trials is under way."""

    pace: float = 0.0

    def __init__(self) -> None:
        self.redaction = Redaction()

    def entry(self, question: Question) -> CassetteMiss:  # as a replay's
        """The error to raise."""
        return CassetteMiss("no trial is under way, and a replay asks no model")


@runtime_checkable
class Replays(Protocol):
    """What the model client asks of a replay."""

    redaction: Redaction
    pace: float

    def entry(self, question: Question) -> Entry | CassetteMiss | OutOfTime: ...


class Records(Protocol):
    """What the model client asks of a recording."""

    redaction: Redaction

    def keep(self, question: Question, *, answer: Completion | None = None, error: Exception | None = None) -> None: ...


Tape = Records | Replays
