"""The scene of a repair: a network in which faults were injected, and whose flows are watched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.families.faulty.flows import words
from pytest_netbench.families.faulty.tickets import Tickets
from pytest_netbench.families.faulty.watched import WatchedScene
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.repair import Repair
from pytest_netbench.model.trial import Findings, Submission, TestcaseResult


class RepairScene(WatchedScene):
    """A network in which something is broken, and whose flows are watched while it is repaired.

    Args:
        lab: The network.
        payload: What is broken, and which flows must work.
        renewed: Kinds of objects of a cluster that are created anew with the faults; ``None`` for those of any fault.
    """

    def __init__(self, lab: Lab, payload: Repair, *, renewed: Collection[str] | None = None) -> None:
        # only managed nodes can be changed, and reading a config costs more than looking at all flows
        managed = [name for name, control in lab.topology.controls.items() if control == "managed"]
        super().__init__(lab, payload, recorded=managed, renewed=renewed)
        self._tickets = Tickets(lab, payload, self._faults, mend=self._mend) if payload.tickets else None

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """What the scene offers to the agent: tickets, in tasks that have them."""
        return () if self._tickets is None else (self._tickets.method,)

    def _mend(self, number: int) -> None:
        fault, parameters = self._faults[number]
        assert isinstance(fault, FromOutside), fault.name
        fault.undo(parameters, self._lab)

    def evaluate(self, submission: Submission) -> Findings:
        watch = self._end_of_watch()
        findings = self._network.evaluate(submission)
        results = tuple(self._results(set(watch.wrong_after)))
        return findings.model_copy(
            update={
                "watch": watch,
                "healthy_configs": self._healthy,
                "routes": dict(self._tables.found),
                "other": self._others(),
                "testcase_results": (*findings.testcase_results, *results),
            }
        )

    def _others(self) -> dict[str, Any]:
        tickets = self._tickets
        return (
            {}
            if tickets is None
            else {"tickets": tuple(tickets.opened), "open_faults": tuple(tickets.open_faults.values())}
        )

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
