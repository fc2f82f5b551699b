"""Compares what a network does with a recorded behaviour. Pure.

A flow must have the outcome that it has after the ground truth. For routes three things hold: a prefix that a node has
before and after must stay; if its next hops are the same before and after, they must stay, too; and nodes that are not
managed must not get a prefix that they have neither before nor after. Other routes are judged only if a task says that
an intent asks for their change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pytest_netbench.model.behaviour import UNSTABLE_ROUTE, Behaviour, HeldFlow, HeldTable, Outcome, RouteEntry, Table

AskedRoute = Callable[[str, str], bool]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class FlowDifference:
    """A flow whose outcome is not the expected one."""

    held: HeldFlow
    found: Outcome


@dataclass(frozen=True, kw_only=True)
class RouteDifference:
    """A route that is not the expected one; ``None`` for none."""

    node: str
    prefix: str
    before: RouteEntry | None
    expected: RouteEntry | None
    found: RouteEntry | None


def flow_differences(held: Iterable[HeldFlow], found: Iterable[Outcome]) -> list[FlowDifference]:
    """The flows with another outcome than after the ground truth."""
    pairs = zip(held, found, strict=True)
    return [FlowDifference(held=one, found=outcome) for one, outcome in pairs if not one.after.fits(outcome)]


def route_differences(
    held: Iterable[HeldTable], found: Mapping[str, Table], *, managed: frozenset[str], asked: AskedRoute
) -> list[RouteDifference]:
    """The routes that were lost, changed or leaked, and those that are not as an intent asks.

    Args:
        held: The recorded tables.
        found: The tables now; nodes that are missing are not judged.
        managed: The nodes that an agent may configure.
        asked: Whether a change of the route of a node to a prefix is asked for.
    """
    return [
        difference
        for tables in held
        if tables.node in found
        for difference in _of_node(tables, found[tables.node], leaks=tables.node not in managed, asked=asked)
    ]


def _of_node(tables: HeldTable, found: Table, *, leaks: bool, asked: AskedRoute) -> Iterator[RouteDifference]:
    for prefix in dict.fromkeys((*tables.before, *tables.after, *found)):
        before, after, now = tables.before.get(prefix), tables.after.get(prefix), found.get(prefix)
        if UNSTABLE_ROUTE in (before, after):
            continue
        if before is None and after is None:
            good = not leaks
        elif asked(tables.node, prefix):
            good = _hops(now) == _hops(after)
        else:
            good = before is None or after is None or _stays(before, after, now)
        if not good:
            yield RouteDifference(node=tables.node, prefix=prefix, before=before, expected=after, found=now)


def _stays(before: RouteEntry, after: RouteEntry, now: RouteEntry | None) -> bool:
    return now is not None and (_hops(before) != _hops(after) or _hops(now) == _hops(after))


def _hops(entry: RouteEntry | None) -> tuple[str, ...] | None:
    """The next hops or interfaces of a route. OSPF lists one twice after a virtual link flapped."""
    return None if entry is None else tuple(dict.fromkeys(entry[1:]))


def changed_routes(tables: HeldTable) -> Iterator[RouteDifference]:
    """The routes that the ground truth changes; ``found`` is the same as ``expected``."""
    for prefix in dict.fromkeys((*tables.before, *tables.after)):
        before, after = tables.before.get(prefix), tables.after.get(prefix)
        if UNSTABLE_ROUTE not in (before, after) and _hops(before) != _hops(after):
            yield RouteDifference(node=tables.node, prefix=prefix, before=before, expected=after, found=after)


def unjudged_routes(
    held: Iterable[HeldTable], found: Mapping[str, Table], judged: Iterable[RouteDifference]
) -> list[RouteDifference]:
    """The routes that the ground truth adds or changes and that are otherwise now, without those of ``judged``.

    They are evidence of why flows differ, and no verdict: another solution may do without them.
    """
    known = {(one.node, one.prefix) for one in judged}
    return [
        replace(one, found=now)
        for tables in held
        if tables.node in found
        for one in changed_routes(tables)
        if one.expected is not None and (one.node, one.prefix) not in known
        if _hops(now := found[tables.node].get(one.prefix)) != _hops(one.expected)
    ]


def unequal(recorded: Behaviour, observed: Behaviour) -> list[str]:
    """Flows that are held in both and differ, in words."""
    lines = []
    for under in recorded.moments:
        if under not in observed.moments:
            continue
        now = {one.flow.key: one for one in observed.held(under)}
        for one in recorded.held(under):
            other = now.get(one.flow.key)
            if other is not None and not (one.before.fits(other.before) and one.after.fits(other.after)):
                suffix = "" if under is None else f" under {under}"
                lines.append(f"{one.flow}{suffix}: {one.before}, {one.after}; now {other.before}, {other.after}")
    return lines


def spread(items: Sequence[T], most: int) -> list[T]:
    """At most ``most`` of ``items``, evenly spread."""
    if len(items) <= most:
        return list(items)
    return [items[index * len(items) // most] for index in range(most)]
