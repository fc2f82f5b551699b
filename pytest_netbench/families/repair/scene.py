"""The scene of a repair: a healthy network, in which faults are injected, and whose flows are watched."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence

from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.errors import FaultHasNoEffect, NotReady
from pytest_netbench.evaluation.holdtimes import longest_hold_s
from pytest_netbench.evaluation.monitor.monitor import PATIENCE_LAB_S, Monitor
from pytest_netbench.evaluation.monitor.sweeps import Sweeper
from pytest_netbench.families.repair.briefing import words
from pytest_netbench.families.repair.tables import RoutingTables
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.faults.repairs import known
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.repair import Repair
from pytest_netbench.model.trial import Findings, Submission, TestcaseResult

BASELINE_S = 10.0
"""Wall seconds in which every flow of a healthy network must be right."""
EFFECT_S = 3.0
"""Wall seconds in which the symptom must show."""
HOLDS = 3
"""A flow may recover after a change for so many times as long as a protocol waits for a silent neighbor."""
PAUSE_S = 0.05  # between two looks: no event says that packets pass again
MOST_NAMED = 5


class RepairScene:
    """A network in which something is broken.

    Args:
        lab: The network.
        payload: What is broken, and which flows must work.
    """

    def __init__(self, lab: Lab, payload: Repair) -> None:
        self._lab = lab
        self._payload = payload
        self._flows = payload.all_flows
        self._faults = [known(one) for one in payload.faults]
        # only managed nodes can be changed, and reading a config costs more than looking at all flows
        managed = [name for name, control in lab.topology.controls.items() if control == "managed"]
        self._network = NetworkScene(
            lab, health_checks=payload.health_checks, events=payload.events, configs_of=managed
        )
        self._tables = RoutingTables(lab, self._network.evaluation, managed)
        self._sweeper = Sweeper(lab, self._flows)
        self._monitor: Monitor | None = None
        self._healthy: dict[str, str] = {}
        self._wrong: Sequence[int] = ()
        """The flows that the last look found wrong."""

    @property
    def _hold_s(self) -> float:
        """How long the protocols of the healthy network wait for a silent neighbor, in lab seconds."""
        return longest_hold_s(self._healthy.values())

    @property
    def lab(self) -> Lab:
        return self._lab

    @property
    def watcher(self) -> WorkWatcher:
        return self.monitor

    @property
    def monitor(self) -> Monitor:
        """What watches the flows, once ``observe`` has returned."""
        assert self._monitor is not None, "observe() has not been called"
        return self._monitor

    def health(self) -> None:
        self._network.health()
        began = time.monotonic()
        while wrong := self._look():
            if time.monotonic() - began > BASELINE_S:
                raise NotReady([f"flows of the healthy network: {self._named(wrong)}"], waited_s=BASELINE_S)
            time.sleep(PAUSE_S)
        self._healthy = self._network.configs()
        self._tables.read("healthy")

    def inject(self) -> None:
        inject_all(self._faults, self._lab)

    def settle(self) -> None:
        await_effects(self._faults, self._lab)
        if self._payload.symptom is None:
            # nobody knows on paper how far the effect spreads
            self._tables.wait()
        began = time.monotonic()
        while (reason := self._unlike_symptom(self._look(silent=self._payload.symptom or ()))) is not None:
            if time.monotonic() - began > EFFECT_S:
                raise FaultHasNoEffect(" + ".join(one.fault for one in self._payload.faults), reason)
            time.sleep(PAUSE_S)

    def observe(self) -> None:
        self._network.observe()
        self._tables.read("initial")
        patience_lab_s = max(PATIENCE_LAB_S, HOLDS * self._hold_s)
        self._monitor = Monitor(self._lab, self._flows, patience_lab_s=patience_lab_s)
        self._monitor.begin(known=self._wrong)

    def evaluate(self, submission: Submission) -> Findings:
        watch = self.monitor.end()
        if watch.changes:
            self._tables.wait(healed=True)
        self._tables.read("final")
        findings = self._network.evaluate(submission)
        results = tuple(self._results(set(watch.wrong_after)))
        return findings.model_copy(
            update={
                "watch": watch,
                "healthy_configs": self._healthy,
                "routes": dict(self._tables.found),
                "testcase_results": (*findings.testcase_results, *results),
            }
        )

    def destroy(self) -> None:
        if self._monitor is not None:  # a trial that was broken off is not evaluated
            self._monitor.stop()
        self._lab.destroy()

    def _look(self, *, silent: Collection[int] = ()) -> list[int]:
        """Return the flows that are wrong now. Those of which no answer is expected are waited for only briefly."""
        seen = self._sweeper.look(range(len(self._flows)), silent=silent)
        self._wrong = [number for number, is_wrong in seen.items() if is_wrong]
        return self._wrong

    def _unlike_symptom(self, wrong: Sequence[int]) -> str | None:
        """What differs from the symptom of the task; without a recorded one, whether there is any."""
        expected = self._payload.symptom
        if expected is None:
            return None if wrong else "every flow is right"
        missing, surplus = set(expected) - set(wrong), set(wrong) - set(expected)
        found = []
        if missing:
            found.append(f"these flows should be wrong and are right: {self._named(missing)}")
        if surplus:
            found.append(f"these flows should be right and are wrong: {self._named(surplus)}")
        return "; ".join(found) or None

    def _named(self, numbers: Collection[int]) -> str:
        first = sorted(numbers)[:MOST_NAMED]
        more = len(numbers) - len(first)
        return ", ".join(str(self._flows[number]) for number in first) + (f" and {more} more" if more else "")

    def _results(self, wrong: Collection[int]) -> Iterable[TestcaseResult]:
        """One for each group of flows."""
        start = 0
        for group in self._payload.flows:
            count = group.count
            bad = [number for number in range(start, start + count) if number in wrong]
            start += count
            word = "work" if group.allowed else "do not work"
            yield TestcaseResult(
                name=words(group),
                kind="flows",
                role="intent",
                status="fail" if bad else "pass",
                expected=f"all {count} flows {word}",
                actual=f"{len(bad)} of {count} are wrong: {self._named(bad)}" if bad else f"all {count} flows {word}",
            )
