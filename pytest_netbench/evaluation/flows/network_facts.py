"""What is known of a task's network without running it: who has which address, what is named, what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_netbench import parts
from pytest_netbench.dialects.base import match_values_of
from pytest_netbench.dialects.match_values import Filter, Forward, MatchValues, Service, Span, span_of
from pytest_netbench.evaluation.flows.texts import values_in
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.task import Task
from pytest_netbench.model.testcase import ThroughputTestcase

_NOT_UNICAST = tuple(
    span
    for word in ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3", "::/8", "fe80::/10", "ff00::/8")
    if (span := span_of(word))
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A flow that a testcase names."""

    source: str
    source_address: Span | None
    target: Span
    protocol: str
    port: int | None
    listen_on: str | None
    listen_port: int | None
    dscp: int


class NetworkFacts:
    """The addresses, subnets and names of a task.

    Attributes:
        nodes: Names of the nodes that have an address, in topology order.
        leaves: Nodes with one interface, which forward nothing; all nodes if there are none.
        addresses: Addresses of each node.
        subnets: Each subnet that interfaces reach directly, and the nodes on it.
        spans: All addresses, prefixes and ranges that something names.
        services, dscp, filters, forwards: What is named besides.
        asked: Flows that testcases name.
    """

    def __init__(self, task: Task) -> None:
        network = task.network
        by_node = {node.name: _match_values(network, node.name) for node in network.topology.nodes}
        self.addresses: dict[str, list[Span]] = {}
        self.subnets: dict[Span, list[str]] = {}
        self._owners: dict[Span, list[str]] = {}
        self._local: dict[Span, str] = {}
        for node, found in by_node.items():
            self._attach(node, found)
        self.nodes = [node for node in by_node if self.addresses.get(node)]
        self.leaves = [node for node in self.nodes if len(network.topology.interfaces(node)) <= 1] or self.nodes
        everything = [*by_node.values(), *map(values_in, _texts(network))]
        self.asked = list(_asked(network, self.addresses))
        self.spans: list[Span] = _unique(one for found in everything for one in (*found.spans, *found.translated))
        self.spans = _unique([*self.spans, *_prefixes(network), *(one.target for one in self.asked)])
        self.services: list[Service] = _unique(one for found in everything for one in found.services)
        asked_ports = (Service(_transport(one.protocol), one.port, one.port) for one in self.asked if one.port)
        self.services = _unique([*self.services, *asked_ports])
        self.dscp: list[int] = _unique(
            [*(one for found in everything for one in found.dscp), *(one.dscp for one in self.asked if one.dscp)]
        )
        self.filters: list[Filter] = _unique(one for found in by_node.values() for one in found.filters)
        self.forwards: list[Forward] = _unique(_forwards(by_node))
        translated = [one for found in by_node.values() for one in found.translated]
        self._held: list[Span] = [one for found in by_node.values() for one in found.shared]
        self._held += [*translated, *(one.outside for one in self.forwards if one.outside)]
        self._sizes = sorted(self.subnets, key=lambda span: span.last - span.first)

    def _attach(self, node: str, found: MatchValues) -> None:
        own = self.addresses.setdefault(node, [])
        for one in found.attachments:
            if one.address in own:
                continue
            own.append(one.address)
            self._owners.setdefault(one.address, []).append(node)
            if one.is_local:
                self._local.setdefault(one.subnet, node)
            elif one.subnet.last - one.subnet.first > 1:
                on_it = self.subnets.setdefault(one.subnet, [])
                on_it.extend([node] if node not in on_it else [])
        own.sort(key=lambda span: span.version)

    def owners(self, address: Span) -> list[str]:
        """The nodes that have an address."""
        found = self._owners.get(address)
        return found or [node for span, node in self._local.items() if address in span][:1]

    def owner(self, address: Span) -> str | None:
        """The only node that has an address."""
        found = self.owners(address)
        return found[0] if len(found) == 1 else None

    def keeper(self, address: Span) -> str | None:
        """The leaf that stands for an address of its subnet that no node has; ``None`` if there is none.

        An address has one keeper, which sends from it and takes packets to it: two nodes that answer for one address
        would disturb each other.
        """
        if self.owners(address) or any(address in one for one in self._held):
            return None
        subnet = next((one for one in self._sizes if address in one), None)
        on_it = [node for node in self.subnets.get(subnet, ()) if node in self.leaves] if subnet else []
        return on_it[address.first % len(on_it)] if on_it else None

    def has_version(self, node: str, version: int) -> bool:
        """Whether a node has an address of an IP version."""
        return any(one.version == version for one in self.addresses.get(node, ()))

    def is_neighbor(self, node: str, address: Span) -> bool:
        """Whether an address lies in a subnet that the node is on."""
        return any(address in subnet and node in on_it for subnet, on_it in self.subnets.items())

    def usable(self, version: int, number: int) -> Span | None:
        """The address, or the one beside it if it is a network's own or its broadcast address; ``None`` for others."""
        if not 0 < number < (1 << (32 if version == 4 else 128)) - 1:
            return None
        span = Span(version, number, number)
        if any(span in one for one in _NOT_UNICAST):
            return None
        for subnet in self._sizes:
            if span in subnet:
                number += (number == subnet.first) - (number == subnet.last)
                break
        return Span(version, number, number)


def _match_values(network: Networked, node: str) -> MatchValues:
    commands: tuple[str, ...] = network.truth_of(node) if isinstance(network, Configure) else ()
    config = "\n".join([network.startup_configs.get(node, ""), *commands])
    platform = network.platform_of(node)
    dialect: Any = parts.load("dialects", platform)() if platform in parts.names("dialects") else None
    known = match_values_of(dialect, config)
    return values_in(config) if known is None else known


def _texts(network: Networked) -> Iterator[str]:
    for intent in network.intents if isinstance(network, Configure) else ():
        yield intent.text
        yield from (sub.text for sub in intent.sub_intents)


def _testcases(network: Networked) -> list[Any]:
    return [*getattr(network, "testcases", ()), *network.health_checks]


def _prefixes(network: Networked) -> Iterator[Span]:
    for one in _testcases(network):
        span = span_of(getattr(one, "prefix", ""))
        if span is not None and not span.is_everything:
            yield span


def _asked(network: Networked, addresses: dict[str, list[Span]]) -> Iterator[Asked]:
    for testcase in _testcases(network):
        flows = [testcase.flow, *testcase.background] if isinstance(testcase, ThroughputTestcase) else [testcase]
        for flow in flows:
            source, target = getattr(flow, "source", None), getattr(flow, "target", None)
            if not isinstance(source, str) or not isinstance(target, str):
                continue
            sender = span_of(getattr(flow, "source_address", None) or "")
            known = [one for one in addresses.get(target, ()) if sender is None or one.version == sender.version]
            address = span_of(target) or next(iter(known), None)
            if address is not None and source in addresses:
                protocol = getattr(flow, "protocol", "icmp")
                yield Asked(
                    source=source,
                    source_address=sender,
                    target=address,
                    protocol=protocol,
                    port=getattr(flow, "port", None) if protocol != "icmp" else None,
                    listen_on=getattr(flow, "listen_on", None),
                    listen_port=getattr(flow, "listen_port", None),
                    dscp=getattr(flow, "dscp", getattr(flow, "sent_dscp", 0)),
                )


def _forwards(by_node: dict[str, MatchValues]) -> Iterator[Forward]:
    """Translations, each with the address that it has outside."""
    for found in by_node.values():
        for one in found.forwards:
            if one.outside is not None:
                yield one
            for attachment in found.attachments:
                if one.outside is None and _same_interface(attachment.interface, one.interface or ""):
                    yield Forward(attachment.address, one.inside, None, one.protocol, one.outside_port, one.inside_port)


def _same_interface(name: str, other: str) -> bool:
    """Whether two spellings name one interface: the same number, and one word begins with the other."""
    split = [
        (text.rstrip("0123456789/. ").lower(), text[len(text.rstrip("0123456789/. ")) :].strip())
        for text in (name, other)
    ]
    (word, number), (other_word, other_number) = split
    return number == other_number and (word.startswith(other_word) or other_word.startswith(word))


def _transport(protocol: str) -> Any:
    return protocol if protocol in ("tcp", "udp") else None


def _unique(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))
