"""Which draws of a series have nothing wrong in them."""

from __future__ import annotations

from typing import Final

from pytest_netbench.generators.randomness import random_of

HEALTHY: Final = "healthy"
"""Their label."""
_IN_A_ROW: Final = 10
"""The share of healthy draws holds in each so many."""


def is_healthy(generator: str, share: float, *, seed: int, index: int) -> bool:
    """Whether nothing is wrong in a draw.

    Args:
        generator: Its part name.
        share: Of the draws in which nothing is wrong, 0 to 1.
        seed: The seed of the series.
        index: The place in the series.
    """
    block, place = divmod(index, _IN_A_ROW)
    source = random_of(f"{generator} {HEALTHY}", seed=seed, index=block)
    return place in source.sample(range(_IN_A_ROW), round(share * _IN_A_ROW))
