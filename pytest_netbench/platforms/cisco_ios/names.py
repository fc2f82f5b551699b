"""What scoring knows of IOS lines: canonical form, names a person may choose, lists whose order counts."""

from __future__ import annotations

FREE_NAMES: tuple[tuple[str, str], ...] = ()


def normalise(line: str) -> str | None:
    """A line in canonical form, or ``None`` for one that says nothing."""
    text = " ".join(line.split())
    return None if not text or text in {"!", "end"} else text


def ordered_block(parents: tuple[str, ...], line: str) -> str | None:  # noqa: ARG001 - the protocol's parameters
    """The ordered list a line belongs to."""
    return None
