"""S_testcase: the share of testcases that passed (draft §3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TestcaseResult, TrialRecord


class TestcaseScorer:
    """Testcases passed, divided by testcases run."""

    __test__ = False

    name = "testcase"
    version = 1
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        results = record.testcase_results
        label = f"{self.name}/{self.version}"
        if not results:
            return Score(metric=self.name, value=None, explanation="not measured: no testcase was run", scorer=label)
        passed = sum(result.status == "pass" for result in results)
        return Score(
            metric=self.name,
            value=round(passed / len(results), 6),
            explanation=f"{passed} of {len(results)} testcases passed",
            scorer=label,
            evidence={
                "passed": passed,
                "total": len(results),
                "failed": [result.name for result in results if result.status == "fail"],
                "intents": _by_intent(results),
            },
        )


def _by_intent(results: Sequence[TestcaseResult]) -> dict[str, Any]:
    """Passed and total per intent, by its 1-based index; testcases of no intent under ``"-"``."""
    shares: dict[str, dict[str, int]] = {}
    for result in results:
        share = shares.setdefault("-" if result.intent is None else str(result.intent), {"passed": 0, "total": 0})
        share["total"] += 1
        share["passed"] += result.status == "pass"
    return dict(sorted(shares.items()))
