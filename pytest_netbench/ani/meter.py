"""Counts an agent's use of its budget and detects when it is used up. Thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import BudgetUsed
from pytest_netbench.rpccodes import Code

LONGEST_REQUEST_S = 300.0
OVERTIME_S = 2.0


class Meter:
    """A budget and its use.

    The request that would exceed a limit raises ``BudgetExhausted``, and so does every later one.

    Args:
        budget: The limits; ``None`` in one of them means no limit.
        clock: Wall seconds, monotonic.
    """

    def __init__(self, budget: Budget, *, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._lock = threading.Lock()
        self._began: float | None = None
        self._ended: float | None = None
        self._pauses = 0
        self._paused_at = 0.0
        self._waited_s = 0.0
        self._calls = self._commands = self._tokens = 0
        self._lab_s: float | None = None
        self._exhausted: BudgetExhausted | None = None
        self._under_way = 0
        self._answered_at: float | None = None

    def start(self) -> None:
        """Start the clock; it starts once."""
        with self._lock:
            if self._began is None:
                self._began = self._paused_at = self._clock()

    def stop(self) -> None:
        """Stop the clock."""
        with self._lock:
            if self._ended is None:
                self._ended = self._clock()

    @property
    def elapsed_s(self) -> float:
        """Wall seconds since the start, until the stop, without pauses."""
        if self._began is None:
            return 0.0
        ended = self._clock() if self._ended is None else self._ended
        return max(0.0, ended - self._began - self.waited_s)

    @property
    def waited_s(self) -> float:
        """Wall seconds of all pauses so far."""
        return self._waited_s + (self._now() - self._paused_at if self._pauses else 0.0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the clock stand still: the agent waits for the evaluation."""
        with self._lock:
            self._pauses += 1
            if self._pauses == 1:
                self._paused_at = self._now()
        try:
            yield
        finally:
            with self._lock:
                if self._pauses == 1:
                    self._waited_s += self._now() - self._paused_at
                self._pauses -= 1

    def _now(self) -> float:
        """The time on the clock, which does not go on behind the stop; a pause before the start has no length."""
        if self._began is None:
            return 0.0
        return self._clock() if self._ended is None else self._ended

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Around the work for one request. Requests after ``BudgetExhausted`` was raised do not count."""
        counts = self._exhausted is None
        with self._lock:
            self._under_way += counts
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= counts
                if counts:
                    self._answered_at = self._clock()

    @property
    def quiet_s(self) -> float | None:
        """Wall seconds since the last answer, 0 while a request is under way; ``None`` if there was none."""
        with self._lock:
            if self._under_way:
                return 0.0
            return None if self._answered_at is None else self._clock() - self._answered_at

    @property
    def exhausted(self) -> bool:
        """Whether ``BudgetExhausted`` was raised."""
        return self._exhausted is not None

    def charge_call(self) -> None:
        """Count one request."""
        with self._lock:
            self._check()
            if self._budget.calls is not None and self._calls >= self._budget.calls:
                self._exhaust("calls", self._budget.calls)
            self._calls += 1

    def check(self) -> None:
        """Raise ``BudgetExhausted`` if the budget is used up or the time is over."""
        with self._lock:
            self._check()

    def charge_commands(self, count: int) -> None:
        """Count commands before they run: all of them or none.

        Raises:
            AniError: Fewer are left than asked for; none is counted.
            BudgetExhausted: None is left.
        """
        with self._lock:
            allowed = self._budget.commands
            if allowed is not None and count > (left := allowed - self._commands):
                if left <= 0:
                    self._exhaust("commands", allowed)
                raise AniError(
                    f"{count} commands are more than the {left} left of {allowed}; nothing was applied, send at most"
                    f" {left}",
                    code=Code.POLICY_DENIED,
                )
            self._commands += count

    def charge_tokens(self, count: int) -> None:
        """Count tokens that were spent. A count of 0 is never refused."""
        with self._lock:
            self._tokens += count
            if count == 0:
                return
            self._check()
            if self._budget.tokens is not None and self._tokens > self._budget.tokens:
                self._exhaust("tokens", self._budget.tokens)

    def charge_lab(self, lab_s: float) -> None:
        """Count lab seconds that a request took. Once all are used, the next request is refused."""
        with self._lock:
            self._lab_s = (self._lab_s or 0.0) + lab_s

    def check_lab(self, lab_s: float) -> None:
        """Raise ``AniError`` if fewer lab seconds are left than a request would take."""
        left = self.left()["lab_s"]
        if left is not None and lab_s > left:
            raise AniError(
                f"{lab_s:g} seconds of the network's time are more than the {left:g} left", code=Code.POLICY_DENIED
            )

    def used(self) -> BudgetUsed:
        """What was used so far."""
        with self._lock:
            return BudgetUsed(
                calls=self._calls,
                commands=self._commands,
                wall_s=round(self.elapsed_s, 6),
                tokens=self._tokens,
                lab_s=None if self._lab_s is None else round(self._lab_s, 3),
            )

    def left(self) -> dict[str, float | None]:
        """What is left of calls, commands, wall_s, tokens and lab_s, never below 0; ``None`` means unlimited."""
        used = self.used()
        return {
            name: None
            if (allowed := getattr(self._budget, name)) is None
            else max(0, allowed - (getattr(used, name) or 0))
            for name in ("calls", "commands", "wall_s", "tokens", "lab_s")
        }

    def _check(self) -> None:
        if self._exhausted is not None:
            raise BudgetExhausted(self._exhausted.limit, self._exhausted.allowed)
        if self._budget.wall_s is not None and self.elapsed_s >= self._budget.wall_s:
            self._exhaust("wall_s", self._budget.wall_s)
        if self._budget.lab_s is not None and (self._lab_s or 0.0) >= self._budget.lab_s:
            self._exhaust("lab_s", self._budget.lab_s)

    def _exhaust(self, limit: str, allowed: float) -> None:
        self._exhausted = BudgetExhausted(limit, allowed)
        raise self._exhausted


def longest_s(wall_s: float | None) -> float:
    """Return how long one request may take if ``wall_s`` are left of the budget: those and a little more."""
    return LONGEST_REQUEST_S if wall_s is None else min(LONGEST_REQUEST_S, wall_s + OVERTIME_S)
