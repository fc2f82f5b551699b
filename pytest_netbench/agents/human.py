"""The agent ``human``: shows the task at the terminal and waits for a person who does it."""

from __future__ import annotations

import json
import os
import select
import time
from pathlib import Path
from typing import Final

from pytest_netbench.agents.external.interactive import Attendance, Attended, login_text
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, BudgetExhausted, UsageError
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.text import clean

_LOOK_S: Final = 0.2


class Human:
    """A person at this process's terminal. Devices answer with SSH."""

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(
            id="human", strategy="human", overrides=AgentSettings(access="ssh"), settings={"access": "ssh"}
        )

    @staticmethod
    def check() -> None:
        """Check that there is a terminal, before devices are given one.

        Raises:
            UsageError: There is none.
        """
        os.close(_terminal())

    def prepare(self) -> None:
        """Check that the terminal is not shared.

        Raises:
            UsageError: This is one of several workers.
        """
        if "PYTEST_XDIST_WORKER" in os.environ:
            raise UsageError("--agent=human asks at the terminal, which workers would share: run it without -n")

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Show the task and wait until the person is done or the time is up."""
        terminal = Terminal(_terminal())
        try:
            return Attended("human", terminal.attend).run(brief, ani)
        finally:
            terminal.close()


class Terminal:
    """A person at a terminal.

    Args:
        descriptor: Of the terminal.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Close the terminal."""
        os.close(self._descriptor)

    def attend(self, at: Attendance) -> None:
        """Show the task, wait until the person is done, and ask for what is handed in.

        Raises:
            BudgetExhausted: The time is up.
        """
        self._say(f"\n\n{at.desk.get_brief({})['text']}\n\n{login_text(at.brief, at.socket)}\n")
        while True:
            self._say("\nPress Enter when you are done. ")
            if self._line(at) is None or at.desk.submission is not None:
                return
            given: dict[str, object] = {
                "reasoning": self._asked(at, "What did you find and do, and why? (one line) ") or None
            }
            if at.brief.answer is not None:
                given |= self._answer(at)
            try:
                at.desk.task_done(given)
            except AniError as error:
                self._say(f"{error}\n")
                continue
            return

    def _answer(self, at: Attendance) -> dict[str, object]:
        text = self._asked(at, "The answer, as JSON in one line, or the path of a file with it: ")
        try:
            place = Path(text).expanduser()
            return {"answer": json.loads(text if text.lstrip().startswith("{") else place.read_text(encoding="utf-8"))}
        except (OSError, ValueError) as error:
            self._say(f"This is no JSON, and no file with JSON: {error}\n")
            return {}

    def _asked(self, at: Attendance, question: str) -> str:
        self._say(question)
        return self._line(at) or ""

    def _line(self, at: Attendance) -> str | None:
        """One line; ``None`` if something was handed in over the socket meanwhile, or the terminal is gone."""
        until = time.monotonic() + left if (left := at.ani.budget_left()["wall_s"]) is not None else None
        while at.desk.submission is None:
            if until is not None and time.monotonic() > until:
                self._say("\nThe time is up.\n")
                raise BudgetExhausted("wall_s", at.brief.budget.wall_s or 0.0)
            if select.select([self._descriptor], [], [], _LOOK_S)[0]:
                read = os.read(self._descriptor, 65536)
                return read.decode(errors="replace").rstrip("\n") if read else None
        return None

    def _say(self, text: str) -> None:
        os.write(self._descriptor, clean(text).encode(errors="replace"))


def _terminal() -> int:
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        raise UsageError("--agent=human needs a terminal; without one, see netbench lab and netbench serve") from None
