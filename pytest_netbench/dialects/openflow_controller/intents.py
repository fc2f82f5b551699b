"""What a controller is told: its switches, the links between them, and the hosts that reach each other.

It also runs in the node of the controller, so it imports the standard library only. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Final

PORT: Final = 6653
"""Where a controller listens unless it is told otherwise."""
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_MAC: Final = r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}"
_PATTERNS: Final = {
    "listen": re.compile(r"listen (\d{1,5})"),
    "switch": re.compile(rf"switch ({_NAME}) id (\d{{1,9}}) address (\S+)"),
    "link": re.compile(rf"link ({_NAME}) (\d{{1,5}}) ({_NAME}) (\d{{1,5}})"),
    "network": re.compile(rf"network (\S+) gateway (\S+) mac ({_MAC}) switch ({_NAME})"),
    "host": re.compile(rf"host (\S+) mac ({_MAC}) switch ({_NAME}) port (\d{{1,5}})"),
}
_SHAPES: Final = {
    "listen": "listen PORT",
    "switch": "switch NAME id NUMBER address ADDRESS",
    "link": "link SWITCH PORT SWITCH PORT",
    "network": "network PREFIX gateway ADDRESS mac MAC switch SWITCH",
    "host": "host ADDRESS mac MAC switch SWITCH port PORT",
}


@dataclass(frozen=True)
class Switch:
    """A switch, the number of its datapath, and the address from which it connects."""

    name: str
    number: int
    address: str


@dataclass(frozen=True)
class Link:
    """A link between two ports of switches."""

    one: str
    one_port: int
    other: str
    other_port: int

    @property
    def ends(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Switch and port of each end."""
        return (self.one, self.one_port), (self.other, self.other_port)


@dataclass(frozen=True)
class Network:
    """A subnet of hosts, all at one switch, and the gateway that the switch is for them."""

    prefix: str
    gateway: str
    mac: str
    switch: str


@dataclass(frozen=True)
class Host:
    """A host at a port of a switch."""

    address: str
    mac: str
    switch: str
    port: int


@dataclass(frozen=True)
class Intents:
    """All that a controller is told."""

    listen: int = PORT
    switches: tuple[Switch, ...] = ()
    links: tuple[Link, ...] = ()
    networks: tuple[Network, ...] = ()
    hosts: tuple[Host, ...] = ()


def parse(lines: Iterable[str]) -> Intents:
    """Return the intents that lines say. Empty lines and comments say nothing.

    Raises:
        ValueError: A line is none, or names a switch that there is not.
    """
    found = Intents()
    for raw in lines:
        line = " ".join(raw.split())
        if line and not line.startswith("#"):
            found = _with(found, line)
    return found


def written(intents: Intents) -> Iterator[str]:
    """The lines that say the intents, in the order in which they can be read."""
    yield f"listen {intents.listen}"
    yield from (f"switch {one.name} id {one.number} address {one.address}" for one in intents.switches)
    yield from (f"link {one.one} {one.one_port} {one.other} {one.other_port}" for one in intents.links)
    yield from (
        f"network {one.prefix} gateway {one.gateway} mac {one.mac} switch {one.switch}" for one in intents.networks
    )
    yield from (f"host {one.address} mac {one.mac} switch {one.switch} port {one.port}" for one in intents.hosts)


def check(line: str) -> None:
    """Raise an error unless ``line`` is an intent by itself.

    Raises:
        ValueError: It is none.
    """
    _values(" ".join(line.split()))


def unknown(intents: Intents) -> list[str]:
    """Return the names of switches that links, networks and hosts mention and that are not declared, sorted."""
    known = {one.name for one in intents.switches}
    named = {name for link in intents.links for name, _ in link.ends}
    named |= {one.switch for one in intents.networks} | {one.switch for one in intents.hosts}
    return sorted(named - known)


def _with(found: Intents, line: str) -> Intents:
    kind, values = _values(line)
    if kind == "listen":
        return replace(found, listen=values[0])
    made: Any
    if kind == "switch":
        made = Switch(*values)
        return replace(found, switches=(*found.switches, made))
    if kind == "link":
        made = Link(*values)
        return replace(found, links=(*found.links, made))
    if kind == "network":
        made = Network(*values)
        return replace(found, networks=(*found.networks, made))
    made = Host(*values)
    return replace(found, hosts=(*found.hosts, made))


_READERS: Final[dict[str, tuple[Callable[[str], Any], ...]]] = {
    "listen": (int,),
    "switch": (str, int, lambda word: str(IPv4Address(word))),
    "link": (str, int, str, int),
    "network": (lambda word: str(IPv4Network(word)), lambda word: str(IPv4Address(word)), str, str),
    "host": (lambda word: str(IPv4Address(word)), str, str, int),
}


def _values(line: str) -> tuple[str, list[Any]]:
    kind = line.partition(" ")[0]
    if kind not in _PATTERNS:
        raise ValueError(f"unknown word {kind!r} (known: {', '.join(_PATTERNS)})")
    match = _PATTERNS[kind].fullmatch(line)
    if match is None:
        raise ValueError(f"expected {_SHAPES[kind]!r}")
    values = [read(word) for read, word in zip(_READERS[kind], match.groups(), strict=True)]
    if kind == "listen" and not 0 < values[0] < 65536:
        raise ValueError(f"{values[0]} is no port (1 to 65535)")
    return kind, values
