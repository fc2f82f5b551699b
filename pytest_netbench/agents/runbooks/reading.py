"""Running configs as an expert reads them: interfaces with their addresses and lines, and sections. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Final

from pytest_netbench.dialects.syntax import syntax_of

_ADDRESS: Final = re.compile(r"^(?:ip )?address (\d+\.\d+\.\d+\.\d+)(?:/(\d+)| (\d+\.\d+\.\d+\.\d+))$")
_PREFIX: Final = re.compile(r"(\d+\.\d+\.\d+\.\d+)(?:/(\d+)| (?:mask )?(\d+\.\d+\.\d+\.\d+))?")


@dataclass(frozen=True)
class Port:
    """An interface in a running config."""

    node: str
    name: str
    address: IPv4Interface | None
    lines: tuple[str, ...]

    @property
    def is_shut(self) -> bool:
        """Whether it is administratively down."""
        return "shutdown" in self.lines

    def has(self, beginning: str) -> tuple[str, ...]:
        """The lines that begin so."""
        return tuple(line for line in self.lines if line.startswith(beginning))


@dataclass(frozen=True)
class Device:
    """A node and its running config. ``sections`` are lines below their opening line; global lines are below ``""``."""

    name: str
    platform: str
    sections: Mapping[str, tuple[str, ...]]
    ports: Mapping[str, Port]

    @property
    def cabled(self) -> list[Port]:
        """The interfaces that may have a cable: neither the loopback of a host nor its tunnels."""
        return [port for port in self.ports.values() if port.name != "lo" and "type tun" not in port.lines]

    def section(self, beginning: str) -> tuple[str, tuple[str, ...]] | None:
        """The first section that opens so, with its opening line."""
        return next(((head, lines) for head, lines in self.sections.items() if f"{head} ".startswith(beginning)), None)

    def lines(self, beginning: str) -> tuple[str, ...]:
        """Global lines that begin so."""
        return tuple(line for line in self.sections.get("", ()) if line.startswith(beginning))


def read(name: str, platform: str, config: str) -> Device:
    """Return the device of a running config."""
    sections: dict[str, list[str]] = {"": []}
    for path in syntax_of(platform).paths(config):
        if len(path) == 1:
            sections[""].append(path[0])
        else:
            sections.setdefault(path[0], []).append(path[-1])
    found = {head: tuple(lines) for head, lines in sections.items()}
    heads = [line for line in found[""] if line.startswith("interface ")]
    ports = (_port(name, head.removeprefix("interface "), found.get(head, ())) for head in heads)
    return Device(name=name, platform=platform, sections=found, ports={port.name: port for port in ports})


def _port(node: str, name: str, lines: tuple[str, ...]) -> Port:
    matches = (match for line in lines if (match := _ADDRESS.match(line)))
    addresses = [IPv4Interface(f"{one[1]}/{one[2] or one[3]}") for one in matches]
    return Port(node=node, name=name, address=addresses[0] if addresses else None, lines=lines)


def prefix_in(line: str) -> IPv4Network | None:
    """The first prefix of a line: with a length, a mask or a wildcard, or of the class of its address."""
    match = _PREFIX.search(line)
    if match is None:
        return None
    address, length, mask = match.groups()
    if mask and " area " in line:  # a wildcard
        length = 32 - int(IPv4Address(mask)).bit_count()
    return IPv4Network(f"{address}/{length or mask or _length_of_class(address)}", strict=False)


def _length_of_class(address: str) -> int:
    first = int(address.partition(".")[0])
    return 8 if first < 128 else 16 if first < 192 else 24


def addresses_in(lines: tuple[str, ...]) -> Iterator[str]:
    """All IPv4 addresses that lines have."""
    for line in lines:
        yield from re.findall(r"\d+\.\d+\.\d+\.\d+", line)
