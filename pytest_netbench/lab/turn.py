"""One turn of a lab that stands still between them. It may be paused, and left by another thread than entered it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

Aside = Callable[[], AbstractContextManager[None]]
"""Enters what is to hold while time passes for which the agent waits."""


class TakesTurns(Protocol):
    """What gives turns, as ``turns.Turns``."""

    def take(self) -> bool: ...

    def give_back(self) -> None: ...

    def close(self, date: float) -> None: ...

    def lab_s(self) -> float: ...


class Turn:
    """A turn that is under way."""

    def __init__(self, turns: TakesTurns, aside: Aside, taken: Callable[[float], object]) -> None:
        self._turns, self._aside, self._taken = turns, aside, taken
        self._charge_s = self._began_s = 0.0
        self._stood = False

    def enter(self, charge_s: float) -> None:
        """Wait for its beginning."""
        self._stood = self._turns.take()
        self._charge_s, self._began_s = charge_s, self._turns.lab_s()

    def leave(self) -> None:
        """Run the lab forward to the charge, and let the next turn begin."""
        try:
            if self._stood:
                with self._aside():
                    self._turns.close(self._began_s + self._charge_s)
                self._taken(self._lab_s)
        finally:
            self._turns.give_back()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Let the lab stand still, and others have turns: the work waits for the agent."""
        self.leave()
        try:
            yield
        finally:
            self.enter(0.0)

    @property
    def _lab_s(self) -> float:
        return self._turns.lab_s() - self._began_s
