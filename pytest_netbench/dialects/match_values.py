"""What a configuration names that packets can meet: addresses, prefixes, ranges, ports, markings. Pure.

Each dialect has its own line forms and collects them into ``MatchValues``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

Protocol = Literal["tcp", "udp"]

_BITS = {4: 32, 6: 128}


@dataclass(frozen=True)
class Span:
    """All addresses from ``first`` to ``last``, as numbers; a single address is a span of one."""

    version: int
    first: int
    last: int

    @property
    def is_everything(self) -> bool:
        """Whether it is the whole address space."""
        return self.first == 0 and self.last == (1 << _BITS[self.version]) - 1

    def __contains__(self, other: Span) -> bool:
        return self.version == other.version and self.first <= other.first and other.last <= self.last

    def __str__(self) -> str:
        if self.first == self.last:
            return written(self.version, self.first)
        size = self.last - self.first + 1
        if size & (size - 1) == 0 and self.first % size == 0:
            return f"{written(self.version, self.first)}/{_BITS[self.version] - size.bit_length() + 1}"
        return f"{written(self.version, self.first)}-{written(self.version, self.last)}"


@dataclass(frozen=True)
class Service:
    """Ports from ``first`` to ``last`` of a protocol; ``None`` is tcp and udp."""

    protocol: Protocol | None
    first: int
    last: int


@dataclass(frozen=True)
class Attachment:
    """An address of an interface.

    Attributes:
        interface: Its name as the configuration writes it.
        address: A span of one.
        subnet: The addresses that it reaches directly.
        is_local: All addresses of the subnet are the node's own, as on the loopback interface of a Linux kernel.
    """

    interface: str
    address: Span
    subnet: Span
    is_local: bool = False


@dataclass(frozen=True)
class Filter:
    """One list of rules that name who may talk to whom. An empty field means anything."""

    name: str
    sources: tuple[Span, ...] = ()
    targets: tuple[Span, ...] = ()
    services: tuple[Service, ...] = ()


@dataclass(frozen=True)
class Forward:
    """A translation of a destination. ``outside`` is ``None`` if it is the address of ``interface``."""

    outside: Span | None
    inside: Span
    interface: str | None = None
    protocol: Protocol | None = None
    outside_port: int | None = None
    inside_port: int | None = None


@dataclass(frozen=True, kw_only=True)
class MatchValues:
    """What one configuration names, each thing once, in the order of the configuration.

    Attributes:
        attachments: Addresses of interfaces.
        shared: Addresses that several nodes hold by turns (HSRP, VRRP).
        spans: Prefixes, ranges, wildcards and single addresses.
        services: Ports.
        dscp: Markings.
        filters: Lists of rules.
        forwards: Translated destinations.
        translated: Addresses that sources are translated to.
    """

    attachments: tuple[Attachment, ...] = ()
    shared: tuple[Span, ...] = ()
    spans: tuple[Span, ...] = ()
    services: tuple[Service, ...] = ()
    dscp: tuple[int, ...] = ()
    filters: tuple[Filter, ...] = ()
    forwards: tuple[Forward, ...] = ()
    translated: tuple[Span, ...] = ()


@dataclass
class Collection:
    """Values while they are collected; dictionaries keep the order and drop repetitions."""

    attachments: dict[Attachment, None] = field(default_factory=dict)
    shared: dict[Span, None] = field(default_factory=dict)
    spans: dict[Span, None] = field(default_factory=dict)
    services: dict[Service, None] = field(default_factory=dict)
    dscp: dict[int, None] = field(default_factory=dict)
    filters: dict[Filter, None] = field(default_factory=dict)
    forwards: dict[Forward, None] = field(default_factory=dict)
    translated: dict[Span, None] = field(default_factory=dict)

    def add_spans(self, spans: Iterable[Span]) -> None:
        """Add those that are not the whole address space."""
        self.spans.update((span, None) for span in spans if not span.is_everything)

    def attach(self, interface: str, word: str, *, is_local: bool = False) -> None:
        """Add the address of an interface, written like ``10.0.0.1/24``; nothing if it is none."""
        try:
            found = ipaddress.ip_interface(word)
        except ValueError:
            return
        number = int(found)
        subnet = Span(found.version, int(found.network.network_address), int(found.network.broadcast_address))
        self.attachments[Attachment(interface, Span(found.version, number, number), subnet, is_local)] = None
        self.add_spans([subnet])

    def done(self) -> MatchValues:
        """What was collected."""
        return MatchValues(**{name: tuple(found) for name, found in vars(self).items()})


@lru_cache(maxsize=4096)
def written(version: int, number: int) -> str:
    """An address as text."""
    return str(ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number))


@lru_cache(maxsize=4096)
def span_of(word: str) -> Span | None:
    """The addresses of ``10.0.0.1``, ``10.0.0.0/8`` or ``2001:db8::/32``; ``None`` for any other word."""
    if not ("." in word or ":" in word):
        return None
    try:
        network = ipaddress.ip_network(word, strict=False)
    except ValueError:
        return None
    return Span(network.version, int(network.network_address), int(network.broadcast_address))


def spans_in(words: Iterable[str]) -> list[Span]:
    """The addresses and prefixes among ``words``, with the punctuation around them removed."""
    found = (span_of(word.strip("{},;()'\"[]!")) for word in words)
    return [span for span in found if span is not None]


def between(first: Span, last: Span) -> Span | None:
    """The addresses from one span to another; ``None`` if they are not in this order."""
    if first.version != last.version or last.last < first.first:
        return None
    return Span(first.version, first.first, last.last)
