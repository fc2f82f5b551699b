"""What the clock of a lab showed at each moment since its deployment."""

from __future__ import annotations

import time


class PacedClock:
    """Implements ``platforms.capabilities.LabTime``.

    Args:
        factor: Lab seconds per wall second at first.
    """

    def __init__(self, factor: float) -> None:
        now = time.time()
        self._paces = [(now, now, factor)]  # since when, in wall and lab time, and lab seconds per wall second

    def change(self, factor: float) -> None:
        """Note that lab time passes at another speed from now on."""
        now = time.time()
        self._paces.append((now, self.at(now), factor))

    def at(self, moment: float) -> float:
        wall, lab, factor = next((one for one in reversed(self._paces) if one[0] <= moment), self._paces[0])
        return lab + (moment - wall) * factor
