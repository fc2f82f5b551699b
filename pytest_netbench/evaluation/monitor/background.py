"""Looks at flows again and again while a change is under way, and for some time afterwards for what it set off."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from pytest_netbench.catching import Caught

FIRST_S = 0.05
"""Wall seconds after which a change is looked at for the first time. Most changes take less."""
GROWTH = 1.2
SHARE, AFTERWARDS_SHARE = 4, 10
"""Looks may take one part in so many of the time: during a change, and afterwards."""
LONGEST_PAUSE_S, LONGEST_PAUSE_AFTERWARDS_S = 0.25, 1.0


class Background:
    """Calls ``look`` in a thread while at least one change is under way, and for ``linger_s`` wall seconds afterwards.

    Each ``enter`` needs one ``leave``.

    Args:
        look: Looks once.
        looked_again_after: Is told the wall seconds between two looks during a change.
        linger_s: As above.
        now: Seconds, monotonic.
    """

    def __init__(
        self,
        look: Callable[[], None],
        looked_again_after: Callable[[float], None],
        *,
        linger_s: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._looked_again_after = looked_again_after
        self._linger_s = linger_s
        self._now = now
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._open = 0
        self._looked_at = 0.0
        self._ends_at = 0.0
        self._over = False
        self._error: Exception | None = None

    def enter(self) -> None:
        """A change begins."""
        with self._lock:
            self._open += 1
            if self._open == 1:
                self._looked_at = self._now()
            if self._thread is None and not self._over:
                self._thread = threading.Thread(target=self._run, name="netbench-monitor", daemon=True)
                self._thread.start()
            self._wake.set()

    def leave(self) -> None:
        """A change is complete.

        Raises:
            Exception: What ``look`` raised since the last change.
        """
        with self._lock:
            now = self._now()
            self._looked_again_after(now - self._looked_at)
            self._open -= 1
            self._ends_at = now + self._linger_s
            error, self._error = self._error, None
        if error is not None:
            raise error

    def stop(self) -> None:
        """End for good. Idempotent."""
        with self._lock:
            self._over = True
            thread = self._thread
            self._wake.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        pause_s = FIRST_S
        while True:
            woken = self._wake.wait(pause_s)
            with self._lock:
                self._wake.clear()
                busy = self._open > 0
                if self._over or (not busy and self._now() > self._ends_at):
                    self._thread = None
                    return
            if woken:
                pause_s = FIRST_S
                continue
            began = time.monotonic()
            if not self._looks(self._now()):
                return
            share, longest_s = (SHARE, LONGEST_PAUSE_S) if busy else (AFTERWARDS_SHARE, LONGEST_PAUSE_AFTERWARDS_S)
            pause_s = min(longest_s, max(pause_s * GROWTH, (share - 1) * (time.monotonic() - began)))

    def _looks(self, at: float) -> bool:
        """Look once; whether that was possible."""
        with Caught(Exception) as caught:
            self._look()
        with self._lock:
            if caught.error is not None:  # the thread that makes the change raises it
                self._error, self._thread = caught.error, None
                return False
            if self._open:
                self._looked_again_after(at - self._looked_at)
            self._looked_at = at
        return True
