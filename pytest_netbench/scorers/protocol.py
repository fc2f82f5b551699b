"""The protocol of a scorer."""

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
        """Score one record. If it lacks what the scorer needs, ``value`` is ``None`` and ``explanation`` says why."""
        ...
