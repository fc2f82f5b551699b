"""Listings of ``ip -json``, whatever characters the names in them have. Pure."""

from __future__ import annotations

import json
from typing import Any

from pytest_netbench.errors import LabError


def entries(text: str) -> list[dict[str, Any]]:
    """Return the entries of a listing; empty ones, which ``ip`` prints for what it filters, are left out.

    ``ip`` prints control characters in names and aliases as they are, which strict JSON forbids.

    Raises:
        LabError: It is no listing.
    """
    try:
        found = json.loads(text or "[]", strict=False)
    except json.JSONDecodeError as error:
        raise LabError(f"a listing of ip cannot be read: {error}") from error
    return [entry for entry in found if entry]


def shown(text: str) -> str:
    r"""Return ``text`` with each character that is not printable as ``\xNN`` or ``\uNNNN``."""
    return text if text.isprintable() else "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
