"""Scenes that families use: a network with testcases, and nothing at all."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from pytest_netbench.errors import NotReady
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.ordering import Events
from pytest_netbench.evaluation.reference import Reference, managed_nodes
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.reference import ReferenceSettings
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.trial import Findings, Submission

LONGEST_READING_S = 30.0
"""Wall seconds in which the configs of a network can be read. A network flooded by an agent takes longer: it fails."""
LONGEST_EVALUATION_S = 60.0
"""Wall seconds for observing a network, in addition to what its testcases wait for."""


class NetworkScene:
    """A running network. Findings are its configs before and after, and the results of testcases.

    Args:
        lab: The network.
        health_checks: What must hold before the agent works.
        testcases: What is evaluated afterwards.
        reference: What the task says of its reference behaviour.
        events: The events of the task, which testcases name with ``under``.
        configs_of: Nodes whose configs are findings; ``None`` is all.
    """

    def __init__(
        self,
        lab: Lab,
        *,
        health_checks: Sequence[Testcase] = (),
        testcases: Sequence[Testcase] = (),
        reference: ReferenceSettings | None = None,
        events: Events | None = None,
        configs_of: Collection[str] | None = None,
    ) -> None:
        self._lab = lab
        self._configs_of = configs_of
        self._reference = reference
        self._health_checks = tuple(health_checks)
        self._testcases = tuple(testcases)
        self._evaluation = TaskEvaluation(lab, events=events)
        self._initial: dict[str, str] = {}

    @property
    def lab(self) -> Lab:
        return self._lab

    @property
    def evaluation(self) -> TaskEvaluation:
        """What the evaluator may ask of the network."""
        return self._evaluation

    def configs(self) -> dict[str, str]:
        """The running configs that are findings, as they are now.

        Raises:
            LabError: One could not be read.
        """
        return self._evaluation.final_configs(self._configs_of)

    def hold_to(self, behaviour: Behaviour) -> None:
        if self._reference is not None:
            managed = managed_nodes(self._lab.topology)
            self._evaluation.hold_to(Reference(behaviour, self._reference, managed=managed))

    def health(self) -> None:
        self._evaluation.require_measurable((*self._health_checks, *self._testcases))
        began = time.monotonic()
        results = self._evaluation.run_testcases(self._health_checks, look_again=False)
        failed = [result for result in results if result.status == "fail"]
        if failed:
            missing = (f"health check {one.name!r}: expected {one.expected}, saw {one.actual}" for one in failed)
            raise NotReady(missing, waited_s=time.monotonic() - began)

    def inject(self) -> None:
        return

    def settle(self) -> None:
        return

    def observe(self) -> None:
        self._initial = self.configs()

    def follow(self, before: NetworkScene) -> None:
        """Implements ``families.protocol.Follows``."""
        self._initial = before._initial

    def evaluate(self, submission: Submission) -> Findings:  # the state of the network counts
        final, unreadable = self._evaluation.configs_left(within_s=LONGEST_READING_S, names=self._configs_of)
        results = self._evaluation.run_testcases(self._testcases, within_s=LONGEST_EVALUATION_S, settle_at_end=False)
        return Findings(
            initial_configs=self._initial,
            final_configs=final,
            unreadable=tuple(unreadable),
            testcase_results=tuple(results),
            unenforced=self._evaluation.unenforced(),
            refused_startup_lines=tuple(self._lab.refused_startup_lines),
        )

    def destroy(self) -> None:
        self._lab.destroy()


class BareScene:
    """A scene without a network: the agent has only the brief, and only its answer is evaluated."""

    lab = None

    def health(self) -> None:
        return

    def inject(self) -> None:
        return

    def settle(self) -> None:
        return

    def observe(self) -> None:
        return

    def evaluate(self, submission: Submission) -> Findings:  # scorers look at the answer
        return Findings()

    def destroy(self) -> None:
        return
