"""Random choices that are equal on every Python: only ``Random.random`` of a text seed, which Python guarantees."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A sequence of choices, determined by ``text``."""

    def __init__(self, text: str) -> None:
        self._random = Random(text)  # noqa: S311  (reproducible, not secret)

    def below(self, limit: int) -> int:
        """Return a number from 0 to ``limit - 1``."""
        return int(self._random.random() * limit)

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return ``items`` in a drawn order."""
        keyed = [(self._random.random(), place, item) for place, item in enumerate(items)]
        return [item for _, _, item in sorted(keyed, key=lambda one: one[:2])]
