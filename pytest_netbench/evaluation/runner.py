"""Runs testcases: waits for each condition up to its deadline in lab time, then checks that it persists.

The order: first the testcases of the undisturbed network, then those of each event while it happens. Of each group
first what must hold. Then the same again once the network has had time to react to its last change, because a result
from before the reaction must not pass. What must not hold is looked at between the two, and has to be absent after
them, too (a network that has not converged denies everything). Then what sends traffic or takes long, one at a time,
because traffic disturbs other measurements. What takes long and sends no traffic is observed while the network is
given time to react, too; that it holds counts if routes and sessions are still the same afterwards. If its own time is
over before that of others, it is observed while they wait, and counts if nothing has changed when they are decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pytest_netbench import deadline
from pytest_netbench.evaluation.event_run import EventFailed, Happening, configs_of
from pytest_netbench.evaluation.losses import Streams
from pytest_netbench.evaluation.observation import Losses, View, WatchedWork
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
CHEAP = 4.0
"""Where waiting costs less than looking: how much longer than a look a pause is."""


class Runner:
    """Runs a list of testcases on a lab, once.

    Args:
        lab: The running network.
        devices: Its nodes and platforms.
        testcases: What must be true.
        events: The events of the task, by name.
        reference: The recorded behaviour that the network is held to, if there is one.
        unbroken: What was seen of flows while the agent worked, if somebody watched.
        stop_at_first_failure, look_again, settle_at_end: As ``TaskEvaluation.run_testcases`` has them.

    Attributes:
        results: By index of the testcase, those that are decided.
    """

    def __init__(
        self,
        lab: Lab,
        devices: Devices,
        testcases: Sequence[Testcase],
        *,
        events: Events,
        reference: Reference | None,
        unbroken: WatchedWork | None,
        stop_at_first_failure: bool,
        look_again: bool,
        settle_at_end: bool,
    ) -> None:
        self.results: dict[int, TestcaseResult] = {}
        self._lab, self._devices, self._testcases = lab, devices, testcases
        self._events, self._reference, self._unbroken = events, reference, unbroken
        self._stops, self._looks_again, self._settles = stop_at_first_failure, look_again, settle_at_end
        self._used = {name: actions for name, actions in events.items() if any(one.under == name for one in testcases)}
        self._losses: Losses | None = None
        self._remarks: list[str] = []
        self._settling = Settling(lab)
        self._stopwatch = self._settling.stopwatch
        self._stillness = Stillness(self._settling)
        self._beside: dict[int, tuple[Wait, float | None]] = {}

    def run(self) -> None:
        """Observe the undisturbed network, then each event while it happens.

        Raises:
            LabError: The lab broke.
        """
        self._observe([index for index, one in enumerate(self._testcases) if one.under is None])
        for index, testcase in enumerate(self._testcases):
            if testcase.under is not None and testcase.under not in self._events:
                self.results[index] = result_of(testcase, "fail", unknown("event", testcase.under, tuple(self._events)))
        alone = {one.under for one in self._testcases if one.under and isinstance(one, LossTestcase)}
        configs = configs_of(self._lab) if self._used and self._goes_on else []
        in_turn = courses(self._used, alone=alone)
        for course in in_turn:
            if not self._goes_on:
                return
            self._observe_during(course, configs, settle=self._settles or course is not in_turn[-1])

    @property
    def longest_s(self) -> float:
        """The wall seconds that it takes at most, if observing the network takes no time."""
        scale = self._lab.time_scale
        waits_s = sum(longest_wait_s(testcase, scale) for testcase in self._testcases)
        return waits_s + sum(longest_s(scale, actions=len(actions)) for actions in self._used.values())

    @property
    def _goes_on(self) -> bool:
        """Whether there is a reason to observe more."""
        return not (self._stops and any(result.status == "fail" for result in self.results.values()))

    def _observe_during(self, course: Sequence[str], configs: Sequence[str], *, settle: bool) -> None:
        """Cause events that continue each other, observe the testcases of each, and undo them."""
        happening = Happening(self._lab, configs)
        done = 0
        try:
            for position, name in enumerate(course):
                indices = [index for index, one in enumerate(self._testcases) if one.under == name]
                try:
                    with Streams([self._testcases[index] for index in indices], self._lab, self._devices) as streams:
                        happening.cause(self._events[name][done:])
                        self._losses = streams.reports()
                except EventFailed as error:
                    self._fail(course[position:], error)
                    return
                done = len(self._events[name])
                self._observe(indices, changed_at=happening.changed_at)
                if not self._goes_on:
                    return
        finally:
            if not happening.undo(settle=settle and self._goes_on):
                self._remarks.append(f"the network did not become as it was before event {course[0]!r}")

    def _fail(self, events: Collection[str], error: EventFailed) -> None:
        """Fail the testcases under events that cannot be caused."""
        for index, testcase in enumerate(self._testcases):
            if testcase.under in events:
                self.results[index] = result_of(testcase, "fail", f"event {testcase.under!r}: {error}")

    def _observe(self, indices: Sequence[int], *, changed_at: float | None = None) -> None:
        """Observe testcases until each has a result, or the run ends.

        Args:
            indices: Which testcases.
            changed_at: When the network last changed, by the stopwatch; now if it is not given.
        """
        ends_at = (self._stopwatch.now() if changed_at is None else changed_at) + LOOK_AGAIN_S
        self._stillness = Stillness(self._settling)
        order = ordered(self._testcases, indices)
        self._beside = {index: (self._still(index), None) for index in order.alone if not self._sends(index)}
        self._decide(self._waits(order.present), beside=True)
        absent = self._waits(order.absent)
        passed = [index for index in order.present if self._may_pass_too_early(index)]
        ahead: dict[int, Wait] = {}
        if self._looks_again and passed and self._goes_on:
            self._look(list(absent.values()))  # the half second has to pass anyway
            ahead = self._ahead(order.alone, ends_at=ends_at)
            first = {index: self.results[index] for index in passed}
            self._decide(self._waits(passed))
            self.results |= {index: _later(first[index], self.results[index]) for index in passed}
            for wait in absent.values():
                wait.start_again()
        alone = ({index: ahead[index]} if index in ahead else self._alone(index) for index in order.alone)
        for waits in (absent, *alone):
            if self._goes_on:
                self._decide(waits)

    def _ahead(self, indices: Iterable[int], *, ends_at: float) -> dict[int, Wait]:
        """Wait, and meanwhile look once at what takes long and sends no traffic, if there is time for it.

        Return what holds, if the network has not changed since.
        """
        quiet = self._waits(index for index in indices if not self._sends(index) and not self._is_known(index))
        before: Condition | None = None
        if quiet and ends_at - self._stopwatch.now() >= LEAST_AHEAD_S:
            before = self._settling.look()
            for wait in quiet.values():
                self._look([wait])
        # no event tells that a network will not react any more
        self._stopwatch.sleep(max(0.0, ends_at - self._stopwatch.now()))
        holding = {index: wait for index, wait in quiet.items() if wait.result is not None and not wait.failed}
        return holding if holding and self._settling.look() == before else {}

    def _may_pass_too_early(self, index: int) -> bool:
        """Whether a testcase has passed, and was not observed for as long as a network may need to feel a change."""
        stays_s = self._testcases[index].stays_s / self._lab.time_scale
        return index in self.results and self.results[index].status == "pass" and stays_s < LOOK_AGAIN_S

    def _waits(self, indices: Iterable[int]) -> dict[int, Wait]:
        return {index: Wait(self._testcases[index], time_scale=self._lab.time_scale) for index in indices}

    def _sends(self, index: int) -> bool:
        return KINDS[self._testcases[index].kind].traffic

    def _alone(self, index: int) -> dict[int, Wait]:
        """The wait for what is observed alone. While others waited in a network that did not change, it waited, too."""
        if not self._stillness.began or self._sends(index):
            return self._waits([index])
        self._stillness.look()
        return {index: self._beside[index][0] if self._is_known(index) else self._still(index)}

    def _still(self, index: int) -> Wait:
        """A wait whose time begins when the network last changed."""
        return Wait(self._testcases[index], time_scale=self._lab.time_scale, since=lambda: self._stillness.since)

    def _is_known(self, index: int) -> bool:
        """Whether a testcase was decided while others waited, and nothing has changed since."""
        wait, since = self._beside[index]
        return wait.result is not None and since == self._stillness.since

    def _look_beside(self) -> bool:
        """Observe one testcase whose time is over before that of those that wait; whether there was one."""
        now = self._stopwatch.now()
        for index, (wait, _) in self._beside.items():
            if self._stillness.began and not self._is_known(index):
                again = wait if wait.result is None else self._still(index)
                if again.is_late(now):
                    self._look([again])
                    self._beside[index] = again, self._stillness.since
                    return True
        return False

    def _decide(self, waits: Mapping[int, Wait], *, beside: bool = False) -> None:
        """Look again and again until each testcase has a result, or the run ends.

        Args:
            waits: By index of the testcase.
            beside: While they wait, decide what is observed alone if its time is over.
        """
        pause_s = FIRST_PAUSE_S
        while pending := [wait for wait in waits.values() if wait.result is None]:
            deadline.check()
            began = self._stopwatch.now()
            self._look(pending)
            looked_s = self._stopwatch.now() - began
            if self._stops and any(wait.failed for wait in pending):
                break
            if dues := [wait.due for wait in pending if wait.result is None]:
                if not self._stillness.began:
                    self._stillness.look()
                if beside and self._look_beside():
                    continue
                # between two observations, so that observing does not slow down the network
                now = self._stopwatch.now()
                longest_s = min(dues) - now
                if self._stopwatch.is_cheap:
                    left_s = min(wait.left_s(now) for wait in pending if wait.result is None)
                    pause_s = max(pause_s, min(CHEAP * looked_s, left_s))
                self._stopwatch.sleep(max(FIRST_PAUSE_S, min(pause_s, longest_s)))
                pause_s = min(LONGEST_PAUSE_S, pause_s * PAUSE_GROWTH)
        for index, wait in waits.items():
            if (result := wait.result) is not None:
                remarks = "".join(f"; {one}" for one in self._remarks) if result.status == "fail" else ""
                self.results[index] = result.model_copy(update={"actual": result.actual + remarks})

    def _look(self, waits: Sequence[Wait]) -> None:
        """Observe the testcases of ``waits`` once, side by side."""
        if not waits:
            return
        began = self._stopwatch.now()
        brief = not any(wait.is_late(began) for wait in waits)
        view = View(
            self._lab,
            self._devices,
            losses=self._losses,
            reference=self._reference,
            brief=brief,
            unbroken=self._unbroken,
        )
        observations = observe([wait.testcase for wait in waits], view)
        ended = self._stopwatch.now()
        if self._stillness.began:
            self._stillness.look()
        for wait, observation in zip(waits, observations, strict=True):
            self._stillness.note(wait.testcase.name, holds=observation.holds)
            wait.take(observation, began=began, ended=ended)


def _later(first: TestcaseResult, again: TestcaseResult) -> TestcaseResult:
    return again.model_copy(update={"duration_s": round(first.duration_s + again.duration_s, 6)})
