"""Errors that are kept for another thread or for a report, instead of being raised where they happened."""

from __future__ import annotations

from types import TracebackType
from typing import Generic, Self, TypeVar

E = TypeVar("E", bound=BaseException)


class Caught(Generic[E]):
    """A context manager that ends its block at an error, keeps the error, and goes on behind the block.

    Args:
        kind: The class of errors that are kept. Others are raised.

    Attributes:
        error: What the block raised; ``None`` if it came to its end.
    """

    def __init__(self, kind: type[E]) -> None:
        self.error: E | None = None
        self._kind = kind

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, self._kind):
            return False
        self.error = error
        return True
