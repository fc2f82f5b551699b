"""The scene of a repair: a network in which faults were injected, and whose flows are watched."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.evaluation.holdtimes import longest_hold_s
from pytest_netbench.evaluation.monitor.monitor import PATIENCE_LAB_S, Monitor
from pytest_netbench.families.faulty.flows import words
from pytest_netbench.families.faulty.scene import FaultyScene
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.repair import Repair
from pytest_netbench.model.trial import Findings, Submission, TestcaseResult

HOLDS = 3
"""A flow may recover after a change for so many times as long as a protocol waits for a silent neighbor."""


class RepairScene(FaultyScene):
    """A network in which something is broken, and whose flows are watched while it is repaired.

    Args:
        lab: The network.
        payload: What is broken, and which flows must work.
    """

    def __init__(self, lab: Lab, payload: Repair) -> None:
        # only managed nodes can be changed, and reading a config costs more than looking at all flows
        managed = [name for name, control in lab.topology.controls.items() if control == "managed"]
        super().__init__(lab, payload, recorded=managed)
        self._monitor: Monitor | None = None

    @property
    def _hold_s(self) -> float:
        """How long the protocols of the healthy network wait for a silent neighbor, in lab seconds."""
        return longest_hold_s(self._healthy.values())

    @property
    def watcher(self) -> WorkWatcher:
        return self.monitor

    @property
    def monitor(self) -> Monitor:
        """What watches the flows, once ``observe`` has returned."""
        assert self._monitor is not None, "observe() has not been called"
        return self._monitor

    def observe(self) -> None:
        super().observe()
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
        super().destroy()

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
