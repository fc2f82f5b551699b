"""Assembles a record from looks at a network. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pytest_netbench.model.behaviour import (
    ANY,
    NOT_HELD,
    UNSTABLE_ROUTE,
    Behaviour,
    Outcome,
    RecordedFlow,
    Table,
    Unstable,
    fields_of,
)
from pytest_netbench.model.reference import FlowKey, ReferenceFlow

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look at a network: the outcomes of the flows that were sent, and the routing tables."""

    outcomes: Mapping[FlowKey, Outcome]
    routes: Mapping[str, Table]


def assembled(
    *,
    digest: str,
    events: tuple[str, ...],
    flows: Sequence[ReferenceFlow],
    addresses: Mapping[str, tuple[str, ...]],
    before: Sequence[Sequence[Look]],
    after: Sequence[Sequence[Look]],
) -> Behaviour:
    """Hold what is the same in all looks.

    Args:
        digest: Of the task.
        events: Of the task.
        flows: What was looked at.
        addresses: By node.
        before: For each moment, all looks before anything was done.
        after: The same after the ground truth.
    """
    outcomes: _Numbers[str] = _Numbers()
    tables: _Numbers[tuple[tuple[str, tuple[str, ...]], ...]] = _Numbers()
    unstable: list[Unstable] = []
    columns: list[list[int]] = []
    routes: list[dict[str, tuple[int, int]]] = []
    for under, *both in zip((None, *events), before, after, strict=True):
        columns += _columns(both, flows, under, outcomes, unstable)
        merged = [_merged(looks) for looks in both]
        routes.append({node: _pair(tables, merged, node) for node in merged[0] if node in merged[1]})
        unstable += _unstable_routes(merged, under)
    recorded: list[RecordedFlow] = [
        (fields_of(flow), outcome)
        for flow, outcome in zip(flows, zip(*columns, strict=True), strict=True)
        if any(pair != (NOT_HELD, NOT_HELD) for pair in zip(outcome[::2], outcome[1::2], strict=True))
    ]
    return Behaviour(
        digest=digest,
        addresses=dict(addresses),
        events=events,
        outcomes=outcomes.values,
        tables=tuple(dict(table) for table in tables.values),
        routes=tuple(routes),
        flows=tuple(recorded),
        unstable=tuple(unstable),
    )


class _Numbers(Generic[T]):
    """Numbers different values in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def of(self, value: T) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> tuple[T, ...]:
        return tuple(self._numbers)


def _columns(
    both: Sequence[Sequence[Look]],
    flows: Sequence[ReferenceFlow],
    under: str | None,
    outcomes: _Numbers[str],
    unstable: list[Unstable],
) -> list[list[int]]:
    columns: list[list[int]] = [[], []]
    for flow in flows:
        seen = [[look.outcomes[flow.key] for look in looks] for looks in both]
        agreed = [_agreed(one) for one in seen]
        if None in agreed:
            unstable.append(Unstable(what=str(flow), under=under, why=_variation(seen)))
        for column, outcome in zip(columns, agreed, strict=True):
            column.append(NOT_HELD if outcome is None or None in agreed else outcomes.of(str(outcome)))
    return columns


def _agreed(seen: Sequence[Outcome]) -> Outcome | None:
    """What all of them are; a source address that varies becomes any address."""
    if len(set(seen)) == 1:
        return seen[0]
    if len({replace(one, seen=None) for one in seen}) == 1 and all(one.seen is not None for one in seen):
        return replace(seen[0], seen=ANY)
    return None


def _variation(seen: Sequence[Sequence[Outcome]]) -> str:
    """``before: allowed 3, denied 1``."""
    return "; ".join(
        f"{when}: " + ", ".join(f"{outcome} {count}" for outcome, count in Counter(map(str, one)).most_common())
        for when, one in zip(("before", "after"), seen, strict=True)
        if _agreed(one) is None
    )


def _merged(looks: Sequence[Look]) -> dict[str, Table]:
    """The tables by node; a route that varies is marked as such."""
    nodes = [node for node in looks[0].routes if all(node in look.routes for look in looks)]
    merged: dict[str, Table] = {}
    for node in nodes:
        tables = [look.routes[node] for look in looks]
        prefixes = dict.fromkeys(prefix for table in tables for prefix in table)
        merged[node] = {
            prefix: tables[0][prefix] if _is_stable(tables, prefix) else UNSTABLE_ROUTE for prefix in prefixes
        }
    return merged


def _is_stable(tables: Sequence[Table], prefix: str) -> bool:
    return len({table.get(prefix) for table in tables}) == 1


def _pair(
    tables: _Numbers[tuple[tuple[str, tuple[str, ...]], ...]], merged: Sequence[Mapping[str, Table]], node: str
) -> tuple[int, int]:
    before, after = (tables.of(tuple(one[node].items())) for one in merged)
    return before, after


def _unstable_routes(merged: Sequence[Mapping[str, Table]], under: str | None) -> list[Unstable]:
    return [
        Unstable(what=f"{node}: route {prefix}", under=under, why=f"{when}: it comes, goes or changes")
        for when, tables in zip(("before", "after"), merged, strict=True)
        for node, table in tables.items()
        for prefix, entry in table.items()
        if entry == UNSTABLE_ROUTE
    ]
