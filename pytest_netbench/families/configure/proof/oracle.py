"""Claim ``oracle``: the ground truth passes every testcase, and what it leaves is the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.families.configure.proof.claims import distinct, unequal
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.configure.solution import apply_truth
from pytest_netbench.families.proof import TruthConfigs
from pytest_netbench.model.trial import TestcaseResult


class Oracle:
    """Applies the ground truth, runs the testcases and reads the running configs before and after."""

    name = "oracle"

    def __init__(self, labs: ProofLabs) -> None:
        self._labs = labs
        self._runs: list[tuple[TestcaseResult, ...]] = []
        self._truths: list[TruthConfigs] = []

    @property
    def truth(self) -> TruthConfigs | None:
        """The configs of the last repeat."""
        return self._truths[-1] if self._truths else None

    def measure(self, repeat: int) -> None:  # a fresh measurement each time
        with self._labs.network() as network:
            evaluation = network.evaluation
            initial = evaluation.final_configs()
            ani = self._labs.interface(network)
            apply_truth(self._labs.task, ani)
            ani.close()
            self._runs.append(tuple(evaluation.run_testcases(self._labs.payload.testcases)))
            self._truths.append(TruthConfigs(initial=initial, final=evaluation.final_configs()))

    def problems(self) -> Iterator[str]:
        if not self._labs.payload.testcases:
            yield "there are no testcases"
        for one in distinct(result for results in self._runs for result in results if result.status == "fail"):
            yield f"the oracle fails testcase {one.name!r}: expected {one.expected}, saw {one.actual}"
        yield from unequal("oracle", self._runs)
        for when in ("initial", "final"):
            first, *others = (getattr(truth, when) for truth in self._truths)
            for node in first:
                if any(other[node] != first[node] for other in others):
                    yield f"{node}: its {when} running config differs from repeat to repeat"

    def shown(self) -> Mapping[str, str]:
        if not self._runs:
            return {}
        passed = min(sum(one.status == "pass" for one in results) for results in self._runs)
        return {"oracle passes": f"{passed} of {len(self._labs.payload.testcases)}"}

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        return {}
