"""Means over what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Mean:
    """``value`` is ``None`` if nothing was measured; ``measured`` of ``total`` values went into it."""

    value: float | None
    measured: int
    total: int


def mean(values: Iterable[float | None]) -> Mean:
    """The arithmetic mean of those that are not ``None``: what was not measured is neither zero nor anything else."""
    every = list(values)
    measured = [value for value in every if value is not None]
    value = math.fsum(measured) / len(measured) if measured else None
    return Mean(value=value, measured=len(measured), total=len(every))
