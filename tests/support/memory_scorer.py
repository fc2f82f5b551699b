"""A third party's scorer, registered by an entry point: how much of its budget of calls an agent left."""

from __future__ import annotations

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord


class Thrift:
    """Share of the permitted calls that were not made."""

    name = "thrift"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        allowed = record.task.budget.calls
        if allowed is None:
            return Score(metric=self.name, value=None, explanation="calls are not limited", scorer="thrift/1")
        return Score(metric=self.name, value=1 - record.budget_used.calls / allowed, scorer="thrift/1")
