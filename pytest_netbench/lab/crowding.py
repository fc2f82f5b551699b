"""How crowded the machine is: what takes a moment on an idle one takes longer there."""

from __future__ import annotations

import os
from typing import Final

MOST: Final = 4.0


def crowded() -> float:
    """Runnable processes per core of the last minute (load average), 1 to ``MOST``."""
    return min(MOST, max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0))))
