"""Whether a network does something else than after the ground truth, judged by other means than the testcases.

These are ten times the flows of the reference, drawn by another seed, the routes of all nodes, and what the devices
show of their protocols (sessions, roles, rates), also under the events of the task. What is not the same on two labs
with the ground truth is not compared. Of a cluster they are flows between all pods; where pods are says nothing, so
routes are left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from operator import not_

from pytest_netbench import parts
from pytest_netbench.deadline import poll
from pytest_netbench.dialects.mutations import Mutable, Mutations
from pytest_netbench.evaluation.behaviour.compare import spread
from pytest_netbench.evaluation.behaviour.observing import BATCH, FEW, Observer
from pytest_netbench.evaluation.event_run import EventFailed, happening
from pytest_netbench.evaluation.flows import flows_of
from pytest_netbench.evaluation.holdtimes import longest_hold_s
from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.settling import Settling
from pytest_netbench.families.configure.proof.differences import (
    Difference,
    Sight,
    States,
    agreed,
    other_routes,
    other_states,
    words_of,
)
from pytest_netbench.families.configure.proof.proof_labs import ProofLabs
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.behaviour import Outcome, Table, is_spoofed

TIMES = 10
ANOTHER_SEED = 7919
LOOKED_AT_AGAIN = 300
"""Differing flows that are tried again: what was lost once is no difference."""
LOOKED_AT_CLOSELY = 20
"""Of those that differ again: how many are tried once more, so few at a time that no policer drops any."""
CLOSELY = 5
MOST_LOST = 1_000
"""With more silent flows, most of them are denied and not lost: they are tried again in larger batches."""
AT_ONCE = 1_000
"""The kernel's table of neighbors, which all labs share, has room for no more addresses."""
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
        self._spoofed = settings.spoofed
        self._is_of_cluster = labs.payload.resource == "cluster"
        self._flows = flows_of(labs.task, seed=settings.seed + ANOTHER_SEED, count=TIMES * settings.flows)
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
                        outcomes=self._outcomes(observer, earlier),
                        routes=self._routes(observer),
                        states=self._states(network.lab),
                    )
                self._truths.append(truth)

    def _outcomes(self, observer: Observer, earlier: Sequence[Outcome] | None) -> Sequence[Outcome]:
        """All flows, many at once. Those that do not get through may have been lost: they are tried again.

        What was found on an earlier lab at the same moment, and is found again, is taken not to be lost. A line that is
        full loses the same packets again, so where there is doubt nothing is taken from earlier labs.
        """
        found = observer.in_batches(self._flows, size=AT_ONCE, expected=earlier)
        lost = _lost(found, earlier)
        if len(lost) > MOST_LOST:
            self._try_again(observer, found, lost, size=BATCH)
            lost = _lost(found, earlier)
        if len(lost) <= MOST_LOST:
            self._try_again(observer, found, lost, size=FEW)
        return found

    def _try_again(self, observer: Observer, found: list[Outcome], indices: Sequence[int], *, size: int) -> None:
        again = observer.in_batches([self._flows[index] for index in indices], size=size)
        for index, outcome in zip(indices, again, strict=True):
            found[index] = outcome

    def differences(self, network: NetworkScene) -> Iterator[list[Difference]]:
        """How a configured network differs from the ground truth's, which was observed: a list for each such moment."""
        for moment in self._moments(network):
            truths = [truth[moment] for truth in self._truths if moment in truth]
            if found := [one.at(moment) for one in self._lasting(network.lab, truths, moment)]:
                yield found

    def _lasting(self, lab: Lab, truths: Sequence[Sight], moment: str | None) -> list[Difference]:
        """Differences that last as long as the task allows the network to react: a probe may notice after a minute."""
        patience_s = self._patience_s(lab, moment)
        return poll(lambda: self._differences(lab, truths), until=not_, within_s=patience_s, pause_s=PAUSE_S)

    def _patience_s(self, lab: Lab, moment: str | None) -> float:
        """Wall seconds that the task allows the network to react to an event; none if it is undisturbed."""
        if moment is None:
            return 0.0
        within = [one.within_s for one in self._labs.payload.testcases if one.under == moment]
        return max(within, default=0.0) / lab.time_scale

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
        ] or list(self._other_outcomes(lab, truths))

    def _other_outcomes(self, lab: Lab, truths: Sequence[Sight]) -> Iterator[Difference]:
        seen = self._observer(lab).in_batches(self._flows, size=AT_ONCE, expected=truths[0].outcomes)
        held = [agreed(outcomes) for outcomes in zip(*(truth.outcomes for truth in truths), strict=True)]
        for index, flow in enumerate(self._flows):
            # what the task does not hold to its reference is no behaviour that it asks for
            if not self._spoofed and any(is_spoofed(flow, truth.routes.get(flow.source)) for truth in truths):
                held[index] = None
        other = [index for index, outcome in enumerate(seen) if held[index] not in (None, outcome)]
        for most, size in ((LOOKED_AT_AGAIN, BATCH), (LOOKED_AT_CLOSELY, CLOSELY)):
            other = spread(other, most)
            self._try_again(self._observer(lab), seen, other, size=size)
            other = [index for index in other if seen[index] != held[index]]
        for index in other:
            about = str(self._flows[index])
            yield Difference(about, f"{about}: {seen[index]} instead of {held[index]}")


def _lost(found: Sequence[Outcome], earlier: Sequence[Outcome] | None) -> list[int]:
    """Indices of the flows that did not get through, and did on the earlier lab if there was one."""
    silent = [index for index, outcome in enumerate(found) if outcome.reach != "allowed"]
    return silent if earlier is None else [index for index in silent if found[index] != earlier[index]]


def _mutations_of(labs: ProofLabs, node: str) -> Mutations:
    dialect = parts.load("dialects", labs.payload.platform_of(node))()
    return dialect.mutations() if isinstance(dialect, Mutable) else Mutations()
