"""Packets that the machine had no room for. Standard library only.

All labs of a machine share the queues of its cores: a flood in one lab, such as a bridge loop, loses packets of all.
"""

from __future__ import annotations

import time
from typing import Final

AGAIN: Final = 2
"""How often what a flood of another lab lost is measured again."""
_CALM_S = 0.3
LONGEST_CALM_S: Final = 6.0
"""Wall seconds for which ``wait_for_calm`` waits at most: a flood of the lab itself may last."""


class Overflow:
    """Tells whether the machine dropped packets since this was made."""

    def __init__(self) -> None:
        self._before = dropped()

    def __bool__(self) -> bool:
        return dropped() != self._before


def wait_for_calm() -> None:
    """Wait until the machine drops no more packets; at most ``LONGEST_CALM_S``."""
    deadline = time.monotonic() + LONGEST_CALM_S
    while time.monotonic() < deadline:
        overflow = Overflow()
        time.sleep(_CALM_S)  # no event tells that nothing is dropped
        if not overflow:
            return


def dropped() -> int:
    """Packets that found the queue of a core full, since the machine started."""
    with open("/proc/thread-self/net/softnet_stat", encoding="utf-8") as file:
        return sum(int(line.split()[1], 16) for line in file)
