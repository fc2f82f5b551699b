"""Numbers of protocols in the forms that people write."""

from __future__ import annotations


def as_number(text: str) -> int:
    """Return an AS number as an integer; the dotted form is accepted (RFC 5396)."""
    high, dot, low = text.partition(".")
    return int(high) * 65536 + int(low) if dot else int(high)
