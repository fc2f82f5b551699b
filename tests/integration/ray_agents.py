"""Agents of the tests on a Ray cluster. Each works in a process of its own, below a worker."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from pytest_netbench.agents import run_budget
from pytest_netbench.model.trial import AgentInfo, Submission


def worker() -> int:
    """The worker that this process is below; a keeper is between them."""
    pid = os.getpid()
    while not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::TrialWorker"):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


class Base:
    """An agent that notes each beginning in the folder that the environment names."""

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id=type(self).__name__.lower(), strategy="own")

    def _begin(self, brief: Any) -> Path:
        folder = Path(os.environ["RAY_TEST_FOLDER"])
        with (folder / "begun.txt").open("a") as file:
            file.write(f"{worker()}\n")
        return folder


class Waits(Base):
    """Works until the file ``go`` is there."""

    def run(self, brief: Any, ani: Any) -> Submission:
        folder = self._begin(brief)
        while not (folder / "go").exists():
            time.sleep(0.05)
        return Submission()


class Kills(Base):
    """Ends its worker if its task is the one that the file ``guilty`` names, as soon as another trial is in it, too."""

    def run(self, brief: Any, ani: Any) -> Submission:
        folder = self._begin(brief)
        while not (folder / "begun.txt").read_text().count("\n") > 1:
            time.sleep(0.05)
        if (folder / "guilty").read_text() in brief.task_name:
            os.kill(worker(), signal.SIGKILL)
        if (folder / "begun.txt").read_text().count("\n") == 2:
            time.sleep(600)  # the worker ends
        return Submission()


class Spends(Base):
    """Spends 10 tokens at a time until nothing is left, or forty times."""

    def run(self, brief: Any, ani: Any) -> Submission:
        folder = self._begin(brief)
        shared = run_budget.current()
        assert shared is not None
        for _ in range(40):
            if shared.used_up() is not None:
                break
            time.sleep(0.05)
            shared.spend(cost_usd=0.0, tokens=10)
            with (folder / "spent.txt").open("a") as file:
                file.write("10\n")
        return Submission()


class Tells(Base):
    """Says which variables it has."""

    def run(self, brief: Any, ani: Any) -> Submission:
        names = ("RAY_TEST_SENT", "RAY_TEST_KEPT")
        return Submission(reasoning=" ".join(f"{name}={os.environ.get(name)}" for name in names))
