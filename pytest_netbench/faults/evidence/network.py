"""What of a network an agent can look at, on paper."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Interface
from itertools import permutations

from pytest_netbench.model.faulty import Faulty

Pairs = tuple[tuple[str, str], ...]
"""Sources and targets."""


@dataclass(frozen=True, kw_only=True)
class Observable:
    """What of a network an agent can look at.

    Attributes:
        platforms: Of the nodes that answer an agent, by name.
        addresses: Those under which hosts are known, by name.
        pairs: Source and target of the pings that get through in the healthy network; of test hosts if there are any.
        links: The nodes at both ends of each link.
        demands: Source and target of the traffic.
        monitored: Further nodes that telemetry has.
        is_limited: Whether tests start at named hosts only; then nodes without a login are not asked.
        has_counters: Whether telemetry has all counters and neighbors, sample by sample.
    """

    platforms: Mapping[str, str]
    addresses: Mapping[str, str]
    pairs: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, ...], ...] = ()
    demands: tuple[tuple[str, str], ...] = ()
    monitored: frozenset[str] = frozenset()
    is_limited: bool = False
    has_counters: bool = True

    @property
    def measured(self) -> frozenset[str]:
        """The nodes that telemetry has."""
        return self.monitored | self.platforms.keys()

    def answers(self, device: str | None) -> bool:
        """Whether a node that is asked for something answers; ``None``: nothing is asked of a node."""
        return device is None or not self.is_limited or device in self.platforms

    def partner(self, host: str, *, inside: str = "0.0.0.0/0", outside: str | None = None) -> str | None:
        """A host that must be reached from another one by ping; ``None`` if there is none.

        Args:
            host: The one that sends.
            inside: The prefix that the address of the other one is in.
            outside: The prefix that it is not in.
        """
        near = None if outside is None else IPv4Interface(outside).network
        for source, target in self.pairs:
            address = IPv4Address(self.addresses[target])
            if source == host and address in IPv4Interface(inside).network and not (near and address in near):
                return target
        return None

    def across(self, one: str, other: str) -> tuple[str, str] | None:
        """Two hosts with the only shortest path between them over the link of two nodes; ``None`` if there are none."""
        return next(self._across(self.pairs, one, other), None)

    def along(self, one: str, other: str) -> tuple[str, str] | None:
        """Like ``across``, of which the first sends to the second over the link from ``one`` to ``other``."""
        return next(self._along(self.pairs, one, other), None)

    def along_both(self, first: tuple[str, str], second: tuple[str, str]) -> tuple[str, str] | None:
        """Like ``along``, of two links at once, each given by its ends in the direction of the packets."""
        others = {*self._along(self.pairs, *second)}
        return next((pair for pair in self._along(self.pairs, *first) if pair in others), None)

    def carries(self, one: str, other: str) -> bool:
        """Whether traffic has its only shortest path over the link from one node to another one."""
        return next(self._along(self.demands, one, other), None) is not None

    def beside(self, places: Iterable[Collection[str]]) -> Observable:
        """What is left if other things are wrong, too: without the pairs that have a shortest path over one of them.

        Args:
            places: The nodes of each other thing; of a link both ends.
        """
        known = tuple(places)
        pairs = (pair for pair in self.pairs if not any(self._leads_over(pair, place) for place in known))
        return replace(self, pairs=tuple(pairs))

    def _leads_over(self, pair: tuple[str, str], place: Collection[str]) -> bool:
        source, target = pair
        is_link = any({*link} == {*place} for link in self.links)
        steps = (
            [(one, other, 1) for one, other in permutations(place, 2)] if is_link else [(one, one, 0) for one in place]
        )
        whole = _distance(self.links, source, target)
        for one, other, between in steps:
            near, far = _distance(self.links, source, one), _distance(self.links, other, target)
            if near is not None and far is not None and near + between + far == whole:
                return True
        return False

    def _along(self, pairs: Pairs, one: str, other: str) -> Iterator[tuple[str, str]]:
        for source, target in self._across(pairs, one, other):
            near, far = (_distance(self.links, source, end) for end in (one, other))
            if near is not None and far is not None and near < far:
                yield source, target

    def _across(self, pairs: Pairs, one: str, other: str) -> Iterator[tuple[str, str]]:
        cut = tuple(link for link in self.links if set(link) != {one, other})
        for source, target in pairs:
            whole, rest = _distance(self.links, source, target), _distance(cut, source, target)
            if whole is not None and (rest is None or whole < rest):
                yield source, target


def observable_of(payload: Faulty) -> Observable:
    """Return what an agent can look at of the network of a task."""
    topology = payload.topology
    testers = getattr(payload, "test_hosts", ())
    pings = [group for group in payload.flows if group.protocol == "icmp" and group.allowed]
    return Observable(
        platforms={
            node.name: payload.platform_of(node.name)
            for node in topology.nodes
            if topology.controls[node.name] != "foreign"
        },
        addresses={name: address for group in payload.flows for name, address in group.targets.items()},
        pairs=tuple(
            (flow.source, flow.target)
            for group in pings
            for flow in group.flows()
            if not testers or {flow.source, flow.target} <= {*testers}
        ),
        links=tuple(tuple(end.node for end in link.endpoints) for link in topology.links),
        demands=tuple((one.source, one.target) for one in getattr(payload, "demands", ())),
        monitored=frozenset(getattr(payload, "monitored", ())),
        is_limited=bool(testers),
        has_counters=getattr(payload, "monitoring", None) is None,
    )


def _distance(links: tuple[tuple[str, ...], ...], source: str, target: str) -> int | None:
    known, waiting = {source: 0}, deque([source])
    while waiting:
        node = waiting.popleft()
        if node == target:
            return known[node]
        for other in {end for link in links if node in link for end in link} - known.keys():
            known[other] = known[node] + 1
            waiting.append(other)
    return None
