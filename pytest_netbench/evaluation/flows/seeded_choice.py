"""Drawing by lot, equal on every machine and in every version of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from pytest_netbench.randomness import seeded

T = TypeVar("T")
_FLOAT = 1 << 48


class SeededChoice:
    """Draws from sequences.

    It uses ``random()`` alone, which Python guarantees to give the same numbers in all versions; ``shuffle`` and
    ``choice`` may change.
    """

    def __init__(self, seed: int) -> None:
        self._random = seeded(seed)

    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``; ``count`` may have more bits than a float."""
        if count < _FLOAT:
            return int(self._random.random() * count)
        number = 0
        for _ in range(count.bit_length() // _FLOAT.bit_length() + 1):
            number = number * _FLOAT + int(self._random.random() * _FLOAT)
        return number % count

    def chance(self, share: float) -> bool:
        """Whether an event of this probability happens."""
        return self._random.random() < share

    def one_of(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """All of them in random order."""
        result = list(items)
        for at in range(len(result) - 1, 0, -1):
            other = self.below(at + 1)
            result[at], result[other] = result[other], result[at]
        return result


def in_turns(sequences: Iterable[Iterator[T]]) -> Iterator[T]:
    """One of each in turn, until all have ended."""
    running = list(sequences)
    while running:
        for one in list(running):
            try:
                yield next(one)
            except StopIteration:
                running.remove(one)
