"""What a scorer is."""

from __future__ import annotations

from typing import Protocol

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord


class Scorer(Protocol):
    """TrialRecord to Score; pure. ``on_controller`` scorers are too heavy for every worker and run once per run.

    It may also have ``prepare()``, which loads slow dependencies. A thread calls it while labs deploy. ``score`` must
    work without it and during it.
    """

    name: str
    version: int
    on_controller: bool

    def score(self, record: TrialRecord) -> Score:
        """Score one record. A record that lacks what the scorer needs gives ``value=None`` and says why."""
        ...
