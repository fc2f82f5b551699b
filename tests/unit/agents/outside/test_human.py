"""A person at a terminal: what is asked, and what becomes of each answer."""

from __future__ import annotations

import os
import threading
import time

import pytest

from pytest_netbench.agents.external.interactive import Attended
from pytest_netbench.agents.human import Terminal
from pytest_netbench.errors import BudgetExhausted
from pytest_netbench.model.task import Budget
from tests.support.memory_ani import MemoryAni, brief_of

ANSWER = {"type": "object", "properties": {"fault": {"type": "string"}}, "required": ["fault"]}


class Person:
    """Types lines when it reads their cues."""

    def __init__(self, *said: tuple[str, str]) -> None:
        self._master, self.terminal = os.openpty()
        self._said = list(said)
        self.seen = ""
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        read = 0
        while True:
            try:
                self.seen += os.read(self._master, 65536).decode()
            except OSError:
                return
            while self._said and self._said[0][0] in self.seen[read:]:
                cue, line = self._said.pop(0)
                read = self.seen.index(cue, read) + len(cue)
                os.write(self._master, line.encode() + b"\n")

    def work(self, brief, ani):
        try:
            return Attended("human", Terminal(self.terminal).attend).run(brief, ani)
        finally:
            time.sleep(0.1)
            os.close(self.terminal)


@pytest.fixture
def ani():
    return MemoryAni({"R1": []})


def test_the_task_is_shown_and_a_line_is_handed_in(ani):
    person = Person(("when you are done", ""), ("and why?", "I looked"))
    assert person.work(brief_of(ani), ani).reasoning == "I looked"
    assert "R1 reaches 192.0.2.0/24 by R2" in person.seen
    assert "netbench mcp /" in person.seen


def test_an_answer_is_asked_for_until_it_is_one(ani, tmp_path):
    kept = tmp_path / "answer.json"
    kept.write_text('{"fault": "cable"}')
    person = Person(
        ("when you are done", ""),
        ("and why?", "one"),
        ("as JSON", "nonsense"),
        ("when you are done", ""),
        ("and why?", "two"),
        ("as JSON", "{}"),
        ("when you are done", ""),
        ("and why?", "three"),
        ("as JSON", str(kept)),
    )
    submission = person.work(brief_of(ani).model_copy(update={"answer": ANSWER}), ani)
    assert (submission.reasoning, submission.answer) == ("three", {"fault": "cable"})
    assert "This is no JSON, and no file with JSON" in person.seen
    assert "the answer lacks 'fault'" in person.seen


def test_the_time_of_a_person_is_limited_too():
    budget = Budget(wall_s=0.5)
    ani = MemoryAni({"R1": []}, budget=budget)
    person = Person()
    with pytest.raises(BudgetExhausted):
        person.work(brief_of(ani, budget=budget), ani)
    assert "The time is up." in person.seen


def test_what_the_task_says_cannot_control_the_terminal(ani):
    person = Person(("when you are done", ""), ("and why?", ""))
    person.work(brief_of(ani).model_copy(update={"intents": ("beep \x07 and \x1b[2J",)}), ani)
    assert "\x1b" not in person.seen
    assert r"\x1b[2J" in person.seen
