"""How well faulty networks are told from healthy ones, whatever the share of either."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """Counts of trials: ``found`` and ``missed`` of faulty networks, ``cleared`` and ``accused`` of healthy ones."""

    found: int
    missed: int
    cleared: int
    accused: int

    @classmethod
    def of(cls, trials: Iterable[tuple[bool, bool]]) -> Confusion:
        """Count trials, each given by whether the network was faulty and whether the answer was right."""
        every = list(trials)
        return cls(
            found=every.count((True, True)),
            missed=every.count((True, False)),
            cleared=every.count((False, True)),
            accused=every.count((False, False)),
        )

    @property
    def faulty(self) -> int:
        """Trials with a faulty network."""
        return self.found + self.missed

    @property
    def healthy(self) -> int:
        """Trials with a healthy network."""
        return self.cleared + self.accused

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of the shares that are right among faulty and among healthy networks; ``None`` without one of them."""
        if not self.faulty or not self.healthy:
            return None
        return (self.found / self.faulty + self.cleared / self.healthy) / 2

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation coefficient (1975), -1…1; ``None`` where a margin is empty, so that it is undefined."""
        margins = (
            self.found + self.accused,
            self.found + self.missed,
            self.cleared + self.accused,
            self.cleared + self.missed,
        )
        if not all(margins):
            return None
        return (self.found * self.cleared - self.accused * self.missed) / math.sqrt(math.prod(margins))
