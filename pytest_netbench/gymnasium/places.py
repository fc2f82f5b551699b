"""A place of a vector environment: which draw its seat plays, and what was heard of it last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench.errors import InfrastructureError
from pytest_netbench.gymnasium.seats import Seat

ATTEMPTS: Final = 3
"""Episodes in a row that may break at their reset before that is an error."""


class Heard(NamedTuple):
    """What came of a request, as Gymnasium's ``step`` has it."""

    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    info: Mapping[str, Any] = {}


class Place:
    """One of the episodes that run at once.

    Each ``reset`` of the seat is told its seed and index, so a seat that was replaced goes on with the next draw.

    Args:
        seat: Who plays.
        drawn: Whether the tasks are draws of a series.

    Attributes:
        text: The last observation.
        heard: What came of the last request.
        begun: Whether an episode was ever begun.
        over: Whether the next request begins an episode.
    """

    def __init__(self, seat: Seat, *, drawn: bool) -> None:
        self.seat = seat
        self.text = ""
        self.heard = Heard()
        self.begun = False
        self.over = True
        self._drawn = drawn
        self._seed: int | None = None
        self._index = 0
        self._starting = False
        self._broken = 0

    def go_to(self, seed: int | None, index: int | None) -> None:
        """Go to another series, if ``seed`` is given, or to a place in it."""
        if seed is not None:
            self._seed, self._index = seed, 0
        if index is not None:
            self._index = index

    def ask(self, action: str | None) -> None:
        """Ask for ``action``, or for the next episode if this one is over or ``action`` is ``None``."""
        self._starting = self.over or action is None
        if not self._starting:
            self.seat.ask("step", action)
            return
        self.begun, self.over = True, True
        options = {"index": self._index} if self._drawn else {}
        self._index += 1
        self.seat.ask("reset", {"seed": self._seed, "options": options})

    def hear(self) -> Exception | None:
        """Wait for what comes of it. Return an error that the caller of the vector must handle."""
        kind, value = self.seat.answer()
        if kind == "done":
            self._take(value)
            return None
        self.over = True
        if kind == "failed":
            error: Exception = value
            return error
        self.heard = Heard(truncated=True, info={"status": "error", "error": value})
        self._broken += self._starting
        if self._broken < ATTEMPTS:
            return None
        self._broken = 0
        return InfrastructureError(f"{ATTEMPTS} episodes in a row could not be set up: {value}")

    def abandon(self) -> None:
        """Drop the episode and its process."""
        self.seat.abandon()
        self.over = True

    def _take(self, value: tuple[Any, ...]) -> None:
        if self._starting:
            self.text, info = value
            self.heard = Heard(info=info)
            self._broken = 0
        else:
            self.text, *rest = value
            self.heard = Heard(*rest)
        self.over = self.heard.terminated or self.heard.truncated
