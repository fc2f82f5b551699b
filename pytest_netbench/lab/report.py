"""A backend's report on itself and on this machine, for ``netbench doctor``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One answer.

    Attributes:
        name: What was checked, a few words.
        ok: Whether the check passed.
        required: Whether nothing that the backend serves can run without it.
        detail: What was found.
        remedy: The command that fixes it, or ``None``.
    """

    name: str
    ok: bool
    required: bool
    detail: str
    remedy: str | None = None
