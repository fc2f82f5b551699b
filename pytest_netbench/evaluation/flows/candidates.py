"""Flows to draw from, in tiers: each yields flows of one kind, the most telling ones first."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.match_values import Filter, Service, Span
from pytest_netbench.evaluation.flows.filter_cases import around, crossings, protocol_of, with_neighbours
from pytest_netbench.evaluation.flows.network_facts import Atlas
from pytest_netbench.evaluation.flows.overlooked import Overlooked
from pytest_netbench.evaluation.flows.packets import TRANSPORTS, Packet, Post, Sender, edges, port_edges
from pytest_netbench.evaluation.flows.seeded_choice import Lots, in_turns
from pytest_netbench.model.reference import Protocol, ReferenceFlow

_ANY_PORT = (1024, 65535)
_LOW_PORTS = (1, 1023)
_UNNAMED = ("8.8.8.8", "11.22.33.44", "172.30.99.1", "192.168.254.9", "100.100.1.1")

Flows = Iterator[ReferenceFlow | None]


class Tiers:
    """All kinds of flows of a task."""

    def __init__(self, atlas: Atlas, lots: Lots) -> None:
        self.atlas = atlas
        self.lots = lots
        self.post = Post(atlas, lots)
        self.dscp = with_neighbours(atlas.dscp)
        self.ports = list(dict.fromkeys(port for service in atlas.services for _, port in port_edges(service)))
        self.edges = [edge for span in atlas.spans for edge in edges(atlas, span)]
        self.owned = [(node, address) for node in atlas.nodes for address in atlas.addresses[node]]

    def first(self) -> list[Flows]:
        """What is drawn at least once each: pairs of nodes, both sides of each boundary, what testcases name."""
        return [self.pairs(), self.towards_edges(), self.from_edges(), self.asked()]

    def further(self) -> list[Flows]:
        """What is drawn next, in turns."""
        return [
            self.filters(),
            self.named_ports(),
            self.forwards(),
            self.markings(),
            self.spoofed(),
            self.neighbours(),
            self.inside(),
            self.transports(),
            self.further_addresses(),
            self.unnamed(),
            *Overlooked(self.atlas, self.lots, self.post).kinds(),
        ]

    def pairs(self) -> Flows:
        for source in self.atlas.nodes:
            for target in self.atlas.nodes:
                for address in self._firsts(target):
                    packet = Packet(Sender(source), address)
                    yield self.post.flow(packet, "every pair of nodes", target_node=target)

    def transports(self) -> Flows:
        for source, target in self._node_pairs():
            for address in self._firsts(target):
                for protocol in TRANSPORTS:
                    packet = Packet(Sender(source), address, protocol, self._any_port())
                    yield self.post.flow(packet, f"every pair of nodes, {protocol}", target_node=target)

    def further_addresses(self) -> Flows:
        for target, address in self.lots.shuffled(self.owned):
            if address not in self._firsts(target):
                for source in self.lots.shuffled(self.atlas.nodes):
                    yield self.post.flow(Packet(Sender(source), address), f"further address of {target}")
        for source, address in self.lots.shuffled(self.owned):
            target, to = self.lots.one_of(self.owned)
            if len(self.atlas.addresses[source]) > 1:
                yield self.post.flow(Packet(Sender(source, address), to), f"from each address of {source}")

    def towards_edges(self) -> Flows:
        for turn in range(2):
            for words, address in self.edges:
                why = words if turn == 0 else f"{words}, from elsewhere"
                yield self._from_somewhere(address, why)

    def from_edges(self) -> Flows:
        for words, address in self.edges:
            sender = self.post.sender(address)
            for _ in range(2):
                _, target = self.lots.one_of(self.owned)
                yield self.post.flow(Packet(sender, target), f"source: {words}")

    def asked(self) -> Flows:
        for one in self.atlas.asked:
            sender = Sender(one.source, one.source_address)
            reverse = self.atlas.owner(one.target)
            for protocol, port, dscp, words in around(one):
                yield self.post.flow(Packet(sender, one.target, protocol, port, dscp), words)
            if reverse is not None:
                for back in self._firsts(one.source):
                    yield self.post.flow(
                        Packet(Sender(reverse), back, protocol_of(one), one.port, one.dscp), "a testcase, the other way"
                    )

    def filters(self) -> Flows:
        """Both sides of each end that a filter names, with both sides of its ports: all combinations, shuffled."""
        return in_turns(self._crossings(one) for one in self.lots.shuffled(self.atlas.filters))

    def _crossings(self, one: Filter) -> Flows:
        ports = list(dict.fromkeys(edge for service in one.services for edge in port_edges(service)))
        ports = ports or [(f"port {port}", port) for port in (self._port(), self._any_port())]
        return crossings(one, ports, atlas=self.atlas, post=self.post, lots=self.lots)

    def named_ports(self) -> Flows:
        for turn in range(4):
            for service in self.atlas.services:
                for words, port in port_edges(service):
                    for protocol in TRANSPORTS:
                        source, target = self.post.ends()
                        why = words if turn == 0 else f"{words}, another pair"
                        yield self.post.flow(Packet(Sender(source), target, protocol, port), why)

    def forwards(self) -> Flows:
        for one in self.atlas.forwards:
            assert one.outside is not None
            ports = [one.outside_port, one.inside_port, self._any_port()]
            near = [edge for port in ports if port for edge in port_edges(Service(None, port, port))]
            for source in self.lots.shuffled(self.atlas.nodes):
                yield self.post.flow(Packet(Sender(source), one.outside), f"translated address {one.outside}")
                for words, port in near:
                    for protocol in TRANSPORTS:
                        packet = Packet(Sender(source), one.outside, protocol, port)
                        yield self.post.flow(packet, f"translated address {one.outside}, {words}")

    def markings(self) -> Flows:
        for turn in range(6):
            for dscp in self.dscp:
                source, target = self.post.ends()
                protocol: Protocol = ("icmp", *TRANSPORTS)[turn % 3]
                port = None if protocol == "icmp" else self._port()
                yield self.post.flow(Packet(Sender(source), target, protocol, port, dscp), f"dscp {dscp}")

    def spoofed(self) -> Flows:
        subnets = list(self.atlas.subnets)
        for turn in range(4):
            for node in self.lots.shuffled([*self.atlas.leaves, *self.atlas.nodes]):
                _, target = self.lots.one_of(self.owned)
                if turn == 0 or not subnets:
                    _, address = self.lots.one_of(self.owned)
                elif turn == 1 and (unnamed := self._unnamed()):
                    address = self.lots.one_of(unnamed)
                else:
                    address = self._random_in(self.lots.one_of(subnets)) or target
                if not self.atlas.is_neighbour(node, address) and node not in self.atlas.owners(address):
                    protocol = self.lots.one_of(TRANSPORTS)
                    packet = Packet(Sender(node, address), target, protocol, self._port())
                    yield self.post.flow(packet, f"{address} is no address of {node}'s network")

    def neighbours(self) -> Flows:
        """From other addresses of each attached subnet."""
        for _ in range(4):
            for subnet in self.atlas.subnets:
                address = self._random_in(subnet)
                if address is not None and self.atlas.keeper(address) is not None:
                    _, target = self.lots.one_of(self.owned)
                    protocol = self.lots.one_of(("icmp", *TRANSPORTS))
                    port = None if protocol == "icmp" else self._port()
                    packet = Packet(self.post.sender(address), target, protocol, port)
                    yield self.post.flow(packet, f"another source in {subnet}")

    def inside(self) -> Flows:
        """To further addresses of each attached subnet and named prefix."""
        for _ in range(3):
            for span in self.atlas.spans:
                if span.last - span.first > 1 and (address := self._random_in(span)) is not None:
                    yield self._from_somewhere(address, f"an address in {span}")

    def unnamed(self) -> Flows:
        for address in self._unnamed():
            for source in self.lots.shuffled(self.atlas.nodes):
                yield self.post.flow(Packet(Sender(source), address), "an address that nothing names")

    def by_chance(self) -> ReferenceFlow | None:
        """Any combination of what is there."""
        sender = Sender(self.lots.one_of(self.atlas.leaves if self.lots.chance(0.7) else self.atlas.nodes))
        if self.edges and self.lots.chance(0.15):
            sender = self.post.sender(self.lots.one_of(self.edges)[1])
        elif self.atlas.spans and self.lots.chance(0.05):
            sender = Sender(sender.node, self._random_in(self.lots.one_of(self.atlas.spans)))
        target = self._some_target()[1]
        protocol: Protocol = "icmp" if self.lots.chance(0.15) else self.lots.one_of(TRANSPORTS)
        port = None if protocol == "icmp" else self._port()
        dscp = self.lots.one_of(self.dscp) if self.dscp and self.lots.chance(0.3) else 0
        return self.post.flow(Packet(sender, target, protocol, port, dscp), "by chance")

    def _some_target(self) -> tuple[str, Span]:
        if self.edges and self.lots.chance(0.3):
            return self.lots.one_of(self.edges)
        if self.atlas.spans and self.lots.chance(0.15):
            address = self._random_in(self.lots.one_of(self.atlas.spans))
            if address is not None:
                return "", address
        return "", self.lots.one_of(self.owned)[1]

    def _from_somewhere(self, address: Span, why: str) -> ReferenceFlow | None:
        """A flow to an address from a node that is not on its subnet, if there is one."""
        sources = self.lots.shuffled(self.atlas.leaves)
        sources.sort(key=lambda node: self.atlas.is_neighbour(node, address))
        for source in [*sources, *self.atlas.nodes]:
            flow = self.post.flow(Packet(Sender(source), address), why)
            if flow is not None:
                return flow
        return None

    def _firsts(self, node: str) -> list[Span]:
        by_version = {address.version: address for address in reversed(self.atlas.addresses[node])}
        return [by_version[version] for version in sorted(by_version)]

    def _node_pairs(self) -> list[tuple[str, str]]:
        return self.lots.shuffled(
            (one, other) for one in self.atlas.nodes for other in self.atlas.nodes if one != other
        )

    def _port(self) -> int:
        return self.lots.one_of(self.ports) if self.ports and self.lots.chance(0.7) else self._any_port()

    def _any_port(self) -> int:
        low, high = _LOW_PORTS if self.lots.chance(0.2) else _ANY_PORT
        return low + self.lots.below(high - low + 1)

    def _random_in(self, span: Span) -> Span | None:
        return self.atlas.usable(span.version, span.first + self.lots.below(span.last - span.first + 1))

    def _unnamed(self) -> list[Span]:
        found = [self.atlas.usable(4, int.from_bytes(map(int, word.split(".")))) for word in _UNNAMED]
        return [one for one in found if one is not None and not any(one in span for span in self.atlas.spans)][:3]
