"""Runs testcases: waits for each condition up to its deadline in lab time, then checks that it persists.

The order: first the testcases of the undisturbed network, then those of each event while it happens. Of each group
first what must hold. Then the same again once the network has had time to react to its last change, because a result
from before the reaction must not pass. What must not hold is looked at between the two, and has to be absent after
them, too (a network that has not converged denies everything). Then what sends traffic or takes long, one at a time,
because traffic disturbs other measurements. What takes long and sends no traffic is observed while the network is
given time to react, too; that it holds counts if routes and sessions are still the same afterwards.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pytest_netbench import deadline
from pytest_netbench.errors import TookTooLong
from pytest_netbench.evaluation.bounded import run_all
from pytest_netbench.evaluation.happening import EventFailed, Happening, configs_of
from pytest_netbench.evaluation.losses import Streams
from pytest_netbench.evaluation.observation import Losses, View
from pytest_netbench.evaluation.ordering import Events, courses, ordered
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.evaluation.settling import Condition, Settling, Stillness, longest_s
from pytest_netbench.evaluation.testcases import KINDS, observe
from pytest_netbench.evaluation.waiting import Wait, longest_wait_s, result_of
from pytest_netbench.lab.devices import Devices, unknown
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.testcase import LossTestcase, Testcase
from pytest_netbench.model.trial import TestcaseResult

LOOK_AGAIN_S = 0.5
LEAST_AHEAD_S = 0.1
"""With less time left until the second look, nothing is gained by looking ahead."""
FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1
PAUSE_GROWTH = 1.5


class Runner:
    """Runs lists of testcases on one lab.

    Args:
        lab: The running network.
        devices: Its nodes and platforms.
        events: The events of the task, by name.
        clock: Wall seconds, monotonic.

    Attributes:
        reference: The recorded behaviour that the network is held to, if there is one.
    """

    def __init__(
        self,
        lab: Lab,
        devices: Devices,
        *,
        events: Events | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lab = lab
        self._devices = devices
        self._events: Events = events or {}
        self._clock = clock
        self.reference: Reference | None = None

    def run(
        self,
        testcases: Sequence[Testcase],
        *,
        stop_at_first_failure: bool = False,
        look_again: bool = True,
        settle_at_end: bool = True,
        within_s: float | None = None,
    ) -> list[TestcaseResult]:
        """Results in the order of ``testcases``.

        Args:
            testcases: What must be true.
            stop_at_first_failure: Return as soon as one has failed, with the results there are by then. What an event
                changed is brought back then and not waited for.
            look_again: Check a second time what must hold. Not needed for a network without recent changes.
            settle_at_end: Wait, after the last event has been undone, until the network is as before it. Not needed for
                a network that nobody looks at any more.
            within_s: Wall seconds for all of them beyond what they wait for; those not decided by then have failed.
        """
        one_run = _Run(
            testcases,
            self._lab,
            self._devices,
            stop_at_first_failure=stop_at_first_failure,
            look_again=look_again,
            settle_at_end=settle_at_end,
            reference=self.reference,
            clock=self._clock,
        )
        if within_s is None:
            self._run(one_run)
            return [one_run.results[index] for index in sorted(one_run.results)]
        within_s += sum(longest_wait_s(testcase, self._lab.time_scale) for testcase in testcases)
        within_s += sum(
            longest_s(self._lab.time_scale, actions=len(self._events[name])) for name in self._used(testcases)
        )
        ended = run_all({"testcases": lambda: self._run(one_run)}, within_s=within_s, side_by_side=1)
        error = ended.get("testcases")
        if isinstance(error, Exception) and not isinstance(error, TookTooLong):
            raise error
        decided = dict(one_run.results)
        words = f"the network that the agent left could not be looked at within {within_s:.0f} s"
        return [
            decided.get(index) or result_of(testcase, "fail", words, duration_s=within_s)
            for index, testcase in enumerate(testcases)
        ]

    def _used(self, testcases: Sequence[Testcase]) -> list[str]:
        """Return the events that testcases name, in the order of the task."""
        return [name for name in self._events if any(testcase.under == name for testcase in testcases)]

    def _run(self, run: _Run) -> None:
        run.observe([index for index, one in enumerate(run.testcases) if one.under is None])
        for index, testcase in enumerate(run.testcases):
            if testcase.under is not None and testcase.under not in self._events:
                run.results[index] = result_of(testcase, "fail", unknown("event", testcase.under, tuple(self._events)))
        used = self._used(run.testcases)
        alone = {one.under for one in run.testcases if one.under and isinstance(one, LossTestcase)}
        configs = configs_of(self._lab) if used and run.goes_on else []
        in_turn = courses({name: self._events[name] for name in used}, alone=alone)
        for course in in_turn:
            if not run.goes_on:
                return
            self._observe_during(run, course, configs, settle=run.settle_at_end or course is not in_turn[-1])

    def _observe_during(self, run: _Run, course: Sequence[str], configs: Sequence[str], *, settle: bool) -> None:
        """Cause events that continue each other, observe the testcases of each, and undo them."""
        happening = Happening(self._lab, configs)
        done = 0
        try:
            for position, name in enumerate(course):
                indices = [index for index, one in enumerate(run.testcases) if one.under == name]
                try:
                    with Streams([run.testcases[index] for index in indices], self._lab, self._devices) as streams:
                        happening.cause(self._events[name][done:])
                        losses = streams.reports()
                except EventFailed as error:
                    run.fail(course[position:], error)
                    return
                done = len(self._events[name])
                run.observe(indices, losses=losses, changed_at=happening.changed_at)
                if not run.goes_on:
                    return
        finally:
            if not happening.undo(settle=settle and run.goes_on):
                run.remarks.append(f"the network did not become as it was before event {course[0]!r}")


class _Run:
    """One list of testcases, and their results so far."""

    def __init__(
        self,
        testcases: Sequence[Testcase],
        lab: Lab,
        devices: Devices,
        *,
        stop_at_first_failure: bool,
        look_again: bool,
        settle_at_end: bool,
        reference: Reference | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.testcases = testcases
        self.results: dict[int, TestcaseResult] = {}
        self.remarks: list[str] = []
        self.settle_at_end = settle_at_end
        self._lab, self._devices, self._clock = lab, devices, clock
        self._stops = stop_at_first_failure
        self._looks_again = look_again
        self._reference = reference
        self._settling = Settling(lab)
        self._seen: Condition | None = None
        self._stillness = Stillness(self._settling, clock)
        self._held: dict[str, bool] = {}

    @property
    def goes_on(self) -> bool:
        """Whether there is a reason to observe more."""
        return not (self._stops and any(result.status == "fail" for result in self.results.values()))

    def observe(self, indices: Sequence[int], *, losses: Losses | None = None, changed_at: float | None = None) -> None:
        """Observe testcases until each has a result, or the run ends.

        Args:
            indices: Which testcases.
            losses: What was lost while the event was caused.
            changed_at: When the network last changed, by the clock; now if it is not given.
        """
        changed_at = self._clock() if changed_at is None else changed_at
        self._stillness = Stillness(self._settling, self._clock)
        order = ordered(self.testcases, indices)
        self._decide(self._waits(order.present), losses)
        absent = self._waits(order.absent)
        passed = [index for index in order.present if self._may_pass_too_early(index)]
        ahead: dict[int, Wait] = {}
        if self._looks_again and passed and self.goes_on:
            ends_at = changed_at + LOOK_AGAIN_S
            self._look(list(absent.values()), losses)  # the half second has to pass anyway
            ahead = self._ahead(order.alone, losses, ends_at=ends_at)
            threading.Event().wait(max(0.0, ends_at - self._clock()))
            ahead = self._still_true(ahead)
            first = {index: self.results[index] for index in passed}
            self._decide(self._waits(passed), losses)
            self.results |= {index: _later(first[index], self.results[index]) for index in passed}
            for wait in absent.values():
                wait.start_again()
        alone = ({index: ahead[index]} if index in ahead else self._alone(index) for index in order.alone)
        for waits in (absent, *alone):
            if self.goes_on:
                self._decide(waits, losses)

    def _ahead(self, indices: Iterable[int], losses: Losses | None, *, ends_at: float) -> dict[int, Wait]:
        """Look once at what takes long and sends no traffic, if there is time for it; return what holds."""
        quiet = self._waits(index for index in indices if not KINDS[self.testcases[index].kind].traffic)
        if not quiet or ends_at - self._clock() < LEAST_AHEAD_S:
            return {}
        self._seen = self._settling.look()
        for wait in quiet.values():
            self._look([wait], losses)
        return {index: wait for index, wait in quiet.items() if wait.result is not None and not wait.failed}

    def _still_true(self, ahead: dict[int, Wait]) -> dict[int, Wait]:
        """What was found ahead of the second look, if the network has not changed since."""
        return ahead if ahead and self._settling.look() == self._seen else {}

    def fail(self, events: Collection[str], error: EventFailed) -> None:
        """Fail the testcases under events that cannot be caused."""
        for index, testcase in enumerate(self.testcases):
            if testcase.under in events:
                self.results[index] = result_of(testcase, "fail", f"event {testcase.under!r}: {error}")

    def _may_pass_too_early(self, index: int) -> bool:
        """Whether a testcase has passed, and was not observed for as long as a network may need to feel a change."""
        stays_s = self.testcases[index].stays_s / self._lab.time_scale
        return index in self.results and self.results[index].status == "pass" and stays_s < LOOK_AGAIN_S

    def _waits(self, indices: Iterable[int]) -> dict[int, Wait]:
        return {index: Wait(self.testcases[index], time_scale=self._lab.time_scale) for index in indices}

    def _alone(self, index: int) -> dict[int, Wait]:
        """The wait for what is observed alone. While others waited in a network that did not change, it waited, too."""
        testcase = self.testcases[index]
        if not self._stillness.began or KINDS[testcase.kind].traffic:
            return self._waits([index])
        self._stillness.look()
        return {index: Wait(testcase, time_scale=self._lab.time_scale, since=lambda: self._stillness.since)}

    def _decide(self, waits: Mapping[int, Wait], losses: Losses | None) -> None:
        self._settle(list(waits.values()), losses)
        for index, wait in waits.items():
            if (result := wait.result) is not None:
                remarks = "".join(f"; {one}" for one in self.remarks) if result.status == "fail" else ""
                self.results[index] = result.model_copy(update={"actual": result.actual + remarks})

    def _settle(self, waits: Sequence[Wait], losses: Losses | None) -> None:
        pause_s = FIRST_PAUSE_S
        never = threading.Event()
        while pending := [wait for wait in waits if wait.result is None]:
            deadline.check()
            self._look(pending, losses)
            if self._stops and any(wait.failed for wait in pending):
                return
            if dues := [wait.due for wait in pending if wait.result is None]:
                if not self._stillness.began:
                    self._stillness.look()
                # between two observations, so that observing does not slow down the network
                never.wait(max(FIRST_PAUSE_S, min(pause_s, min(dues) - self._clock())))
                pause_s = min(LONGEST_PAUSE_S, pause_s * PAUSE_GROWTH)

    def _look(self, waits: Sequence[Wait], losses: Losses | None) -> None:
        """Observe the testcases of ``waits`` once, side by side."""
        if not waits:
            return
        began = self._clock()
        brief = not any(wait.is_late(began) for wait in waits)
        view = View(self._lab, self._devices, losses=losses, reference=self._reference, brief=brief)
        observations = observe([wait.testcase for wait in waits], view)
        ended = self._clock()
        if self._stillness.began:
            self._stillness.look()
        for wait, observation in zip(waits, observations, strict=True):
            if self._held.get(wait.testcase.name, observation.holds) is not observation.holds:
                self._stillness.changed()
            self._held[wait.testcase.name] = observation.holds
            wait.take(observation, began=began, ended=ended)


def _later(first: TestcaseResult, again: TestcaseResult) -> TestcaseResult:
    return again.model_copy(update={"duration_s": round(first.duration_s + again.duration_s, 6)})
