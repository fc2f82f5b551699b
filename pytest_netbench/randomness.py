"""Sources of random choices that can be made again. None is for secrets."""

from __future__ import annotations

import random


def seeded(seed: int | str | None) -> random.Random:
    """Return a source whose choices depend on ``seed`` alone.

    Args:
        seed: Equal seeds choose equally, a text independently of ``PYTHONHASHSEED``; ``None`` chooses differently each
            time.
    """
    return random.Random(seed)  # noqa: S311  (no source for secrets)
