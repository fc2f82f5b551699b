"""Flows that rules overlook: source ports, tunnels, segments, ICMP errors, and services that nothing names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.dialects.markings import DSCP
from pytest_netbench.dialects.match_values import Filter, Service, Span
from pytest_netbench.evaluation.flows.network_facts import NetworkFacts
from pytest_netbench.evaluation.flows.packets import TRANSPORTS, Packet, Post, Sender
from pytest_netbench.evaluation.flows.seeded_choice import SeededChoice
from pytest_netbench.model.reference import Protocol, ReferenceFlow

_SOURCE_PORTS: Final = (20, 53, 67, 88, 123, 443, 500, 514, 1023)
_SERVICES: Final[dict[Protocol, tuple[int, ...]]] = {
    "tcp": (21, 22, 23, 25, 53, 80, 110, 143, 179, 389, 443, 445, 587, 993, 1433, 1521, 1883, 3306, 3389, 5432, 8080),
    "udp": (53, 67, 69, 123, 137, 161, 162, 389, 443, 500, 514, 1194, 1812, 3478, 4500, 4789, 5060, 5353, 6343),
}
"""Well-known and registered ports (IANA) that networks are full of."""
_TUNNELS: Final[tuple[Protocol, Protocol]] = ("gre", "esp")
_FREE_PORTS: Final = (49152, 65535)
_HOST_BITS: Final = 8

Flows = Iterator[ReferenceFlow | None]


class Overlooked:
    """Kinds of flows of a task beside those that follow from its configs and texts; some are unusual packets."""

    def __init__(self, facts: NetworkFacts, choice: SeededChoice, post: Post) -> None:
        self._facts, self._choice, self._post = facts, choice, post
        self._owned = [address for node in facts.nodes for address in facts.addresses[node]]

    def kinds(self) -> list[Flows]:
        """One iterator for each kind."""
        return [
            self.source_ports(),
            self.tunnels(),
            self.segments(),
            self.errors(),
            self.services(),
            self.one_bit_off(),
            self.classes(),
        ]

    def source_ports(self) -> Flows:
        """What testcases and configs name, and other services, from ports that are registered for services."""
        asked = [one for one in self._facts.asked if one.port is not None and one.protocol in TRANSPORTS]
        for _ in range(3):
            for one in asked:
                protocol: Protocol = "udp" if one.protocol == "udp" else "tcp"
                sender = Sender(one.source, one.source_address)
                yield self._from_port(Packet(sender, one.target, protocol, one.port, one.dscp))
        for _ in range(2):
            for service in self._facts.services:
                source, target = self._post.ends()
                protocols = TRANSPORTS if service.protocol is None else (service.protocol,)
                yield self._from_port(Packet(Sender(source), target, self._choice.one_of(protocols), service.first))
        for source, target in self._pairs():
            protocol = self._choice.one_of(TRANSPORTS)
            yield self._from_port(Packet(Sender(source), target, protocol, self._choice.one_of(_SERVICES[protocol])))

    def _from_port(self, packet: Packet) -> ReferenceFlow | None:
        ports = [*_SOURCE_PORTS, *(one.first for one in self._facts.services)]
        port = self._choice.one_of(ports)
        return self._post.flow(packet._replace(source_port=port), f"from port {port}")

    def tunnels(self) -> Flows:
        """Packets of tunnels between what testcases name and between nodes, with and without markings.

        They have no ports, so that a router which translates addresses lets a single one through between two
        addresses. Therefore an address gets those of one node alone, and a node sends those of one protocol only and
        takes those of the other one.
        """
        senders: dict[tuple[Protocol, str], str] = {}
        sent_by: dict[str, Protocol] = {}
        for packet, why in self._tunnelled():
            flow = self._post.flow(packet, why)
            if flow is None or flow.target_node is None:
                continue
            sent, taken = (flow.protocol, *(one for one in _TUNNELS if one != flow.protocol))
            if sent_by.setdefault(flow.source, sent) != sent or sent_by.get(flow.target_node, taken) != taken:
                continue
            if senders.setdefault((flow.protocol, flow.target), flow.source) == flow.source:
                sent_by[flow.target_node] = taken
                yield flow

    def _tunnelled(self) -> Iterator[tuple[Packet, str]]:
        for one in self._facts.asked:
            for protocol in _TUNNELS:
                sender = Sender(one.source, one.source_address)
                yield Packet(sender, one.target, protocol, None, one.dscp), f"a testcase, {protocol}"
        for source, target in self._pairs():
            for protocol in self._choice.shuffled(_TUNNELS):
                dscp = self._choice.one_of(self._facts.dscp) if self._facts.dscp and self._choice.chance(0.5) else 0
                yield Packet(Sender(source), target, protocol, None, dscp), f"a tunnel, {protocol}"

    def segments(self) -> Flows:
        """Segments of sessions that nobody opened: as a client sends them, and as a server does."""
        for one in self._facts.asked:
            if one.protocol == "tcp" and one.port is not None:
                yield self._segment(Sender(one.source, one.source_address), one.target, one.port)
                yield from self._answers(one.target, one.source, one.port)
        ports = [one.first for one in self._facts.services] or [80, 443]
        for source, target in self._pairs():
            yield self._segment(Sender(source), target, self._choice.one_of(ports))
            yield self._returning(source, target, self._choice.one_of(ports))

    def _answers(self, server: Span, client: str, port: int) -> Flows:
        node = self._facts.owner(server)
        if node is not None:
            for address in self._facts.addresses[client]:
                if address.version == server.version:
                    yield self._returning(node, address, port)

    def _segment(self, sender: Sender, target: Span, port: int) -> ReferenceFlow | None:
        return self._post.flow(Packet(sender, target, "segment", port), "a segment of no session")

    def _returning(self, source: str, target: Span, port: int) -> ReferenceFlow | None:
        low, high = _FREE_PORTS
        packet = Packet(Sender(source), target, "segment", low + self._choice.below(high - low + 1), source_port=port)
        return self._post.flow(packet, "an answer that nobody asked for")

    def errors(self) -> Flows:
        """ICMP errors that belong to nothing."""
        for source, target in self._pairs():
            yield self._post.flow(Packet(Sender(source), target, "unreachable"), "an ICMP error of no session")

    def services(self) -> Flows:
        """Ports of well-known services, whether anything names them or not: between ends of filters, and elsewhere."""
        known = [(protocol, port) for protocol in TRANSPORTS for port in _SERVICES[protocol]]
        filters = self._facts.filters
        for turn in range(4):
            for protocol, port in self._choice.shuffled(known):
                if filters and turn % 2 == 0:
                    one = self._choice.one_of(filters)
                    sender, target = self._post.sender(self._end(one.sources)), self._end(one.targets)
                else:
                    source, target = self._post.ends()
                    sender = Sender(source)
                yield self._post.flow(Packet(sender, target, protocol, port), "a well-known service")

    def one_bit_off(self) -> Flows:
        """From and to addresses that a wildcard or a mask with one wrong bit would take for those of a filter."""
        for one in self._choice.shuffled([one for one in self._facts.filters for _ in range(3)]):
            near = [(span, address) for span in one.sources for address in self._flipped(span)]
            for span, address in self._choice.shuffled(near):
                packet = Packet(self._post.sender(address), self._end(one.targets))
                yield self._post.flow(self._served(packet, one), f"source: one bit beside {span}")
            near = [(span, address) for span in one.targets for address in self._flipped(span)]
            for span, address in self._choice.shuffled(near):
                packet = Packet(self._post.sender(self._end(one.sources)), address)
                yield self._post.flow(self._served(packet, one), f"one bit beside {span}")

    def _flipped(self, span: Span) -> Iterator[Span]:
        size = (span.last - span.first + 1).bit_length() - 1
        width = 32 if span.version == 4 else 128
        for bit in range(size, min(size + _HOST_BITS, width)):
            address = self._facts.usable(span.version, span.first ^ (1 << bit))
            if address is not None and address not in span:
                yield address

    def _served(self, packet: Packet, one: Filter) -> Packet:
        service: Service | None = self._choice.one_of(one.services) if one.services else None
        protocols = TRANSPORTS if service is None or service.protocol is None else (service.protocol,)
        port = service.first if service is not None else self._choice.one_of((22, 80, 443))
        return packet._replace(protocol=self._choice.one_of(protocols), port=port)

    def _end(self, spans: Sequence[Span]) -> Span:
        named = [one for one in self._owned if any(one in span for span in spans)]
        return self._choice.one_of(named or self._owned)

    def classes(self) -> Flows:
        """All standard markings, if the task is about markings."""
        for dscp in self._choice.shuffled(sorted(set(DSCP.values())) if self._facts.dscp else ()):
            for protocol in TRANSPORTS:
                source, target = self._post.ends()
                port = self._choice.one_of(_SERVICES[protocol])
                yield self._post.flow(Packet(Sender(source), target, protocol, port, dscp), f"dscp {dscp}")

    def _pairs(self) -> Iterator[tuple[str, Span]]:
        """Each leaf with each address of another node, leaves first."""
        pairs = self._choice.shuffled((source, target) for source in self._facts.leaves for target in self._owned)
        pairs.sort(key=lambda pair: self._facts.owner(pair[1]) not in self._facts.leaves)
        yield from pairs
