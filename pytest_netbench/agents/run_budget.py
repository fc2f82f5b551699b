"""What all processes of a run may spend on models together, and have spent.

Each completion is a line in one file, appended in one write, so that processes share it without a lock. Where the file
is on another machine, a socket leads to it (``till``).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

from pytest_netbench.agents import till
from pytest_netbench.agents.scopes import Scoped
from pytest_netbench.errors import ResultsError

UNKNOWN: Final = "?"


class Spent(NamedTuple):
    """Sums over a run. ``cost_usd`` is of the completions whose price is known."""

    cost_usd: float
    tokens: int


@dataclass(frozen=True, kw_only=True)
class RunBudget:
    """The budget of a run.

    Args:
        path: The file.
        begins: Bytes of the file that are of earlier runs.
        started_at: When the run began, as a POSIX time stamp.
        most_cost_usd: US dollars at most; ``None`` for no limit, also below.
        most_tokens: Tokens of prompts and completions at most.
        most_s: Wall seconds after which nothing begins.
        socket: A socket on this machine behind which the file is, if it is on another one.
    """

    path: Path
    begins: int = 0
    started_at: float = 0.0
    most_cost_usd: float | None = None
    most_tokens: int | None = None
    most_s: float | None = None
    socket: str | None = None

    def spend(self, *, cost_usd: float | None, tokens: int) -> None:
        """Note a completion.

        Raises:
            ResultsError: It cannot be written.
        """
        line = f"{UNKNOWN if cost_usd is None else float(cost_usd)} {tokens} {uuid4().hex}"
        if self.socket is None:
            self.note(line)
        else:
            till.ask(self.socket, f"note {line}")

    def note(self, line: str) -> None:
        """Append a line of ``spend``. One that is noted twice counts once.

        Raises:
            ResultsError: It cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.write(descriptor, f"{line}\n".encode("ascii"))
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ResultsError(f"{self.path}: what was spent cannot be written: {error.strerror}") from error

    def spent(self) -> Spent:
        """What all processes have spent.

        Raises:
            ResultsError: What leads to the file is gone.
        """
        if self.socket is not None:
            cost, tokens = till.ask(self.socket, "spent").split(" ")
            return Spent(cost_usd=float(cost), tokens=int(tokens))
        try:
            with self.path.open("rb") as file:
                file.seek(self.begins)
                lines = file.read().decode("ascii", errors="replace").splitlines()
        except FileNotFoundError:
            lines = []
        fields = [line.split(" ") for line in dict.fromkeys(lines)]
        costs = [float(one[0]) for one in fields if one[0] != UNKNOWN]
        return Spent(cost_usd=sum(costs), tokens=sum(int(one[1]) for one in fields))

    def used_up(self) -> str | None:
        """The limit of what models may use that is reached, in words, if one is."""
        if self.most_cost_usd is None and self.most_tokens is None:
            return None
        spent = self.spent()
        if self.most_cost_usd is not None and spent.cost_usd >= self.most_cost_usd:
            return f"{self.most_cost_usd:g} USD"
        if self.most_tokens is not None and spent.tokens >= self.most_tokens:
            return f"{self.most_tokens} tokens"
        return None

    def closed(self, *, now: float | None = None) -> str | None:
        """The limit that is reached after which nothing begins, in words, if one is. ``now``: a POSIX time stamp."""
        if self.most_s is not None and (time.time() if now is None else now) - self.started_at >= self.most_s:
            return f"{self.most_s:g} s"
        return self.used_up()


_run_budget: Final = Scoped[RunBudget]("netbench-run-budget")


@contextmanager
def used(run_budget: RunBudget | None) -> Iterator[None]:
    """Let the models of this context spend from ``run_budget``; ``None``: from none.

    Trials that run side by side in one process, each in a thread of its own, spend from budgets of their own. A trial's
    agent has a copy of the trial's context.
    """
    with _run_budget.used(run_budget):
        yield


def use_in_process(run_budget: RunBudget | None) -> None:
    """Let all models of this process spend from ``run_budget``, also those in threads that an agent starts.

    Only for the process of an agent, which works for one run.
    """
    _run_budget.use_in_process(run_budget)


def current() -> RunBudget | None:
    """The budget of this context, else of this process, if its run has a budget."""
    return _run_budget.current()
