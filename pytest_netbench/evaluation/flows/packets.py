"""Flows that can be sent and judged side by side: who sends, who takes the packet, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pytest_netbench.dialects.match_values import Service, Span
from pytest_netbench.evaluation.flows.network_facts import NetworkFacts
from pytest_netbench.evaluation.flows.seeded_choice import SeededChoice
from pytest_netbench.model.reference import Protocol, ReferenceFlow, transport_of

TRANSPORTS: tuple[Protocol, Protocol] = ("tcp", "udp")
_ONE_WAY = ("gre", "esp", "segment", "unreachable")


class Sender(NamedTuple):
    """A node and the address that it sends from; ``None`` leaves it to the node."""

    node: str
    address: Span | None = None


class Packet(NamedTuple):
    """What is sent where."""

    sender: Sender
    target: Span
    protocol: Protocol = "icmp"
    port: int | None = None
    dscp: int = 0
    source_port: int | None = None


class Post:
    """Makes flows of packets, and finds senders of addresses."""

    def __init__(self, facts: NetworkFacts, choice: SeededChoice) -> None:
        self._facts = facts
        self._choice = choice

    def flow(self, packet: Packet, why: str, *, target_node: str | None = None) -> ReferenceFlow | None:
        """The flow of a packet; ``None`` if it says nothing of the network or would disturb other flows.

        Args:
            packet: What is sent.
            why: Why it is drawn.
            target_node: The node that is meant, if several have the address.
        """
        facts, (node, address), target = self._facts, packet.sender, packet.target
        if not facts.has_version(node, target.version) or node in facts.owners(target):
            return None
        if address is not None and (address.version != target.version or address == target):
            return None
        if address is not None and not self._may_send(node, address):
            return None
        keeper = facts.keeper(target)
        if keeper == node:
            return None
        taker, listen_port = self._taker(packet)
        if taker == node or (taker is None and packet.protocol in _ONE_WAY):
            return None
        return ReferenceFlow(
            source=node,
            source_address=None if address is None else str(address),
            target=str(target),
            target_node=target_node or taker,
            stand_in=keeper,
            protocol=packet.protocol,
            port=packet.port,
            listen_port=listen_port,
            dscp=packet.dscp,
            why=why,
            source_port=packet.source_port,
        )

    def _may_send(self, node: str, address: Span) -> bool:
        """Whether nobody else on the node's subnets answers for the address."""
        if node in self._facts.owners(address) or not self._facts.is_neighbor(node, address):
            return True
        return not self._facts.owners(address) and self._facts.keeper(address) == node

    def _taker(self, packet: Packet) -> tuple[str | None, int | None]:
        for one in self._facts.forwards:
            if one.outside != packet.target or (one.protocol and one.protocol != transport_of(packet.protocol)):
                continue
            if one.outside_port in (None, packet.port):
                other = one.inside_port if one.inside_port != packet.port else None
                return self._facts.owner(one.inside), other if packet.port else None
        return self._facts.owner(packet.target), None

    def sender(self, address: Span) -> Sender:
        """The node that sends from an address: its owner, its keeper, or any leaf that pretends to have it."""
        owner = self._facts.owner(address)
        if owner is not None:
            own = [one for one in self._facts.addresses[owner] if one.version == address.version]
            return Sender(owner, None if own == [address] else address)
        keeper = self._facts.keeper(address)
        if keeper is not None:
            return Sender(keeper, address)
        able = [one for one in self._facts.leaves if self._facts.has_version(one, address.version)]
        return Sender(self._choice.one_of(able or self._facts.nodes), address)

    def ends(self) -> tuple[str, Span]:
        """A leaf and an address of another node, a leaf's more often than not."""
        source = self._choice.one_of(self._facts.leaves)
        others = [node for node in self._facts.leaves if node != source]
        nodes = others if others and self._choice.chance(0.8) else self._facts.nodes
        return source, self._choice.one_of(self._facts.addresses[self._choice.one_of(nodes)])


_BESIDE = re.compile(r"\b(?:address|port) (?:before|after) |\b(?:first|last) (?:address|port) of ")


def is_at_a_boundary(flow: ReferenceFlow) -> bool:
    """Whether a flow was drawn because its address or port is at an end of what something names, or just outside."""
    return _BESIDE.search(flow.why) is not None


def edges(facts: NetworkFacts, span: Span) -> Iterator[tuple[str, Span]]:
    """The addresses at both sides of both ends of a span, with what they are."""
    single = span.first == span.last
    places = (
        (f"address before {span}", span.first - 1),
        (str(span) if single else f"first address of {span}", span.first),
        ("" if single else f"last address of {span}", span.last),
        (f"address after {span}", span.last + 1),
    )
    for words, number in places:
        address = facts.usable(span.version, number) if words else None
        if address is not None:
            yield words, address


def port_edges(service: Service) -> Iterator[tuple[str, int]]:
    """The ports at both sides of both ends of a range, with what they are."""
    single = service.first == service.last
    name = f"{service.first}" if single else f"{service.first}-{service.last}"
    places = (
        (f"port before {name}", service.first - 1),
        (f"port {name}" if single else f"first port of {name}", service.first),
        ("" if single else f"last port of {name}", service.last),
        (f"port after {name}", service.last + 1),
    )
    yield from ((words, port) for words, port in places if words and 1 <= port <= 65535)
