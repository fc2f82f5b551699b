"""``reference``: the network does what it did before, but for what the intents ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.evaluation.behaviour.compare import (
    FlowDifference,
    RouteDifference,
    flow_differences,
    route_differences,
    spread,
    unjudged_routes,
)
from pytest_netbench.evaluation.behaviour.observing import BATCH, FEW, Observer
from pytest_netbench.evaluation.behaviour.sampling import Sample, sample
from pytest_netbench.evaluation.behaviour.wording import Wording, evidence, group_of, summary
from pytest_netbench.evaluation.observation import BadTestcase, Observation, View
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.model.behaviour import HeldFlow, Outcome, Table
from pytest_netbench.model.reference import Change
from pytest_netbench.model.testcase import ReferenceTestcase, Testcase

MOST_CONFIRMED = 300
_HEARD_BY_ANSWERS = ("icmp", "tcp")
_MOST_LOOKS = 4  # twice, and each time what differs once more
NOT_RECORDED = "no reference behaviour is recorded for this task as it is now; record it: netbench record TASK_FILE"


def expected(testcase: ReferenceTestcase) -> str:
    """The condition, for people."""
    under = "" if testcase.under is None else f" under the event {testcase.under}"
    return f"everything that the intents do not ask for is as before{under}, the rest as after the ground truth"


def observe(testcase: ReferenceTestcase, view: View) -> Observation:
    """Compare all flows and routes; what differs is looked at once more, a few flows at a time.

    A brief look ends when a sample of the flows that differ has differed a second time.
    """
    reference = view.reference
    if reference is None:
        raise BadTestcase(NOT_RECORDED)
    if testcase.under not in reference.behaviour.moments:
        raise BadTestcase(f"the recorded behaviour knows no event {testcase.under!r}; record it again: netbench record")
    return _Comparison(reference, testcase.under, Observer(view)).observation(brief=view.brief)


def sample_of(reference: Reference, under: str | None, observer: Observer) -> Sample | None:
    """The flows that are measured at a moment, if the prober measures only a sample; ``None`` is all of them."""
    prober = observer.samples
    if prober is None:
        return None
    return sample(
        reference.compared(under),
        is_named=lambda one: reference.change_of_flow(one, under) is not None,
        beyond=lambda one: prober.beyond(observer.probe_of(one.flow)) or _unheard(one),
        per_s=prober.probes_per_s,
        seed=f"{reference.behaviour.digest} {under}",
    )


def _unheard(held: HeldFlow) -> str | None:
    """Why a sampling prober cannot tell an outcome: programs hear of an echo and of a connection only by answers."""
    arrives_alone = held.after.reach == "arrives" and held.flow.protocol in _HEARD_BY_ANSWERS
    return "what arrives and is not answered is not seen from a console" if arrives_alone else None


def measuring_s(testcases: Sequence[Testcase], view: View) -> float:
    """Wall seconds that measuring a sample takes for all testcases of this kind, looked at as often as they may be."""
    reference = view.reference
    if reference is None or view.samples is None:
        return 0.0
    moments = [one.under for one in testcases if one.kind == "reference" and one.under in reference.behaviour.moments]
    samples = [sample_of(reference, under, Observer(view)) for under in moments]
    return sum(_MOST_LOOKS * one.takes_s for one in samples if one is not None)


class _Comparison:
    """The comparison of a network with what is recorded for one moment."""

    def __init__(self, reference: Reference, under: str | None, observer: Observer) -> None:
        self._reference, self._under, self._observer = reference, under, observer
        self._wording = Wording(reference.behaviour.addresses)
        self._tables = list(reference.behaviour.tables_at(under))

    def observation(self, *, brief: bool) -> Observation:
        of = self._reference.compared(self._under)
        chosen = sample_of(self._reference, self._under, self._observer)
        held, share, beyond = (of, None, {}) if chosen is None else (chosen.held, chosen.share, chosen.beyond)
        found = self._observer.at_once([one.flow for one in held], expected=[one.after for one in held])
        suspects = spread([one.held for one in self._differing(held, found)], MOST_CONFIRMED)
        few = spread(suspects, FEW)
        surely = len(self._confirmed(few, size=FEW)) == len(few)
        if brief and few and surely:
            return Observation(holds=False, brief=True)
        flows = self._flows(suspects, size=MOST_CONFIRMED if surely else BATCH)
        routes = self._routes()
        actual = self._words(flows, routes, of=len(held)) if flows or routes else "no difference"
        return Observation(
            holds=not flows and not routes,
            command=f"{_count(held, of)} flows, and the routes of {len(self._reference.behaviour.routes[0])} nodes",
            actual=actual + _left_out(beyond),
            confirmed=True,
            measured=share,
        )

    def _words(self, flows: Sequence[FlowDifference], routes: Sequence[RouteDifference], *, of: int) -> str:
        reference, under = self._reference, self._under
        changes = [reference.change_of_route(one.node, one.prefix, under) for one in routes]
        lines = [self._wording.of_route(*one) for one in zip(routes, map(_intent, changes), strict=True)]
        changes = [reference.change_of_flow(one.held, under) for one in flows]
        lines += [self._wording.of_flow(*one) for one in zip(flows, map(_intent, changes), strict=True)]
        groups = [*(("route", one.node) for one in routes), *(group_of(one.held.flow) for one in flows)]
        unjudged = unjudged_routes(self._tables, self._routes_now(), routes)
        unjudged = [one for one in unjudged if reference.free_route(one.node, one.prefix, under) is None]
        return "\n".join([summary(lines, total=len(flows), of=of, groups=groups), *evidence(unjudged)])

    def _routes(self) -> list[RouteDifference]:
        reference, under = self._reference, self._under
        found = route_differences(
            self._tables,
            self._routes_now(),
            managed=reference.managed,
            asked=lambda node, prefix: reference.change_of_route(node, prefix, under) is not None,
        )
        return [one for one in found if reference.is_compared_route(one.node, one.prefix, under)]

    def _routes_now(self) -> Mapping[str, Table]:
        """The tables of all nodes; none are read where none are recorded, as of a cluster."""
        return self._observer.routes() if self._tables else {}

    def _flows(self, suspects: Sequence[HeldFlow], *, size: int) -> list[FlowDifference]:
        """The suspects that differ again, ``size`` at a time unless these are too many for the network."""
        differing = self._confirmed(suspects, size=size)
        sample = [one.held for one in differing[:FEW]]
        if size > BATCH or len(self._confirmed(sample, size=FEW)) == len(sample):
            return differing
        return self._confirmed([one.held for one in differing], size=FEW)

    def _confirmed(self, suspects: Sequence[HeldFlow], *, size: int) -> list[FlowDifference]:
        flows, after = [one.flow for one in suspects], [one.after for one in suspects]
        return self._differing(suspects, self._observer.in_batches(flows, size=size, expected=after))

    def _differing(self, held: Sequence[HeldFlow], found: Sequence[Outcome]) -> list[FlowDifference]:
        pairs = zip(held, found, strict=True)
        return flow_differences(held, [self._reference.judged(one.flow, seen, self._under) for one, seen in pairs])


def _count(held: Sequence[HeldFlow], of: Sequence[HeldFlow]) -> str:
    return str(len(of)) if len(held) == len(of) else f"{len(held)} of {len(of)}"


def _left_out(beyond: Mapping[str, int]) -> str:
    return "".join(f"\nnot measured: {count} flows: {reason}" for reason, count in beyond.items())


def _intent(change: Change | None) -> int | None:
    return None if change is None else change.intent


KIND: Final = Kind(observe=observe, expected=expected, alone=True)
