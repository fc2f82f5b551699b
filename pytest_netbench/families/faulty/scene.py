"""A healthy network in which faults are injected, and whose flows are looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import not_
from typing import Final

from pytest_netbench.deadline import poll
from pytest_netbench.errors import FaultHasNoEffect, NotReady
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.monitor.sweeps import Sweeper
from pytest_netbench.evaluation.settling import Condition, Settling
from pytest_netbench.families.faulty.flows import named
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.faults.injecting import Injected, await_effects, inject_all
from pytest_netbench.faults.reasoning import known
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.lab.turn_access import at_a_moment
from pytest_netbench.model.behaviour import Table
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.trial import Moment
from pytest_netbench.platforms.driver import ListsRoutes

IN_CONFIG: Final = ("linux",)
"""Platforms whose running config contains the routes."""


class RoutingTables:
    """Reads routing tables at the moments of a trial.

    Args:
        lab: The running network.
        evaluation: What reads them.
        names: Of the nodes.
    """

    def __init__(self, lab: Lab, evaluation: TaskEvaluation, names: Iterable[str]) -> None:
        self._names = [
            name
            for name in names
            if lab.nodes[name].platform not in IN_CONFIG and isinstance(lab.driver(name), ListsRoutes)
        ]
        self._evaluation = evaluation
        self._settling = Settling(lab)
        self._healthy: Condition | None = None
        self._found: dict[Moment, dict[str, Table]] = {}

    @property
    def found(self) -> Mapping[Moment, dict[str, Table]]:
        """The tables by moment and node; nothing if no node has any beside its config."""
        return self._found

    def read(self, moment: Moment) -> None:
        """Read the tables as they are now.

        Raises:
            LabError: One cannot be read, and the agent did not cause that.
        """
        if self._names:
            self._found[moment] = self._evaluation.routes(self._names)
            if moment == "healthy":
                self._healthy = self._settling.look()

    def wait(self, *, healed: bool = False) -> None:
        """Return once routes have stopped changing.

        Args:
            healed: The network may become as it was when it was healthy. That is waited for a little longer.
        """
        if self._names:
            self._settling.wait(hold_s=0.0, like=self._healthy if healed else None)


BASELINE_S = 10.0
"""Seconds of the lab's stopwatch in which every flow of a healthy network must be right."""
EFFECT_S = 3.0
"""Such seconds in which the symptom must show."""
PAUSE_S = 0.05  # between two looks: no event says that packets pass again


class FaultyScene:
    """What scenes share in which something may be broken. A subclass evaluates what the agent left or said.

    Args:
        lab: The network.
        payload: What is broken, and which flows must work.
        recorded: The nodes whose configs and routes are recorded.
        renewed: Kinds of objects of a cluster that are created anew with the faults; ``None`` for those of any fault.
    """

    def __init__(
        self, lab: Lab, payload: Faulty, *, recorded: Collection[str], renewed: Collection[str] | None = None
    ) -> None:
        self._lab = lab
        self._payload = payload
        self._flows = payload.all_flows
        self._renewed = renewed
        self._faults: list[Injected] = [known(one) for one in payload.faults]
        self._network = NetworkScene(
            lab, health_checks=payload.health_checks, events=payload.events, configs_of=recorded
        )
        self._tables = RoutingTables(lab, self._network.evaluation, recorded)
        self._sweeper = Sweeper(lab, self._flows)
        self._now = stopwatch_of(lab).now
        self._healthy: dict[str, str] = {}
        self._wrong: Sequence[int] = ()
        """The flows that the last look found wrong."""

    @property
    def may_be_latent(self) -> bool:
        """Whether faults may be there that no flow shows."""
        return False

    @property
    def lab(self) -> Lab:
        return self._lab

    def health(self) -> None:
        self._network.health()
        if wrong := poll(self._look, until=not_, within_s=BASELINE_S, pause_s=PAUSE_S, clock=self._now):
            raise NotReady([f"flows of the healthy network: {self._named(wrong)}"], waited_s=BASELINE_S)
        self._flows_are_right()
        self._healthy = self._network.configs()
        self._tables.read("healthy")

    def _flows_are_right(self) -> None:
        """What a subclass lets begin while the configs and routes of the healthy network are read."""

    @property
    def _present(self) -> Sequence[Injected]:
        """The faults that are there. A subclass whose faults come and go says which."""
        return self._faults

    def inject(self) -> None:
        with at_a_moment(self._lab):
            inject_all(self._present, self._lab, renewed=self._renewed)

    def settle(self) -> None:
        await_effects(self._present, self._lab)
        if self._payload.symptom is None:
            # nobody knows on paper how far the effect spreads
            self._tables.wait()
        if reason := poll(self._unlike_symptom, until=not_, within_s=EFFECT_S, pause_s=PAUSE_S, clock=self._now):
            raise FaultHasNoEffect(" + ".join(one.fault for one in self._payload.faults), reason)

    def observe(self) -> None:
        self._network.observe()
        self._tables.read("initial")

    def destroy(self) -> None:
        self._lab.destroy()

    def _unlike_symptom(self) -> str | None:
        """What differs now from the symptom that the task must have; without a recorded one, whether there is any."""
        wrong = self._look(silent=self._payload.symptom or ())
        expected = self._payload.symptom if self._payload.faults else ()
        if expected is None:
            return None if wrong or self.may_be_latent else "every flow is right"
        missing, surplus = set(expected) - set(wrong), set(wrong) - set(expected)
        found = []
        if missing:
            found.append(f"these flows should be wrong and are right: {self._named(missing)}")
        if surplus:
            found.append(f"these flows should be right and are wrong: {self._named(surplus)}")
        return "; ".join(found) or None

    def _look(self, *, silent: Collection[int] = ()) -> list[int]:
        """Return the flows that are wrong now. Those of which no answer is expected are waited for only briefly."""
        seen = self._sweeper.look(range(len(self._flows)), silent=silent)
        self._wrong = [number for number, is_wrong in seen.items() if is_wrong]
        return self._wrong

    def _named(self, numbers: Collection[int]) -> str:
        return named(self._flows, numbers)
