"""Values that hold for one trial or for a whole process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")


class Scoped(Generic[T]):
    """A value of the current context, or of the process where the context has none.

    Trials that run side by side in one process, each in a thread of its own, have values of their own. Threads that an
    agent starts do not inherit the context of its trial: a process that works for one trial at a time sets a value for
    all of them.

    Args:
        name: Of the context variable.
    """

    def __init__(self, name: str) -> None:
        self._of_context: ContextVar[T | None] = ContextVar(name, default=None)
        self._of_process: T | None = None

    @contextmanager
    def used(self, value: T | None) -> Iterator[None]:
        """Let ``value`` hold in this context."""
        before = self._of_context.set(value)
        try:
            yield
        finally:
            self._of_context.reset(before)

    def use_in_process(self, value: T | None) -> None:
        """Let ``value`` hold in all contexts that have none."""
        self._of_process = value

    def of_context(self) -> T | None:
        """The value of this context alone."""
        return self._of_context.get()

    def current(self) -> T | None:
        """The value of this context, else of the process."""
        return self._of_context.get() or self._of_process
