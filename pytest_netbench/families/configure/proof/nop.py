"""Claim ``nop``: before anything is done, no testcase of an intent passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.families.configure.proof.claims import distinct, unequal
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.model.trial import TestcaseResult


class Nop:
    """Runs the testcases on a network that nobody has touched."""

    name = "nop"

    def __init__(self, labs: ProofLabs) -> None:
        self._labs = labs
        self._runs: list[tuple[TestcaseResult, ...]] = []

    def measure(self, repeat: int) -> None:  # a fresh measurement each time
        with self._labs.network() as network:
            results = network.evaluation.run_testcases(self._labs.payload.testcases)
            self._runs.append(tuple(results))

    def problems(self) -> Iterator[str]:
        for one in distinct(result for results in self._runs for result in results if _passed(result)):
            yield (
                f"testcase {one.name!r} passes before anything is done: make it miss the intent, or give it role:"
                " regression"
            )
        yield from unequal("nop", self._runs)

    def shown(self) -> Mapping[str, str]:
        if not self._runs:
            return {}
        intents = sum(one.role == "intent" for one in self._labs.payload.testcases)
        return {"nop passes": f"{max(sum(map(_passed, results)) for results in self._runs)} of {intents}"}

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        return {}


def _passed(result: TestcaseResult) -> bool:
    return result.role == "intent" and result.status == "pass"
