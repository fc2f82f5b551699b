"""Patience with what mostly takes a moment, longer on a crowded machine."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pytest_netbench.lab.crowding import crowded


class Patience:
    """Calls somebody if what was begun does not end soon.

    Args:
        seconds: Of the wall, on a machine that is not crowded.
        is_over: Is called from another thread.
    """

    def __init__(self, seconds: float, is_over: Callable[[], object]) -> None:
        self._seconds, self._is_over = seconds, is_over
        self._timer: threading.Timer | None = None

    @property
    def lasts(self) -> bool:
        """Whether something was begun and has not ended."""
        return self._timer is not None

    def begin(self) -> None:
        """Something begins."""
        self._timer = threading.Timer(self._seconds * crowded(), self._is_over)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """It has ended. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
