"""Combinations around one filter, and around what one testcase or one marking names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_netbench.dialects.match_values import Filter, Service, Span
from pytest_netbench.evaluation.flows.network_facts import Asked, NetworkFacts
from pytest_netbench.evaluation.flows.packets import TRANSPORTS, Packet, Post, edges, port_edges
from pytest_netbench.evaluation.flows.seeded_choice import SeededChoice
from pytest_netbench.model.reference import Protocol, ReferenceFlow

_MOST = 4000


def crossings(
    one: Filter, ports: Sequence[tuple[str, int]], *, facts: NetworkFacts, post: Post, choice: SeededChoice
) -> Iterator[ReferenceFlow | None]:
    """Each source of a filter to each target by each of ``ports``, in random order; a sample if there are very many."""
    sources, targets = _ends(one.sources, facts), _ends(one.targets, facts)
    services: list[tuple[str, Protocol, int | None]] = [("icmp", "icmp", None)]
    services += [(f"{protocol} {words}", protocol, port) for words, port in ports for protocol in TRANSPORTS]
    total = len(sources) * len(targets) * len(services)
    order: Iterable[int] = (
        choice.shuffled(range(total)) if total <= _MOST else (choice.below(total) for _ in range(_MOST))
    )
    for number in order:
        rest, service = divmod(number, len(services))
        source, target = divmod(rest, len(targets))
        (words, address), (to_words, to) = sources[source], targets[target]
        port_words, protocol, port = services[service]
        packet = Packet(post.sender(address), to, protocol, port)
        yield post.flow(packet, f"{one.name}: from {words} to {to_words}, {port_words}")


def _ends(spans: Sequence[Span], facts: NetworkFacts) -> list[tuple[str, Span]]:
    """Both sides of both ends of each span and the addresses of nodes in it; any node's if there are no spans."""
    found: dict[Span, str] = {}
    for node in facts.nodes:
        for address in facts.addresses[node]:
            if not spans or any(address in span for span in spans):
                found.setdefault(address, f"{address} of {node}")
    for span in spans:
        for words, address in edges(facts, span):
            found.setdefault(address, words)
    return [(words, address) for address, words in found.items()]


def around(one: Asked) -> Iterator[tuple[Protocol, int | None, int, str]]:
    """The flow of a testcase and those beside it: protocol, port, marking, and what it is."""
    protocol = protocol_of(one)
    yield protocol, one.port, one.dscp, "a testcase"
    if one.port is not None:
        for words, port in port_edges(Service(None, one.port, one.port)):
            for transport in TRANSPORTS:
                yield transport, port, one.dscp, f"a testcase, {words}"
        yield "icmp", None, one.dscp, "a testcase, icmp"
    if one.dscp:
        yield protocol, one.port, 0, "a testcase, unmarked"


def protocol_of(one: Asked) -> Protocol:
    """The protocol to record it with."""
    # without a port, the prober draws one; a recorded flow needs the same one each time
    return "icmp" if one.port is None else "udp" if one.protocol == "udp" else "tcp"


def with_neighbors(values: Sequence[int]) -> list[int]:
    """Markings and those beside them; nothing if there are none."""
    near = [value + step for value in values for step in (0, -1, 1, -8, 8)]
    return list(dict.fromkeys([*(value for value in near if 0 <= value < 64), *((0, 46) if values else ())]))
