"""Observes what a running network does with many flows, and its routes.

A flow that does not get through is tried again in batches, because packets may be lost on slow links or while
addresses are resolved. A flow that is expected to be silent is sent once and waited for briefly: it is tried again only
if its outcome differs. How a node says no (an ICMP message of which kind, or none) is not part of an outcome.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from pytest_netbench.evaluation.observation import View
from pytest_netbench.lab.probing import Probe, ProbeResult, Samples
from pytest_netbench.model.behaviour import Outcome, Table
from pytest_netbench.model.reference import ReferenceFlow
from pytest_netbench.platforms.driver import Route
from pytest_netbench.randomness import seeded

BATCH = 100
FEW = 20
SILENCE_S = 0.1
READERS = 8


class Observer:
    """Observes flows and routes in one round.

    Args:
        view: The network.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._tables: dict[str, Table] | None = None

    @property
    def samples(self) -> Samples | None:
        """The prober, if it measures only a sample of what may be asked."""
        return self._view.samples

    def at_once(self, flows: Sequence[ReferenceFlow], *, expected: Sequence[Outcome] | None = None) -> list[Outcome]:
        """The outcome of each flow, all tried side by side.

        Args:
            flows: The flows.
            expected: Outcomes. Where they expect no answer, the wait is short, and without slow links
                nothing is sent again.
        """
        silent = [outcome.reach != "allowed" for outcome in expected] if expected is not None else [False] * len(flows)
        probes = [self.probe_of(flow, silent=quiet) for flow, quiet in zip(flows, silent, strict=True)]
        found: dict[int, ProbeResult] = {}
        for part in _apart(probes):
            found.update(zip(part, self._view.probe([probes[index] for index in part]), strict=True))
        return [self._outcome(flow, found[index]) for index, flow in enumerate(flows)]

    def in_batches(
        self, flows: Sequence[ReferenceFlow], *, size: int = BATCH, expected: Sequence[Outcome] | None = None
    ) -> list[Outcome]:
        """As ``at_once``, ``size`` flows at a time: shapers and policers drop what comes all at once."""
        found: list[Outcome] = []
        for start in range(0, len(flows), size):
            part = slice(start, start + size)
            found += self.at_once(flows[part], expected=None if expected is None else expected[part])
        return found

    def thoroughly(
        self, flows: Sequence[ReferenceFlow], *, seed: int, earlier: Sequence[Outcome] | None = None
    ) -> list[Outcome]:
        """The outcome of each flow: all at once in an order that is drawn, then in batches what did not get through.

        Args:
            flows: The flows.
            seed: Draws the order.
            earlier: What was found before at the same moment. What is found again is not tried a second time.
        """
        order = seeded(seed).sample(range(len(flows)), len(flows))
        expected = None if earlier is None else [earlier[index] for index in order]
        found = dict(zip(order, self.at_once([flows[index] for index in order], expected=expected), strict=True))
        again = [
            index
            for index in order
            if found[index].reach != "allowed" and (earlier is None or found[index] != earlier[index])
        ]
        found.update(zip(again, self.in_batches([flows[index] for index in again]), strict=True))
        return [found[index] for index in range(len(flows))]

    def routes(self) -> dict[str, Table]:
        """The routing table of each node whose driver lists all routes; no link-local prefixes. Read once."""
        if self._tables is None:
            with ThreadPoolExecutor(max_workers=READERS) as readers:
                nodes = self._view.nodes
                found = zip(nodes, readers.map(self._view.table, nodes), strict=True)
                self._tables = {node: table_of(routes) for node, routes in found if routes is not None}
        return self._tables

    def probe_of(self, flow: ReferenceFlow, *, silent: bool = False) -> Probe:
        """The packet that tells the outcome of a flow; ``silent`` if no answer is expected."""
        listens = flow.target_node if flow.protocol in ("tcp", "udp") else None
        timeout_s = self._view.probe_timeout_s
        return Probe(
            source=flow.source,
            target=flow.target,
            protocol=flow.protocol,
            port=flow.port,
            source_port=flow.source_port,
            source_address=flow.source_address,
            listen_on=listens,
            listen_port=flow.listen_port,
            stand_in=flow.stand_in,
            arrives_at=(flow.target_node,) if flow.target_node is not None else (),
            follow=tuple(node for node in self._view.nodes if node != flow.source) if _is_nobodys(flow) else (),
            dscp=flow.dscp,
            timeout_s=min(timeout_s, SILENCE_S + self._view.delay_s) if silent else timeout_s,
            repetitions=0 if silent and not self._view.is_slow else None,
        )

    def _outcome(self, flow: ReferenceFlow, result: ProbeResult) -> Outcome:
        if not result.delivered and result.came_by:
            return Outcome(reach="arrives", at=result.came_by[-1])
        if not (result.delivered or result.arrived):
            return Outcome(reach="denied")
        return Outcome(
            reach="allowed" if result.delivered else "arrives",
            dscp=None if result.received_dscp == flow.dscp else result.received_dscp,
            seen=self._changed_source(flow, result.seen_source),
        )

    def _changed_source(self, flow: ReferenceFlow, seen: str | None) -> str | None:
        if seen is None:
            return None
        if flow.source_address is not None:
            same = ipaddress.ip_address(seen) == ipaddress.ip_address(flow.source_address)
        else:
            same = self._view.owner(seen, among=(flow.source,)) is not None
        return None if same else seen


def _apart(probes: Sequence[Probe]) -> list[list[int]]:
    """Indices of probes that may be tried side by side.

    Who answers on a port for one probe must not answer another one that asks whether anybody does.
    """
    answered = {(one.protocol, one.listen_port or one.port) for one in probes if one.listen_on is not None}
    asking = [
        index
        for index, one in enumerate(probes)
        if one.protocol in ("tcp", "udp") and one.listen_on is None and (one.protocol, one.port) in answered
    ]
    others = sorted({*range(len(probes))} - {*asking})
    return [part for part in (others, asking) if part]


def _is_nobodys(flow: ReferenceFlow) -> bool:
    return flow.target_node is None and flow.stand_in is None


def table_of(routes: Sequence[Route]) -> Table:
    """Return a routing table by prefix: protocol and next hops, or interfaces; no link-local prefixes."""
    table: Table = {}
    for route in routes:
        if not (":" in route.prefix and ipaddress.ip_network(route.prefix).is_link_local):
            table.setdefault(route.prefix, (route.protocol, *sorted({*(route.next_hops or route.interfaces)})))
    return dict(sorted(table.items(), key=lambda item: _order(item[0])))


def _order(prefix: str) -> tuple[int, int, int]:
    network = ipaddress.ip_network(prefix)
    return network.version, int(network.network_address), network.prefixlen
