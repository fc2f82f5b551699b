"""How much later than usual a network reacts because the machine is busy."""

from __future__ import annotations

import os
from typing import Final

_USUAL_LOAD: Final = 2.0
"""Runnable processes for each core up to which protocols react in time."""
_MOST: Final = 8.0


def slowness() -> float:
    """Return the factor, 1 to 8, by which to wait longer for daemons that share their cores with others."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(_MOST, max(1.0, load / _USUAL_LOAD))
