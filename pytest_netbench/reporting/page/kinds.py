"""How trials ended, as the page groups them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.model.trial import TrialResult

KINDS: Final[Mapping[str, str]] = {
    "passed": "passed",
    "wrong": "wrong result",
    "budget": "budget used up",
    "agent": "agent failed",
    "lab": "infrastructure error",
}
"""How a trial ended, and in words."""


def kind_of(result: TrialResult) -> str:
    """How a trial ended: a key of ``KINDS``."""
    if result.status == "passed":
        return "passed"
    if result.status == "error":
        return "lab"
    return {"budget": "budget", "agent-error": "agent"}.get(result.outcome or "", "wrong")
