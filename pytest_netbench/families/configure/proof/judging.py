"""Whether a network does something else than after the ground truth, judged by other means than the testcases.

These are ten times the flows of the reference, drawn by another seed, the routes of all nodes, and what the devices
show of their protocols (sessions, roles, rates), also under the events of the task. What is not the same on two labs
with the ground truth is not compared. Of a cluster they are flows between all pods; where pods are says nothing, so
routes are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import not_

from pytest_netbench import parts
from pytest_netbench.deadline import poll
from pytest_netbench.dialects.mutations import Mutable, Mutations
from pytest_netbench.evaluation.behaviour.observing import Observer
from pytest_netbench.evaluation.event_run import EventFailed, happening
from pytest_netbench.evaluation.flows import flows_of
from pytest_netbench.evaluation.holdtimes import longest_hold_s
from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.settling import Settling
from pytest_netbench.families.configure.proof.differences import (
    Difference,
    Sight,
    States,
    other_routes,
    other_states,
    words_of,
)
from pytest_netbench.families.configure.proof.flows import ManyFlows
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.behaviour import Table
from pytest_netbench.model.testcase import Testcase

TIMES = 10
ANOTHER_SEED = 7919
PAUSE_S = 0.5
LABS = 2
MOST_LABS = 4
"""On how many labs the ground truth is observed before a difference from it is believed."""


class Judge:
    """Compares configured networks of a task with the ground truth's.

    Args:
        labs: Measures the task.
    """

    def __init__(self, labs: ProofLabs) -> None:
        self._labs = labs
        settings = labs.payload.reference
        self._is_of_cluster = labs.payload.resource == "cluster"
        drawn = flows_of(labs.task, seed=settings.seed + ANOTHER_SEED, count=TIMES * settings.flows)
        self._flows = ManyFlows(drawn, spoofed=settings.spoofed)
        self._truths: list[dict[str | None, Sight]] = []
        self._shown = {node.name: _mutations_of(labs, node.name) for node in labs.payload.topology.nodes}

    @property
    def is_ready(self) -> bool:
        """Whether the ground truth was observed."""
        return len(self._truths) >= LABS

    def prepare(self) -> None:
        """Observe the ground truth on labs of its own."""
        self._prepare(LABS)

    def doubt(self) -> None:
        """Observe the ground truth on more labs: what differs among them is not compared any more."""
        self._prepare(MOST_LABS)

    def _prepare(self, labs: int) -> None:
        """Observe the ground truth on so many labs, once."""
        while len(self._truths) < labs:
            with self._labs.network() as network:
                self._labs.apply(network, self._labs.payload.ground_truth_configs)
                # a mutant is judged after its testcases have waited for convergence; so is the truth
                network.evaluation.run_testcases(self._labs.payload.testcases)
                truth: dict[str | None, Sight] = {}
                for moment in self._moments(network):
                    time.sleep(self._patience_s(network.lab, moment))  # what is seen too early holds for no later look
                    observer = self._observer(network.lab)
                    earlier = self._truths[0][moment].outcomes if 0 < len(self._truths) < LABS else None
                    truth[moment] = Sight(
                        outcomes=self._flows.outcomes(observer, earlier),
                        routes=self._routes(observer),
                        states=self._states(network.lab),
                    )
                self._truths.append(truth)

    def differences(self, network: NetworkScene) -> Iterator[list[Difference]]:
        """How a configured network differs from the ground truth's, which was observed: a list for each such moment."""
        for moment in self._moments(network):
            truths = [truth[moment] for truth in self._truths if moment in truth]
            if found := [one.at(moment) for one in self._lasting(network.lab, truths, moment)]:
                yield found

    def _lasting(self, lab: Lab, truths: Sequence[Sight], moment: str | None) -> list[Difference]:
        """Differences that last as long as the task allows the network to react: a probe may notice after a minute."""
        return lasting(lambda: self._differences(lab, truths), within_s=self._patience_s(lab, moment))

    def _patience_s(self, lab: Lab, moment: str | None) -> float:
        return patience_s(self._labs.payload.testcases, moment) / lab.time_scale

    def _moments(self, network: NetworkScene) -> Iterator[str | None]:
        """The undisturbed network, then each event while it lasts. An event that cannot be caused is left out."""
        Settling(network.lab).wait(hold_s=longest_hold_s(network.evaluation.final_configs().values()))
        yield None
        for name, actions in self._labs.payload.events.items():
            try:
                with happening(network.lab, actions):
                    yield name
            except EventFailed:
                continue

    def _observer(self, lab: Lab) -> Observer:
        return Observer(View(lab, Devices(lab)))

    def _routes(self, observer: Observer) -> Mapping[str, Table]:
        return {} if self._is_of_cluster else observer.routes()

    def _states(self, lab: Lab) -> States:
        view = View(lab, Devices(lab))
        return {
            (node, command): words_of(view.output(node, command), shown.uncounted)
            for node, shown in self._shown.items()
            for command in shown.states
        }

    def _differences(self, lab: Lab, truths: Sequence[Sight]) -> list[Difference]:
        """Differences of routes and states; only if there are none, of flows, which take the longest to look at."""
        if not truths:
            return [Difference("event", "the event cannot be caused with the ground truth")]
        return [
            *other_routes(self._routes(self._observer(lab)), [truth.routes for truth in truths]),
            *other_states(self._states(lab), [truth.states for truth in truths]),
        ] or list(self._flows.differences(lambda: self._observer(lab), truths))


def patience_s(testcases: Iterable[Testcase], moment: str | None) -> float:
    """Return the lab seconds that a task allows the network to react to an event; none if it is undisturbed."""
    return max((one.within_s for one in testcases if moment is not None and one.under == moment), default=0.0)


def lasting(look: Callable[[], list[Difference]], *, within_s: float, pause_s: float = PAUSE_S) -> list[Difference]:
    """Look until nothing differs, or for so many wall seconds; return what differed at last."""
    return poll(look, until=not_, within_s=within_s, pause_s=pause_s)


def _mutations_of(labs: ProofLabs, node: str) -> Mutations:
    dialect = parts.load("dialects", labs.payload.platform_of(node))()
    return dialect.mutations() if isinstance(dialect, Mutable) else Mutations()
