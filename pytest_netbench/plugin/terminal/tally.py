"""What a run has done, is doing, and has left, in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pytest_netbench.text import clean

LONGEST: Final = 40
"""Characters of the name of an item."""


class Tally:
    """Counts the items of a run.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._planned: dict[str, None] = {}
        self._workers = 1
        self._known: Mapping[str, float] = {}
        self._running: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._failed: set[str] = set()
        self._cost_usd = 0.0
        self._tokens = 0

    def know_durations(self, seconds: Mapping[str, float]) -> None:
        """How long items took in earlier runs."""
        self._known = seconds

    def plan(self, node_ids: Sequence[str], *, workers: int) -> None:
        """What will run, on how many workers."""
        self._planned, self._workers = dict.fromkeys(node_ids), workers

    def start(self, node_id: str) -> None:
        """An item starts."""
        self._running[node_id] = self._clock()

    def fail(self, node_id: str) -> None:
        """An item has failed."""
        self._failed.add(node_id)

    def finish(self, node_id: str) -> None:
        """An item has ended."""
        began = self._running.pop(node_id, None)
        if began is not None:
            self._took[node_id] = self._clock() - began

    def spend(self, *, cost_usd: float | None, tokens: int) -> None:
        """A trial has used a model."""
        self._cost_usd += cost_usd or 0.0
        self._tokens += tokens

    def left_s(self) -> float | None:
        """About how long the rest takes; ``None`` if there is nothing to tell it from.

        Items take as long as in an earlier run, others as long as the mean of those that have ended. Items that run
        have the rest of that.
        """
        ended = list(self._took.values())
        if not ended and not any(one in self._known for one in self._planned):
            return None
        mean = sum(ended) / len(ended) if ended else sum(self._known.values()) / len(self._known)
        now = self._clock()
        running = [max(0.0, self._known.get(one, mean) - (now - began)) for one, began in self._running.items()]
        waiting = [
            self._known.get(one, mean) for one in self._planned if one not in self._took and one not in self._running
        ]
        longest = max(running, default=0.0)
        return max(longest, (sum(running) + sum(waiting)) / self._workers)

    def line(self, *, width: int) -> str:
        """The status, in at most ``width`` characters."""
        head = [f"{len(self._took)} of {len(self._planned)} done"]
        if self._failed:
            head.append(f"{len(self._failed)} failed")
        tail = self._tail()
        now = self._clock()
        oldest = sorted(self._running.items(), key=lambda one: one[1])
        items = [f"{_name(node_id)} {_time(now - began)}" for node_id, began in oldest]
        for count in range(len(items), -1, -1):
            more = len(items) - count
            shown = [*items[:count], *([f"{more} more running" if count else f"{more} running"] if more else [])]
            text = " · ".join([*head, *shown, *tail])
            if len(text) <= width:
                return text
        return " · ".join([*head, *tail])[:width]

    def _tail(self) -> list[str]:
        parts = [f"{_time(self._clock() - self._began)} so far"]
        left = self.left_s()
        if left is not None and left >= 1:  # else it takes longer than it was thought to
            parts.append(f"about {_time(left)} left")
        if self._cost_usd:
            parts.append(f"{self._cost_usd:.2f} USD")
        elif self._tokens:
            parts.append(f"{self._tokens} tokens")
        return parts


def _name(node_id: str) -> str:
    """The item as it is called in its file."""
    name = clean(node_id.rpartition("::")[2]).replace("\n", " ").replace("\t", " ")
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _time(seconds: float) -> str:
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
