"""Runs testcases: waits for each condition up to its deadline in lab time, then checks that it persists.

The order: first what must hold. Then the same again once the network has had time to react to its last change, because
a result from before the reaction must not pass. Then what must not hold (a network that has not converged denies
everything). Then what sends traffic, one at a time, because traffic disturbs other measurements.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_netbench.errors import TookTooLong
from pytest_netbench.evaluation.behaviour.reference import Reference
from pytest_netbench.evaluation.bounded import run_all
from pytest_netbench.evaluation.observation import Observation, View
from pytest_netbench.evaluation.testcases import KINDS, observe
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.trial import TestcaseResult

MIN_WAIT_S = 0.5
LOOK_AGAIN_S = 0.5
FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1
PAUSE_GROWTH = 1.5
TRAFFIC_ATTEMPTS = 3


class Runner:
    """Runs lists of testcases on one lab.

    Args:
        lab: The running network.
        devices: Its nodes and platforms.
        clock: Wall seconds, monotonic.
    """

    def __init__(self, lab: Lab, devices: Devices, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.reference: Reference | None = None
        self._lab = lab
        self._devices = devices
        self._clock = clock

    def run(
        self,
        testcases: Sequence[Testcase],
        *,
        stop_at_first_failure: bool = False,
        look_again: bool = True,
        within_s: float | None = None,
    ) -> list[TestcaseResult]:
        """Results in the order of ``testcases``.

        Args:
            testcases: What must be true.
            stop_at_first_failure: Return as soon as one has failed, with the results there are by then.
            look_again: Check a second time what must hold. Not needed for a network without recent changes.
            within_s: Wall seconds for all of them beyond what they wait for; those not decided by then have failed.
        """
        results: dict[int, TestcaseResult] = {}
        if within_s is None:
            self._run(testcases, results, stop_at_first_failure, look_again)
            return [results[index] for index in sorted(results)]
        within_s += sum(longest_wait_s(testcase, self._lab.time_scale) for testcase in testcases)
        work = {"testcases": lambda: self._run(testcases, results, stop_at_first_failure, look_again)}
        ended = run_all(work, within_s=within_s, side_by_side=1)
        error = ended.get("testcases")
        if isinstance(error, Exception) and not isinstance(error, TookTooLong):
            raise error
        decided = dict(results)
        return [decided.get(index) or _undecided(testcase, within_s) for index, testcase in enumerate(testcases)]

    def _run(
        self,
        testcases: Sequence[Testcase],
        results: dict[int, TestcaseResult],
        stop_at_first_failure: bool,
        look_again: bool,
    ) -> None:
        began = self._clock()

        def to_go_on() -> bool:
            return not (stop_at_first_failure and any(result.status == "fail" for result in results.values()))

        for phase in phases(testcases):
            results.update(self._decided(testcases, phase.indices, stop_at_first_failure))
            passed = [index for index in phase.indices if index in results and results[index].status == "pass"]
            if look_again and phase.looked_at_again and passed and to_go_on():
                threading.Event().wait(max(0.0, began + LOOK_AGAIN_S - self._clock()))
                again = self._decided(testcases, passed, stop_at_first_failure)
                results.update({index: _later(results[index], result) for index, result in again.items()})
            if not to_go_on():
                break

    def _decided(
        self, testcases: Sequence[Testcase], indices: Iterable[int], stop_at_first_failure: bool
    ) -> dict[int, TestcaseResult]:
        waits = {index: Wait(testcases[index], time_scale=self._lab.time_scale) for index in indices}
        self._settle(list(waits.values()), stop_at_first_failure)
        return {index: wait.result for index, wait in waits.items() if wait.result is not None}

    def _settle(self, waits: Sequence[Wait], stop_at_first_failure: bool) -> None:
        pause_s = FIRST_PAUSE_S
        never = threading.Event()
        pending = list(waits)
        while True:
            began = self._clock()
            observations = observe(
                [wait.testcase for wait in pending], View(self._lab, self._devices, reference=self.reference)
            )
            ended = self._clock()
            for wait, observation in zip(pending, observations, strict=True):
                wait.take(observation, began=began, ended=ended)
            if stop_at_first_failure and any(wait.failed for wait in pending):
                return
            pending = [wait for wait in pending if wait.result is None]
            if not pending:
                return
            never.wait(pause_s)  # between two observations, so that observing does not slow down the network
            pause_s = min(LONGEST_PAUSE_S, pause_s * PAUSE_GROWTH)


def longest_wait_s(testcase: Testcase, time_scale: float) -> float:
    """Return the wall seconds after which a testcase is decided, if observing the network takes no time."""
    looks = 2  # the runner checks a second time what must hold
    traffic_s = TRAFFIC_ATTEMPTS * float(getattr(testcase, "duration_s", 0.0))
    return looks * (max(MIN_WAIT_S, testcase.within_s / time_scale) + testcase.stays_s / time_scale) + traffic_s


def _undecided(testcase: Testcase, within_s: float) -> TestcaseResult:
    return TestcaseResult(
        name=testcase.name,
        kind=testcase.kind,
        role=testcase.role,
        intent=testcase.intent,
        status="fail",
        expected=KINDS[testcase.kind].expected(testcase),
        actual=f"the network that the agent left could not be looked at within {within_s:.0f} s",
        duration_s=within_s,
    )


def _later(first: TestcaseResult, again: TestcaseResult) -> TestcaseResult:
    return again.model_copy(update={"duration_s": round(first.duration_s + again.duration_s, 6)})


@dataclass(frozen=True)
class Phase:
    """Indices of testcases that may be observed together."""

    indices: tuple[int, ...]
    looked_at_again: bool = False


def phases(testcases: Sequence[Testcase]) -> list[Phase]:
    """All testcases, in the order to run them."""
    present: list[int] = []
    absent: list[int] = []
    traffic: list[Phase] = []
    for index, testcase in enumerate(testcases):
        kind = KINDS[testcase.kind]
        if kind.traffic:
            traffic.append(Phase((index,)))
        else:
            (absent if kind.absent(testcase) else present).append(index)
    ordered = (Phase(tuple(present), looked_at_again=True), Phase(tuple(absent)), *traffic)
    return [phase for phase in ordered if phase.indices]


class Wait:
    """One testcase without a final result yet.

    What must not hold has to be absent twice in a row. Traffic is measured at least twice and at most three times,
    because a busy machine can disturb one measurement.
    """

    def __init__(self, testcase: Testcase, *, time_scale: float) -> None:
        self.testcase = testcase
        self.result: TestcaseResult | None = None
        kind = KINDS[testcase.kind]
        self._time_scale = time_scale
        self._within_s = max(MIN_WAIT_S, testcase.within_s / time_scale)
        self._stays_s = testcase.stays_s / time_scale
        self._needed = 2 if kind.absent(testcase) else 1
        self._most = TRAFFIC_ATTEMPTS if kind.traffic else None
        self._attempts = self._streak = 0
        self._began: float | None = None
        self._holds_since = 0.0

    @property
    def failed(self) -> bool:
        """Whether there is a result, and it is a failure."""
        return self.result is not None and self.result.status == "fail"

    def take(self, observation: Observation, *, began: float, ended: float) -> None:
        """Take an observation that lasted from ``began`` to ``ended``."""
        self._began = began if self._began is None else self._began
        waited_s = ended - self._began
        self._attempts += 1
        if observation.holds:
            self._streak += 1
            self._holds_since = ended if self._streak == 1 else self._holds_since
            stayed = not self._stays_s or began - self._holds_since >= self._stays_s
            if self._streak >= self._needed and stayed:
                self._decide("pass", observation, observation.actual, waited_s)
        elif observation.final:
            self._decide("fail", observation, observation.actual, waited_s)
        elif self._stays_s and self._streak >= self._needed:
            held_s = began - self._holds_since
            self._decide("fail", observation, f"held for {self._both(held_s)}, then: {observation.actual}", waited_s)
        else:
            self._streak = 0
            if self._out_of_time(waited_s):
                tries = f"tried {self._attempts} times in {self._both(waited_s)}"
                self._decide("fail", observation, f"{observation.actual}; {tries}", waited_s)

    def _out_of_time(self, waited_s: float) -> bool:
        if self._attempts < 2:
            return False
        return waited_s >= self._within_s or (self._most is not None and self._attempts >= self._most)

    def _both(self, wall_s: float) -> str:
        return f"{wall_s:.2f} s" + (f" ({wall_s * self._time_scale:.1f} lab s)" if self._time_scale != 1 else "")

    def _decide(self, status: str, observation: Observation, actual: str, duration_s: float) -> None:
        self.result = TestcaseResult(
            name=self.testcase.name,
            kind=self.testcase.kind,
            role=self.testcase.role,
            intent=self.testcase.intent,
            status="pass" if status == "pass" else "fail",
            command=observation.command,
            expected=observation.expected,
            actual=actual,
            duration_s=round(duration_s, 6),
        )
