"""Who looks at a lab beside the requests of an agent: each look begins in a turn, which ends only after it."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.crowding import crowded

SOON_S: Final = 1.0
"""Wall seconds of a short request; more on a crowded machine."""
_LONGEST_LOOK_S: Final = 60.0


class Looks:
    """Counts them.

    Args:
        state: Guards what turns and looks share; it is held around each call of ``open``, ``close`` and ``begin``.
        stands: Whether the lab moves in turns only.
    """

    def __init__(self, state: threading.Condition, *, stands: Callable[[], bool]) -> None:
        self._state, self._stands = state, stands
        self._looking = 0
        self._admits = self._moves = True
        self._has_looked, self._is_regular = True, False
        self._looks_from, self._is_free = math.inf, False

    def open(self) -> None:
        """Admit whoever looks: a turn begins, or turns are over."""
        self._admits = self._moves = True
        self._has_looked = False
        self._looks_from = math.inf
        self._state.notify_all()

    def close(self) -> None:
        """Admit nobody any more, and wait for those who look.

        Raises:
            LabError: Somebody does not end.
        """
        self._admits = False
        self._looks_from, self._is_free = 0.0, False
        self._state.notify_all()
        if not self._state.wait_for(self._have_ended, timeout=_LONGEST_LOOK_S):
            raise LabError(f"the lab cannot stand still: something has looked at it for {_LONGEST_LOOK_S:g} s")
        self._moves = False

    def begin(self, *, freely: bool) -> None:
        """Let the one who looks again and again do so from now on, or only if the answer is not there soon.

        A short request then sees the network without his packets, whoever is faster.
        """
        with self._state:
            self._looks_from = time.monotonic() + (0.0 if freely else SOON_S * crowded())
            self._is_free = True
            self._state.notify_all()

    def regularly(self, *, looks: bool) -> None:
        """Say whether somebody looks again and again from the first turn on."""
        with self._state:
            self._is_regular = looks
            self._has_looked |= not self._stands()
            self._state.notify_all()

    @contextlib.contextmanager
    def look(self) -> Iterator[None]:
        """Around a look."""
        with self._when(lambda: self._admits):
            yield

    @contextlib.contextmanager
    def regular_look(self) -> Iterator[None]:
        """Around a look of the one who looks again and again: one in each short turn, which lasts until then.

        So the number of these looks follows from that of the requests.
        """
        with self._when(self._may_look_regularly, is_regular=True):
            yield

    @contextlib.contextmanager
    def _when(self, may_look: Callable[[], bool], *, is_regular: bool = False) -> Iterator[None]:
        with self._state:
            while not self._state.wait_for(may_look, timeout=SOON_S):
                pass
            self._has_looked |= is_regular
            self._looking += 1
        try:
            yield
        finally:
            with self._state:
                self._looking -= 1
                self._state.notify_all()

    def _may_look_regularly(self) -> bool:
        if not self._stands():
            return not self._is_regular  # the first turn has not begun
        is_time = self._moves and time.monotonic() >= self._looks_from
        return is_time and (self._is_free or not self._has_looked)

    def _have_ended(self) -> bool:
        return not self._looking and (self._has_looked or not self._is_regular or not self._stands())
