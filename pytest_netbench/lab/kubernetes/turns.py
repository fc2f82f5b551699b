"""Whether agents may change something now: while at least one of their commands or logins that may is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turns:
    """Counts what may change something. Used from several threads.

    Args:
        allow: Called with whether agents may change something, each time that changes; returns once it is in force.
    """

    def __init__(self, allow: Callable[[bool], None]) -> None:
        self._allow = allow
        self._lock = threading.Lock()
        self._count = 0

    @property
    def is_any(self) -> bool:
        """Whether agents may change something now."""
        return self._count > 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let agents change something meanwhile."""
        with self._lock:
            if self._count == 0:
                self._allow(True)
            self._count += 1
        try:
            yield
        finally:
            with self._lock:
                self._count -= 1
                if self._count == 0:
                    self._allow(False)
