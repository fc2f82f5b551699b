"""The end of a lab: its work is done in a thread that the interpreter waits for."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread

from pytest_netbench.catching import Caught
from pytest_netbench.errors import LabError


def _nobody(_: str) -> None:
    """Tell nobody."""


class Cleanup:
    """Does the last work on a lab while others go on.

    Args:
        work: Called once.
        wrong: How the message of a failure begins.
        tell: Called with that message at once: often nobody waits.

    Attributes:
        took_s: Wall seconds that it took.
    """

    def __init__(self, work: Callable[[], object], *, wrong: str, tell: Callable[[str], object] = _nobody) -> None:
        self.took_s = 0.0
        self._work = work
        self._wrong = wrong
        self._tell = tell
        self._thread: Thread | None = None
        self._failure: Exception | None = None

    @property
    def has_begun(self) -> bool:
        """Whether it was started."""
        return self._thread is not None

    def start(self, *, since: float | None = None) -> None:
        """Begin. Idempotent.

        Args:
            since: When the lab began to end, as ``time.monotonic`` gives it; now if ``None``.
        """
        if self._thread is None:
            began = time.monotonic() if since is None else since
            # not a daemon thread: the interpreter does not end before it does
            self._thread = Thread(target=self._run, args=(began,), name="netbench-cleanup", daemon=False)
            self._thread.start()

    def wait(self) -> None:
        """Wait until it is done.

        Raises:
            LabError: It was not begun, or it failed.
        """
        if self._thread is None:
            raise LabError("the lab was not destroyed")
        self._thread.join()
        if self._failure is not None:
            raise LabError(f"{self._wrong}{self._failure}") from self._failure

    def _run(self, began: float) -> None:
        with Caught(Exception) as caught:
            self._work()
        self._failure = caught.error
        self.took_s = time.monotonic() - began
        if self._failure is not None:
            self._tell(f"{self._wrong}{self._failure}")
