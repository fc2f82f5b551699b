"""Latency: how long an agent took, and how many requests and commands."""

from __future__ import annotations

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord


class LatencyScorer:
    """Wall seconds from the brief to the submission, without the time that measuring took. Lower is better."""

    name = "latency"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        watch = record.watch
        seconds = round(max(0.0, record.agent_s - (0.0 if watch is None else watch.measured_s)), 6)
        used = record.budget_used
        changes = None if watch is None else watch.changes
        right_at = None if watch is None or watch.wrong_after else max((step.at_s for step in watch.steps), default=0.0)
        return Score(
            metric=self.name,
            value=seconds,
            explanation=f"{seconds:.1f} s, {used.commands} commands in {used.calls} requests",
            scorer=f"{self.name}/{self.version}",
            evidence={"commands": used.commands, "calls": used.calls, "changes": changes, "right_since_s": right_at},
        )
