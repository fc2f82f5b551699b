"""Work that somebody waits for only briefly: it goes on in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from pytest_netbench.catching import Caught


class Later:
    """Runs one piece of work at a time in a thread. Used by one thread at a time."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._hurry = threading.Event()
        self._error: Exception | None = None

    @property
    def hurries(self) -> bool:
        """Whether the work is to end early."""
        return self._hurry.is_set()

    def pause(self, wall_s: float) -> None:
        """Wait for some wall seconds, or until the work is to end early."""
        self._hurry.wait(wall_s)

    def start(self, work: Callable[[], None], *, wait_s: float) -> None:
        """Begin some work, and wait for its end for at most ``wait_s`` wall seconds.

        Raises:
            Exception: What the work raised, if it has ended.
        """
        self.finish()
        self._thread = threading.Thread(target=self._run, args=(work,), name="netbench-settling", daemon=True)
        self._thread.start()
        self._join(wait_s)

    def finish(self, *, wait_s: float | None = None) -> None:
        """Wait until the work is complete. After ``wait_s`` wall seconds it is asked to end early.

        Raises:
            Exception: What the work raised.
        """
        self._join(wait_s)
        if self._thread is not None:
            self._hurry.set()
            self._join(None)

    def abandon(self) -> None:
        """Let the work end early, and wait for that. What it raises is lost."""
        with suppress(Exception):
            self.finish(wait_s=0.0)

    def _join(self, wait_s: float | None) -> None:
        if self._thread is not None:
            self._thread.join(wait_s)
            if not self._thread.is_alive():
                self._thread = None
                self._hurry.clear()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self, work: Callable[[], None]) -> None:
        with Caught(Exception) as caught:
            work()
        self._error = caught.error  # whoever waits for the work raises it
