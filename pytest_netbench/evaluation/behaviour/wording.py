"""Differences of behaviour in words, as a person would put them. Pure.

10.1.20.7 (web1) -> 10.1.30.10 (db) tcp/443 is allowed; expected denied, as before the change
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import ip_address

from pytest_netbench.evaluation.behaviour.compare import FlowDifference, RouteDifference
from pytest_netbench.model.behaviour import ANY, Outcome, RouteEntry
from pytest_netbench.model.reference import ReferenceFlow

MOST_EXAMPLES = 6
MOST_EVIDENCE = 3
BEFORE = "as before the change"
AFTER = "as after the ground truth"

Intent = int | None
_WORDS = {"allowed": "allowed", "arrives": "delivered without an answer", "denied": "denied"}


class Wording:
    """Words for flows and routes.

    Args:
        addresses: Addresses by node.
    """

    def __init__(self, addresses: Mapping[str, Sequence[str]]) -> None:
        self._addresses = addresses

    def flow(self, flow: ReferenceFlow) -> str:
        """``10.1.20.7 (web1) -> 10.1.30.10 (db) tcp/443``."""
        mark = f" with DSCP {flow.dscp}" if flow.dscp else ""
        return f"{self._source(flow)} -> {flow.aim} {flow.service}{mark}"

    def of_flow(self, difference: FlowDifference, intent: Intent) -> str:
        """A flow with what happened, what was expected, and why."""
        held, found = difference.held, difference.found
        what, expected = _contrast(found, held.after)
        return f"{self.flow(held.flow)} {what}; expected {expected}, {_reason(held.before.fits(held.after), intent)}"

    def of_route(self, difference: RouteDifference, intent: Intent) -> str:
        """A route with what is there, what was expected, and why."""
        has = f"{difference.node}: route {difference.prefix} {_route(difference.found)}"
        reason = _reason(intent is None, intent)
        return f"{has}; expected {_route(difference.expected)}, {reason}"

    def _source(self, flow: ReferenceFlow) -> str:
        own = self._addresses.get(flow.source, ())
        if flow.target_address is not None:
            version = ip_address(flow.target_address).version
            own = [one for one in own if ip_address(one).version == version]
        address = flow.source_address or (own[0] if own else None)
        return flow.source if address is None else f"{address} ({flow.source})"


def summary(lines: Sequence[str], *, total: int, of: int, groups: Sequence[object]) -> str:
    """A headline with the number of differences, then a few examples, each of another group as far as possible.

    Args:
        lines: The differences in words.
        total: How many flows differ.
        of: How many flows were compared.
        groups: A key for each line; lines with the same key resemble each other.
    """
    shown = [lines[index] for index in _examples(groups)]
    routes = len(lines) - total
    counts = [f"{total} of {of} flows differ"] if total or not routes else []
    counts += [f"{routes} route{'s' * (routes > 1)} differ{'s' * (routes == 1)}"] if routes else []
    rest = len(lines) - len(shown)
    return "\n".join([", ".join(counts) + ":", *shown, *([f"and {rest} more"] if rest else [])])


def evidence(routes: Sequence[RouteDifference]) -> list[str]:
    """Lines for routes that only the ground truth has. They are shown beside a failure and are no part of it."""
    lines = [f"{one.node}: route {one.prefix} {_route(one.expected)}; here {_route(one.found)}" for one in routes]
    if len(lines) > MOST_EVIDENCE:
        lines[MOST_EVIDENCE:] = [f"and {len(lines) - MOST_EVIDENCE} more"]
    return ["not judged, but otherwise after the ground truth:", *lines] if lines else []


def group_of(flow: ReferenceFlow) -> object:
    """Flows with the same key resemble each other."""
    return flow.source, flow.target_node or flow.target, flow.protocol


def _examples(groups: Sequence[object]) -> list[int]:
    rank: dict[object, int] = {}
    order = []
    for index, group in enumerate(groups):
        rank[group] = rank.get(group, 0) + 1
        order.append((rank[group], index))
    return sorted(index for _, index in sorted(order)[:MOST_EXAMPLES])


def _contrast(found: Outcome, expected: Outcome) -> tuple[str, str]:
    if (found.reach, found.at) != (expected.reach, expected.at):
        return f"is {_reach(found)}", _reach(expected)
    if found.dscp != expected.dscp:
        return f"arrives with {_dscp(found)}", _dscp(expected)
    return f"is seen as coming from {_seen(found)}", _seen(expected)


def _reach(outcome: Outcome) -> str:
    return _WORDS[outcome.reach] if outcome.at is None else f"forwarded as far as {outcome.at}"


def _dscp(outcome: Outcome) -> str:
    return "an unchanged DSCP" if outcome.dscp is None else f"DSCP {outcome.dscp}"


def _seen(outcome: Outcome) -> str:
    return {None: "its own address", ANY: "an address of a pool"}.get(outcome.seen, str(outcome.seen))


def _reason(unchanged: bool, intent: Intent) -> str:
    if unchanged:
        return BEFORE
    return AFTER if intent is None else f"as intent {intent} asks"


def _route(entry: RouteEntry | None) -> str:
    if entry is None:
        return "none"
    protocol, *hops = entry
    return " ".join([protocol, *(["via " + ", ".join(hops)] if hops else [])])


def outcome_words(outcome: Outcome) -> str:
    """An outcome in words: ``allowed, seen as coming from 203.0.113.1``."""
    parts = [_reach(outcome)]
    parts += [] if outcome.dscp is None else [f"with DSCP {outcome.dscp}"]
    parts += [] if outcome.seen is None else [f"seen as coming from {_seen(outcome)}"]
    return ", ".join(parts)


def change_words(before: Outcome, after: Outcome) -> str:
    """``allowed before, denied after``."""
    return f"{outcome_words(before)} before; {outcome_words(after)} after"


def route_words(difference: RouteDifference) -> str:
    """``R1 10.0.0.0/8: static via 10.1.0.1 before; none after``."""
    change = f"{_route(difference.before)} before; {_route(difference.expected)} after"
    return f"{difference.node} {difference.prefix}: {change}"
