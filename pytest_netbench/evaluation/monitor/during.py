"""Looks at flows again and again while a change is under way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FIRST_S = 0.05
"""Wall seconds after which a change is looked at for the first time. Most changes take less."""
SHARE = 4
"""A look may take one part in so many of the time."""
LONGEST_PAUSE_S = 0.5
GROWTH = 1.2


class During:
    """Calls ``look`` in a thread while at least one change is under way. Each ``enter`` needs one ``leave``.

    Args:
        look: Looks once.
        looked_again_after: Is told the wall seconds between two looks.
    """

    def __init__(self, look: Callable[[], None], looked_again_after: Callable[[float], None]) -> None:
        self._look = look
        self._looked_again_after = looked_again_after
        self._lock = threading.Lock()
        self._open = 0
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None

    def enter(self) -> None:
        """Begin, unless another change is under way."""
        with self._lock:
            self._open += 1
            if self._open == 1:
                self._over = threading.Event()
                arguments = (self._over,)
                self._thread = threading.Thread(target=self._run, args=arguments, name="netbench-monitor", daemon=True)
                self._thread.start()

    def leave(self) -> None:
        """End, unless another change is under way.

        Raises:
            Exception: What ``look`` raised meanwhile.
        """
        with self._lock:
            self._open -= 1
            if self._open or self._thread is None:
                return
            self._over.set()
            self._thread.join()
            self._thread = None
            error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self, over: threading.Event) -> None:
        pause_s, before = FIRST_S, time.monotonic()
        while not over.wait(pause_s):
            began = time.monotonic()
            self._looked_again_after(began - before)
            try:
                self._look()
            except Exception as error:  # noqa: BLE001  (the thread that makes the change raises it)
                self._error = error
                return
            before = began
            pause_s = min(LONGEST_PAUSE_S, max(FIRST_S, pause_s * GROWTH, (SHARE - 1) * (time.monotonic() - began)))
        self._looked_again_after(time.monotonic() - before)
