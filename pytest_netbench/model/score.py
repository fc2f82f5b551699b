"""Score: the result of one scorer for one trial."""

from __future__ import annotations

from typing import Any

from pytest_netbench.model.base import Recorded


class Score(Recorded):
    """A measured value, or the statement that it was not measured.

    ``value`` is ``None`` for *not measured* (``explanation`` says why) and 0.0 for a measured zero.
    ``scorer`` is name and version, e.g. ``"command/1"``; a scorer's results may change only with its version.
    """

    metric: str
    value: float | None
    explanation: str = ""
    scorer: str
    evidence: dict[str, Any] = {}
