"""``reference``: the network does what it did before, but for what the intents ask for."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.evaluation.behaviour.compare import (
    FlowDifference,
    RouteDifference,
    flow_differences,
    route_differences,
    spread,
    unjudged_routes,
)
from pytest_netbench.evaluation.behaviour.observing import BATCH, FEW, Observer
from pytest_netbench.evaluation.behaviour.wording import Wording, evidence, group_of, summary
from pytest_netbench.evaluation.observation import BadTestcase, Observation, View
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.model.behaviour import HeldFlow, Outcome
from pytest_netbench.model.testcase import ReferenceTestcase

MOST_CONFIRMED = 300
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
    observer = Observer(view)
    held = reference.compared(testcase.under)
    first = observer.at_once([one.flow for one in held], expected=[one.after for one in held])
    suspects = spread([one.held for one in _differing(reference, testcase.under, held, first)], MOST_CONFIRMED)
    few = spread(suspects, FEW)
    surely = len(_confirmed(reference, testcase.under, few, observer, size=FEW)) == len(few)
    if view.brief and few and surely:
        return Observation(holds=False, brief=True)
    flows = _flows(reference, testcase.under, suspects, observer, size=MOST_CONFIRMED if surely else BATCH)
    lines, groups = _differences(reference, testcase.under, flows, observer)
    return Observation(
        holds=not lines,
        command=f"{len(held)} flows, and the routes of {len(reference.behaviour.routes[0])} nodes",
        actual="\n".join(
            [
                summary(lines, total=len(flows), of=len(held), groups=groups),
                *evidence(_unjudged(reference, testcase.under, observer)),
            ]
        )
        if lines
        else "no difference",
        confirmed=True,
    )


def _differences(
    reference: Reference, under: str | None, flows: Sequence[FlowDifference], observer: Observer
) -> tuple[list[str], list[object]]:
    wording = Wording(reference.behaviour.addresses)
    lines: list[str] = []
    groups: list[object] = []
    for route in _routes(reference, under, observer):
        asked = reference.change_of_route(route.node, route.prefix, under)
        lines.append(wording.of_route(route, None if asked is None else asked.intent))
        groups.append(("route", route.node))
    for flow in flows:
        change = reference.change_of_flow(flow.held, under)
        lines.append(wording.of_flow(flow, None if change is None else change.intent))
        groups.append(group_of(flow.held.flow))
    return lines, groups


def _routes(reference: Reference, under: str | None, observer: Observer) -> list[RouteDifference]:
    found = route_differences(
        reference.behaviour.tables_at(under),
        observer.routes(),
        managed=reference.managed,
        asked=lambda node, prefix: reference.change_of_route(node, prefix, under) is not None,
    )
    return [one for one in found if reference.is_compared_route(one.node, one.prefix, under)]


def _unjudged(reference: Reference, under: str | None, observer: Observer) -> list[RouteDifference]:
    judged = _routes(reference, under, observer)
    found = unjudged_routes(reference.behaviour.tables_at(under), observer.routes(), judged)
    return [one for one in found if reference.free_route(one.node, one.prefix, under) is None]


def _flows(
    reference: Reference, under: str | None, suspects: Sequence[HeldFlow], observer: Observer, *, size: int
) -> list[FlowDifference]:
    """The suspects that differ again when ``size`` are tried at a time, unless these are too many for the network."""
    differing = _confirmed(reference, under, suspects, observer, size=size)
    sample = [one.held for one in differing[:FEW]]
    if size > BATCH or len(_confirmed(reference, under, sample, observer, size=FEW)) == len(sample):
        return differing
    return _confirmed(reference, under, [one.held for one in differing], observer, size=FEW)


def _confirmed(
    reference: Reference, under: str | None, suspects: Sequence[HeldFlow], observer: Observer, *, size: int
) -> list[FlowDifference]:
    expected = [one.after for one in suspects]
    found = observer.in_batches([one.flow for one in suspects], size=size, expected=expected)
    return _differing(reference, under, suspects, found)


def _differing(
    reference: Reference, under: str | None, held: Sequence[HeldFlow], found: Sequence[Outcome]
) -> list[FlowDifference]:
    judged = [reference.judged(one.flow, outcome, under) for one, outcome in zip(held, found, strict=True)]
    return flow_differences(held, judged)
