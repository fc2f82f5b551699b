"""The source of all random choices of generators."""

from __future__ import annotations

import random

from pytest_netbench.randomness import seeded


def random_of(generator: str, *, seed: int, index: int) -> random.Random:
    """Return the source of the random choices of one draw.

    It is seeded by a text, so it does not depend on ``PYTHONHASHSEED``. Use only ``random``, ``randrange``,
    ``randint``, ``choice``, ``shuffle`` and ``sample`` of sequences in a fixed order: their results are equal on
    Python 3.11 and later.

    Args:
        generator: The generator's part name.
        seed: The seed of the series.
        index: The place in the series.
    """
    return seeded(f"{generator}/{seed}/{index}")
