"""Objects that processes of one run send each other."""

from __future__ import annotations

import pickle
from typing import Any


def loaded(packed: bytes) -> Any:
    """Return what a process of the same run has pickled."""
    return pickle.loads(packed)  # noqa: S301  (such a process runs our code, and the user's, as this one does)


def copied(value: Any) -> Any:
    """Return what another process would get instead of ``value``.

    Raises:
        Exception: Whatever the value's own methods raise.
    """
    return loaded(pickle.dumps(value))
