"""The dates on which networks begin: each task has one, the same on every machine and in every year."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Final

from pytest_netbench.model.task import Task

FIRST: Final = datetime(2025, 1, 1, tzinfo=UTC)
"""The first date that a network can begin on."""
LAST: Final = datetime(2027, 12, 31, tzinfo=UTC)
"""No network begins then or later. Time ranges and lifetimes of keys in tasks lie around both, or far from them."""


def first(task: Task) -> float:
    """Return the date on which the network of a task begins, in whole seconds since 1970.

    Tasks of one name and seed have one date, whatever else of them changes.
    """
    seed = task.seed if task.drawn is None else f"{task.drawn.seed} {task.drawn.index}"
    drawn = hashlib.sha256(f"{task.slug} {seed}".encode()).digest()
    seconds = int((LAST - FIRST).total_seconds())
    return FIRST.timestamp() + int.from_bytes(drawn[:8], "big") % seconds
