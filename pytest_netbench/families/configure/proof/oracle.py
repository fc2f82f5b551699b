"""Claims ``nop`` and ``oracle``: no testcase of an intent passes before the work, all pass with the ground truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.families.configure.proof.claims import distinct, unequal
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.configure.solution import apply_truth
from pytest_netbench.families.proof import TruthConfigs
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
