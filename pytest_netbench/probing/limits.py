"""How long calls may take, in wall seconds. Pure; standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_netbench.probing.overflow import AGAIN, LONGEST_CALM_S
from pytest_netbench.probing.records import Probe

SLACK_S: Final = 10.0
"""For a busy machine, and for the process that measures."""
_ROUNDS = 1 + AGAIN
_CALM_S = AGAIN * LONGEST_CALM_S
_SPARE_TRIES = 4
_EACH_S = 0.01


def of_probes(probes: Sequence[Probe], repetitions: int) -> tuple[float, float]:
    """When a batch of probes stops by itself, and when nobody waits for it any more."""
    longest_s = max(probe.timeout_s for probe in probes) * (repetitions + _SPARE_TRIES)
    limit_s = longest_s + SLACK_S + len(probes) * _EACH_S
    return limit_s, limit_s * _ROUNDS + _CALM_S + SLACK_S


def of_traffic(duration_s: float, warmup_s: float | None) -> float:
    """When nobody waits for flows any more."""
    return (duration_s + (warmup_s or 0.0)) * _ROUNDS + _CALM_S + SLACK_S
