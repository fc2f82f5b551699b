"""The testcases that fail most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.pairing import task_id

MOST_SHOWN: Final = 12


@dataclass(kw_only=True)
class Failing:
    """A testcase of a task: of how many runs it failed, and of how many of each agent."""

    task: str
    name: str
    failed: int = 0
    runs: int = 0
    agents: dict[str, tuple[int, int]] = field(default_factory=dict)


def failing(scored: Sequence[TrialResult]) -> tuple[Sequence[Failing], int]:
    """Return the testcases with the largest share of failures, and how many more have failed."""
    found: dict[tuple[str, str], Failing] = {}
    for one in scored:
        task = task_id(one)
        for case in one.testcase_results:
            name = case.name + (f" under {case.under}" if case.under else "")
            row = found.setdefault((task, name), Failing(task=task.rpartition("::")[2], name=name))
            failed, runs = row.agents.get(one.agent.id, (0, 0))
            has_failed = int(case.status == "fail")
            row.agents[one.agent.id] = failed + has_failed, runs + 1
            row.failed, row.runs = row.failed + has_failed, row.runs + 1
    rows = [one for one in found.values() if one.failed]
    rows.sort(key=lambda one: (-one.failed / one.runs, -one.failed, one.task, one.name))
    return rows[:MOST_SHOWN], max(0, len(rows) - MOST_SHOWN)
