"""How the agent's part of a trial ended, in one or two words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from pytest_netbench.model.trial import TrialResult

_ORDER: Final = ("done", "gave up", "budget", "crash", "agent error")


def ending(result: TrialResult) -> str:
    """``done``, ``gave up`` (it ended without being done), ``budget`` (used up), ``crash``, ``agent error``.

    A crash has a traceback, or the end of the agent's process.
    """
    if result.outcome == "done":
        return "done" if result.error is None else "gave up"
    if result.outcome != "agent-error":
        return str(result.outcome)
    return "crash" if result.traceback or result.process_end else "agent error"


def traceback_of(result: TrialResult) -> list[str]:
    """The lines of the agent's own frames, if they were recorded."""
    return [line for frame in result.traceback for line in frame.splitlines()]


def endings(results: Iterable[TrialResult]) -> str:
    """How many trials ended how: ``done 3, budget 1``."""
    counts = Counter(map(ending, results))
    ordered = [name for name in _ORDER if name in counts] + sorted(set(counts) - set(_ORDER))
    return ", ".join(f"{name} {counts[name]}" for name in ordered)
