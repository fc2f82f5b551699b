"""The machine's clock: what packets take passes by it, whatever lab time does."""

from __future__ import annotations

import time

_CLOCK = 1000
"""Of the preloaded library, see ``CLOCK_OF_WALL`` in ``native/labtime.h``."""


def now() -> float:
    """Return seconds of the wall. Only differences mean something."""
    try:
        return time.clock_gettime(_CLOCK)
    except OSError:  # the library is not there, so all clocks go by the wall
        return time.monotonic()
