"""What right solutions agree on: under the events of a task, and of unusual packets. Pure.

How a network reacts to a failure depends on how the work was done, and a task seldom asks for more than a part of it.
Under an event two things are held: what an intent names, and what the ground truth and the recorded right solutions
agree on.

Of unusual packets (tunnels, segments of no session, source ports) nobody thought when the intents were written. They
are held if all right solutions agree; and where the ground truth changes them, or an intent's entry happens to match
them, only if there are enough right solutions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_netbench.evaluation.behaviour.compare import route_differences
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.families.configure.assembly import Look
from pytest_netbench.model.behaviour import (
    LEAST_AGREED,
    NOT_HELD,
    UNSTABLE_ROUTE,
    Behaviour,
    HeldFlow,
    RecordedFlow,
    Table,
    Unstable,
    flow_of,
)

Reactions = Mapping[str, Sequence[Sequence[Look]]]
"""By the name of a right solution: for each moment, the looks at a network with it."""


def agreed(reference: Reference, reactions: Reactions) -> Behaviour:
    """The record, without what right solutions do otherwise and no intent asks for.

    Args:
        reference: The record of the ground truth, with what the task says of it.
        reactions: What was seen of right solutions: unusual flows, and under events all flows.
    """
    return _Agreement(reference, reactions).behaviour()


class _Agreement:
    def __init__(self, reference: Reference, reactions: Reactions) -> None:
        self._reference = reference
        self._recorded = reference.behaviour
        self._reactions = reactions
        self._dropped: list[Unstable] = []

    def behaviour(self) -> Behaviour:
        flows = tuple(self._flows())
        tables, routes = self._routes()
        return self._recorded.model_copy(
            update={
                "flows": flows,
                "tables": tables,
                "routes": routes,
                "unstable": (*self._recorded.unstable, *self._dropped),
                "agreed": tuple(self._reactions),
            }
        )

    def _looks(self, moment: int) -> Iterator[tuple[str, Look]]:
        for name, moments in self._reactions.items():
            yield from ((name, look) for look in moments[moment])

    def _flows(self) -> Iterator[RecordedFlow]:
        held = [{one.flow.key: one for one in self._reference.held(under)} for under in self._recorded.moments]
        for fields, outcomes in self._recorded.flows:
            kept = list(outcomes)
            key = flow_of(fields).key
            for moment, under in enumerate(self._recorded.moments):
                one = held[moment].get(key)
                objection = None if one is None else self._objection(one, moment, under)
                if objection is not None:
                    kept[2 * moment : 2 * moment + 2] = [NOT_HELD, NOT_HELD]
                    self._drop(str(flow_of(fields)), under, objection)
            if any(one != NOT_HELD for one in kept):
                yield fields, tuple(kept)

    def _objection(self, one: HeldFlow, moment: int, under: str | None) -> str | None:
        """Why a flow is not held at a moment."""
        named = self._reference.change_of_flow(one, under) is not None
        if not one.flow.is_unusual and (under is None or named):
            return None
        for name, look in self._looks(moment):
            seen = self._reference.judged(one.flow, look.outcomes[one.flow.key], under)
            if not one.after.fits(seen):
                return f"the right solution {name!r}: {seen} instead of {one.after}"
        if not one.flow.is_unusual or not (named or one.differs):
            return None
        if one.differs and not named:
            return "the ground truth changes it, and no intent asks for it"
        return None if len(self._reactions) + 1 >= LEAST_AGREED else "too few right solutions say what becomes of it"

    def _routes(self) -> tuple[tuple[Table, ...], tuple[dict[str, tuple[int, int]], ...]]:
        tables = list(self._recorded.tables)
        routes = [dict(one) for one in self._recorded.routes]
        for moment, under in enumerate(self._recorded.moments):
            for node, prefixes in (self._other_routes(moment, under) if under is not None else {}).items():
                before, after = routes[moment][node]
                table = tables[after] | dict.fromkeys(prefixes, UNSTABLE_ROUTE)
                routes[moment][node] = (before, tables.index(table) if table in tables else len(tables))
                tables += [] if table in tables else [table]
        return tuple(tables), tuple(routes)

    def _other_routes(self, moment: int, under: str) -> dict[str, dict[str, None]]:
        """By node, the prefixes whose route under an event is another one with a right solution."""

        def asked(node: str, prefix: str) -> bool:
            return self._reference.change_of_route(node, prefix, under) is not None

        held = list(self._recorded.tables_at(under))
        found: dict[str, dict[str, None]] = {}
        for name, look in self._looks(moment):
            for one in route_differences(held, look.routes, managed=self._reference.managed, asked=asked):
                if asked(one.node, one.prefix) or one.prefix in found.setdefault(one.node, {}):
                    continue
                found[one.node][one.prefix] = None
                self._drop(f"{one.node}: route {one.prefix}", under, f"the right solution {name!r} has another one")
        return {node: prefixes for node, prefixes in found.items() if prefixes}

    def _drop(self, what: str, under: str | None, why: str) -> None:
        self._dropped.append(Unstable(what=what, under=under, why=why))
