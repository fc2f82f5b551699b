"""Flows of a network in words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pytest_netbench.families.faulty import clusters
from pytest_netbench.model.faulty import Faulty, FlowGroup
from pytest_netbench.model.watch import WatchedFlow

MOST_NAMED = 5


def wanted(payload: Faulty, *, allowed: bool) -> Iterator[str]:
    """A line for each group of flows that must work, or must not."""
    if clusters.is_cluster(payload):
        return clusters.wanted(payload, allowed=allowed)
    return (f"- {words(group)}" for group in payload.flows if group.allowed is allowed)


def words(group: FlowGroup) -> str:
    """Return what the flows of a group are, e.g. ``ping from r0 to h1 (10.0.1.10), h2 (10.0.1.11)``."""
    what = "ping" if group.protocol == "icmp" else f"{group.protocol.upper()} port {group.port}"
    targets = _listed(f"{name} ({address})" for name, address in group.targets.items())
    if len(group.targets) > 1 and set(group.sources) == set(group.targets):
        return f"{what} from each of these nodes to each other one: {targets}"
    return f"{what} from {_listed(group.sources)} to {targets}"


def named(flows: Sequence[WatchedFlow], numbers: Collection[int]) -> str:
    """Return the first of the flows with these numbers, and how many more there are."""
    first = sorted(numbers)[:MOST_NAMED]
    more = len(numbers) - len(first)
    return ", ".join(str(flows[number]) for number in first) + (f" and {more} more" if more else "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
