"""The waiting for one testcase: its observations until it is decided."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from pytest_netbench.evaluation.observation import Observation
from pytest_netbench.evaluation.slowness import slowness
from pytest_netbench.evaluation.testcases import KINDS
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.trial import TestcaseResult

MIN_WAIT_S = 0.5
TRAFFIC_ATTEMPTS = 3


def longest_wait_s(testcase: Testcase, time_scale: float) -> float:
    """Return the wall seconds after which a testcase is decided, if observing the network takes no time."""
    looks = 2  # the runner checks a second time what must hold
    traffic_s = TRAFFIC_ATTEMPTS * (testcase.traffic_s if testcase.kind == "throughput" else 0.0)
    return (
        looks * (max(MIN_WAIT_S * slowness(), testcase.within_s / time_scale) + testcase.stays_s / time_scale)
        + traffic_s
    )


class Wait:
    """One testcase without a final result yet.

    What must not hold has to be absent twice in a row. Traffic is measured at least twice and at most three times,
    because a busy machine can disturb one measurement.

    Args:
        testcase: What is waited for.
        time_scale: Lab seconds per wall second.
        since: Tells when the network was last seen to change, by the clock, or ``None`` if nothing tells. The time that
            the condition has begins there, or with the first observation if that is earlier.
    """

    def __init__(
        self, testcase: Testcase, *, time_scale: float, since: Callable[[], float | None] = lambda: None
    ) -> None:
        self.testcase = testcase
        self.result: TestcaseResult | None = None
        kind = KINDS[testcase.kind]
        self._time_scale = time_scale
        self._within_s = max(MIN_WAIT_S * slowness(), testcase.within_s / time_scale)
        self._stays_s = testcase.stays_s / time_scale
        self._needed = 2 if kind.absent(testcase) else 1
        self._most = TRAFFIC_ATTEMPTS if kind.traffic else None
        self._attempts = self._streak = 0
        self._began: float | None = None
        self._since = since
        self._holds_since = 0.0

    @property
    def failed(self) -> bool:
        """Whether there is a result, and it is a failure."""
        return self.result is not None and self.result.status == "fail"

    @property
    def due(self) -> float:
        """The earliest moment at which an observation may decide it as far as is known: when it will have stayed."""
        return self._holds_since + self._stays_s if self._streak >= self._needed and self._stays_s else math.inf

    def left_s(self, now: float) -> float:
        """How long it is until a look is the last."""
        since = [moment for moment in (self._began, self._since()) if moment is not None]
        return self._within_s - (now - min(since)) if since else self._within_s

    def is_late(self, now: float) -> bool:
        """Whether the time that the condition has is over, so that a look that begins now is the last."""
        return self.left_s(now) <= 0

    def _is_over(self, since: float | None, now: float) -> bool:
        return since is not None and now - since >= self._within_s

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
            if self._out_of_time(observation, ended):
                tries = f"tried {self._attempts} times in {self._both(waited_s)}"
                if self._attempts == 1:
                    tries = f"tried once, {self._both(ended - (self._since() or 0.0))} after the last change"
                self._decide("fail", observation, f"{observation.actual}; {tries}", waited_s)

    def start_again(self) -> None:
        """Count the time and the attempts from now on. What held at the last look still counts."""
        self._attempts, self._began = 0, None

    def _out_of_time(self, observation: Observation, ended: float) -> bool:
        if observation.brief:
            return False
        if self._attempts < 2:
            return observation.confirmed and self._is_over(self._since(), ended)
        return self.is_late(ended) or (self._most is not None and self._attempts >= self._most)

    def _both(self, wall_s: float) -> str:
        return f"{wall_s:.2f} s" + (f" ({wall_s * self._time_scale:.1f} lab s)" if self._time_scale != 1 else "")

    def _decide(self, status: Literal["pass", "fail"], observation: Observation, actual: str, waited_s: float) -> None:
        self.result = result_of(
            self.testcase,
            status,
            actual,
            command=observation.command,
            duration_s=round(waited_s, 6),
            measured=observation.measured,
        )


def result_of(
    testcase: Testcase,
    status: Literal["pass", "fail"],
    actual: str,
    *,
    command: str = "",
    duration_s: float = 0.0,
    measured: float | None = None,
) -> TestcaseResult:
    """Return the result of a testcase; ``command`` is empty if it could not be observed."""
    return TestcaseResult(
        name=testcase.name,
        kind=testcase.kind,
        role=testcase.role,
        intent=testcase.intent,
        under=testcase.under,
        status=status,
        command=command,
        expected=KINDS[testcase.kind].expected(testcase),
        actual=actual,
        duration_s=duration_s,
        measured=measured,
    )
