"""Flows to draw from, in tiers: each yields flows of one kind, the most telling ones first."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.match_values import Filter, Service, Span
from pytest_netbench.evaluation.flows.filter_cases import around, crossings, protocol_of, with_neighbors
from pytest_netbench.evaluation.flows.network_facts import NetworkFacts
from pytest_netbench.evaluation.flows.overlooked import Overlooked
from pytest_netbench.evaluation.flows.packets import TRANSPORTS, Packet, Post, Sender, edges, port_edges
from pytest_netbench.evaluation.flows.seeded_choice import SeededChoice, in_turns
from pytest_netbench.model.reference import Protocol, ReferenceFlow

_ANY_PORT = (1024, 65535)
_LOW_PORTS = (1, 1023)
_UNNAMED = ("8.8.8.8", "11.22.33.44", "172.30.99.1", "192.168.254.9", "100.100.1.1")

Flows = Iterator[ReferenceFlow | None]


class Tiers:
    """All kinds of flows of a task."""

    def __init__(self, facts: NetworkFacts, choice: SeededChoice) -> None:
        self.facts = facts
        self.choice = choice
        self.post = Post(facts, choice)
        self.dscp = with_neighbors(facts.dscp)
        self.ports = list(dict.fromkeys(port for service in facts.services for _, port in port_edges(service)))
        self.edges = [edge for span in facts.spans for edge in edges(facts, span)]
        self.owned = [(node, address) for node in facts.nodes for address in facts.addresses[node]]

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
            self.neighbors(),
            self.inside(),
            self.transports(),
            self.further_addresses(),
            self.unnamed(),
            *Overlooked(self.facts, self.choice, self.post).kinds(),
        ]

    def pairs(self) -> Flows:
        for source in self.facts.nodes:
            for target in self.facts.nodes:
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
        for target, address in self.choice.shuffled(self.owned):
            if address not in self._firsts(target):
                for source in self.choice.shuffled(self.facts.nodes):
                    yield self.post.flow(Packet(Sender(source), address), f"further address of {target}")
        for source, address in self.choice.shuffled(self.owned):
            target, to = self.choice.one_of(self.owned)
            if len(self.facts.addresses[source]) > 1:
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
                _, target = self.choice.one_of(self.owned)
                yield self.post.flow(Packet(sender, target), f"source: {words}")

    def asked(self) -> Flows:
        for one in self.facts.asked:
            sender = Sender(one.source, one.source_address)
            reverse = self.facts.owner(one.target)
            for protocol, port, dscp, words in around(one):
                yield self.post.flow(Packet(sender, one.target, protocol, port, dscp), words)
            if reverse is not None:
                for back in self._firsts(one.source):
                    yield self.post.flow(
                        Packet(Sender(reverse), back, protocol_of(one), one.port, one.dscp), "a testcase, the other way"
                    )

    def filters(self) -> Flows:
        """Both sides of each end that a filter names, with both sides of its ports: all combinations, shuffled."""
        return in_turns(self._crossings(one) for one in self.choice.shuffled(self.facts.filters))

    def _crossings(self, one: Filter) -> Flows:
        ports = list(dict.fromkeys(edge for service in one.services for edge in port_edges(service)))
        ports = ports or [(f"port {port}", port) for port in (self._port(), self._any_port())]
        return crossings(one, ports, facts=self.facts, post=self.post, choice=self.choice)

    def named_ports(self) -> Flows:
        for turn in range(4):
            for service in self.facts.services:
                for words, port in port_edges(service):
                    for protocol in TRANSPORTS:
                        source, target = self.post.ends()
                        why = words if turn == 0 else f"{words}, another pair"
                        yield self.post.flow(Packet(Sender(source), target, protocol, port), why)

    def forwards(self) -> Flows:
        for one in self.facts.forwards:
            assert one.outside is not None
            ports = [one.outside_port, one.inside_port, self._any_port()]
            near = [edge for port in ports if port for edge in port_edges(Service(None, port, port))]
            for source in self.choice.shuffled(self.facts.nodes):
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
        subnets = list(self.facts.subnets)
        for turn in range(4):
            for node in self.choice.shuffled([*self.facts.leaves, *self.facts.nodes]):
                _, target = self.choice.one_of(self.owned)
                if turn == 0 or not subnets:
                    _, address = self.choice.one_of(self.owned)
                elif turn == 1 and (unnamed := self._unnamed()):
                    address = self.choice.one_of(unnamed)
                else:
                    address = self._random_in(self.choice.one_of(subnets)) or target
                if not self.facts.is_neighbor(node, address) and node not in self.facts.owners(address):
                    protocol = self.choice.one_of(TRANSPORTS)
                    packet = Packet(Sender(node, address), target, protocol, self._port())
                    yield self.post.flow(packet, f"{address} is no address of {node}'s network")

    def neighbors(self) -> Flows:
        """From other addresses of each attached subnet."""
        for _ in range(4):
            for subnet in self.facts.subnets:
                address = self._random_in(subnet)
                if address is not None and self.facts.keeper(address) is not None:
                    _, target = self.choice.one_of(self.owned)
                    protocol = self.choice.one_of(("icmp", *TRANSPORTS))
                    port = None if protocol == "icmp" else self._port()
                    packet = Packet(self.post.sender(address), target, protocol, port)
                    yield self.post.flow(packet, f"another source in {subnet}")

    def inside(self) -> Flows:
        """To further addresses of each attached subnet and named prefix."""
        for _ in range(3):
            for span in self.facts.spans:
                if span.last - span.first > 1 and (address := self._random_in(span)) is not None:
                    yield self._from_somewhere(address, f"an address in {span}")

    def unnamed(self) -> Flows:
        for address in self._unnamed():
            for source in self.choice.shuffled(self.facts.nodes):
                yield self.post.flow(Packet(Sender(source), address), "an address that nothing names")

    def by_chance(self) -> ReferenceFlow | None:
        """Any combination of what is there."""
        sender = Sender(self.choice.one_of(self.facts.leaves if self.choice.chance(0.7) else self.facts.nodes))
        if self.edges and self.choice.chance(0.15):
            sender = self.post.sender(self.choice.one_of(self.edges)[1])
        elif self.facts.spans and self.choice.chance(0.05):
            sender = Sender(sender.node, self._random_in(self.choice.one_of(self.facts.spans)))
        target = self._some_target()[1]
        protocol: Protocol = "icmp" if self.choice.chance(0.15) else self.choice.one_of(TRANSPORTS)
        port = None if protocol == "icmp" else self._port()
        dscp = self.choice.one_of(self.dscp) if self.dscp and self.choice.chance(0.3) else 0
        return self.post.flow(Packet(sender, target, protocol, port, dscp), "by chance")

    def _some_target(self) -> tuple[str, Span]:
        if self.edges and self.choice.chance(0.3):
            return self.choice.one_of(self.edges)
        if self.facts.spans and self.choice.chance(0.15):
            address = self._random_in(self.choice.one_of(self.facts.spans))
            if address is not None:
                return "", address
        return "", self.choice.one_of(self.owned)[1]

    def _from_somewhere(self, address: Span, why: str) -> ReferenceFlow | None:
        """A flow to an address from a node that is not on its subnet, if there is one."""
        sources = self.choice.shuffled(self.facts.leaves)
        sources.sort(key=lambda node: self.facts.is_neighbor(node, address))
        for source in [*sources, *self.facts.nodes]:
            flow = self.post.flow(Packet(Sender(source), address), why)
            if flow is not None:
                return flow
        return None

    def _firsts(self, node: str) -> list[Span]:
        by_version = {address.version: address for address in reversed(self.facts.addresses[node])}
        return [by_version[version] for version in sorted(by_version)]

    def _node_pairs(self) -> list[tuple[str, str]]:
        return self.choice.shuffled(
            (one, other) for one in self.facts.nodes for other in self.facts.nodes if one != other
        )

    def _port(self) -> int:
        return self.choice.one_of(self.ports) if self.ports and self.choice.chance(0.7) else self._any_port()

    def _any_port(self) -> int:
        low, high = _LOW_PORTS if self.choice.chance(0.2) else _ANY_PORT
        return low + self.choice.below(high - low + 1)

    def _random_in(self, span: Span) -> Span | None:
        return self.facts.usable(span.version, span.first + self.choice.below(span.last - span.first + 1))

    def _unnamed(self) -> list[Span]:
        found = [self.facts.usable(4, int.from_bytes(map(int, word.split(".")))) for word in _UNNAMED]
        return [one for one in found if one is not None and not any(one in span for span in self.facts.spans)][:3]
