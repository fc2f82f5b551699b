"""Runbook: ports, addresses, VLANs, translation and access lists of routers and switches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import pairwise
from typing import Final, NamedTuple

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.reading import Device

_DENIALS: Final = {
    "icmp any any": "icmp-denied",
    "ospf any any": "ospf-denied",
    "tcp any any eq bgp": "bgp-denied",
    "ip any any fragments": "fragments-denied",
}
_ANY: Final = IPv4Network("0.0.0.0/0")
_LEAST_TRANSLATIONS: Final = 64
"""Fewer are no limit that protects a router, but a mistake."""
_RULE: Final = re.compile(
    r"^(?:\d+ )?(permit|deny) (\w+) (any|host \S+|\S+ \S+) (any|host \S+|\d\S+ \S+)"
    r"(?: (?:eq (\S+)|range (\S+) (\S+)))?$"
)


def check_links(facts: Facts) -> Iterator[Finding]:
    """What is wrong with interfaces."""
    for port in facts.ports:
        if port.is_shut and facts.is_cabled(port):
            yield Finding("port-shutdown", End(port.node, port.name), f"{port.node} {port.name} is shut down.")
    yield from _duplicates(facts)
    yield from _vlans(facts)
    for device in facts.routers:
        yield from _translation(facts, device)
        yield from _lists(device)
        yield from _marks(facts, device)


def _duplicates(facts: Facts) -> Iterator[Finding]:
    for port in facts.ports:
        others = [other for other in facts.ports if other.node != port.node and other.address and port.address]
        same = [other for other in others if port.address and other.address and other.address.ip == port.address.ip]
        for other in same:
            words = f"{port.node} {port.name} and {other.node} {other.name} both have {port.address}."
            if facts.is_out_of_place(port) or (not facts.is_out_of_place(other) and port.node < other.node):
                yield Finding("address-duplicate", End(port.node, port.name), words)


def _vlans(facts: Facts) -> Iterator[Finding]:
    numbers = {
        host: port.name.removeprefix("Vlan")
        for port in facts.ports
        if port.name.startswith("Vlan")
        for host in facts.hosts_behind(port)
    }
    for port in facts.ports:
        for line in port.has("switchport access vlan "):
            for end in facts.others(End(port.node, port.name)):
                right, found = numbers.get(end.node), line.split()[-1]
                if right is not None and found != right:
                    words = f"{end.node} is at {port.node} {port.name} in VLAN {found} instead of {right}."
                    yield Finding("vlan-wrong", End(port.node, port.name), words)


def _translation(facts: Facts, device: Device) -> Iterator[Finding]:
    if not device.lines("ip nat inside source"):
        if any(port.has("ip nat ") for port in device.ports.values()):
            words = f"{device.name} has sides for NAT, and does not translate."
            yield Finding("nat-mapping-missing", End(device.name, ""), words)
        return
    for line in device.lines("ip nat translation max-entries "):
        if int(line.split()[-1]) < _LEAST_TRANSLATIONS:
            words = f"{device.name} has no more than {line.split()[-1]} translations at a time."
            yield Finding("nat-port-pool-exhausted", End(device.name, ""), words)
    for port in device.ports.values():
        for line in port.has("ip nat "):
            is_far = any(end.node not in facts.devices for end in facts.others(End(port.node, port.name)))
            right = "outside" if is_far else "inside"
            if line.split()[-1] in {"inside", "outside"} and line.split()[-1] != right:
                words = f"{device.name} {port.name} is {line.split()[-1]} for NAT instead of {right}."
                yield Finding("nat-side-wrong", End(device.name, port.name), words)


def _marks(facts: Facts, device: Device) -> Iterator[Finding]:
    """Routers mark what comes in from LANs, and trust each other."""
    routers = {one.name for one in facts.routers}
    for port in device.ports.values():
        others = facts.others(End(port.node, port.name))
        if port.has("service-policy input ") and others and all(end.node in routers for end in others):
            words = f"{device.name} marks anew what comes in at {port.name} from another router."
            yield Finding("dscp-remarked", End(device.name, port.name), words)


def _lists(device: Device) -> Iterator[Finding]:
    for port in device.ports.values():
        for line in port.has("ip access-group "):
            name = line.split()[2]
            rules = device.sections.get(f"ip access-list extended {name}", ())
            for rule in rules:
                kind = _DENIALS.get(rule.partition("deny ")[2])
                if kind is not None:
                    words = f"On {device.name} {port.name}, list {name} has '{rule}'."
                    yield Finding(kind, End(device.name, port.name), words)
            if _has_dead_rule(rules):
                words = f"On {device.name}, a line of list {name} stands behind one that decides all it could."
                yield Finding("access-list-order", End(device.name, port.name), words)


class _Rule(NamedTuple):
    action: str
    protocol: str
    source: IPv4Network
    target: IPv4Network
    ports: tuple[str, ...]

    def covers(self, other: _Rule) -> bool:
        """Whether it decides all that another one could."""
        protocol = self.protocol in {"ip", other.protocol}
        prefixes = other.source.subnet_of(self.source) and other.target.subnet_of(self.target)
        return protocol and prefixes and (not self.ports or self.ports == other.ports)


def _has_dead_rule(lines: tuple[str, ...]) -> bool:
    rules = [
        _Rule(match[1], match[2], _prefix(match[3]), _prefix(match[4]), tuple(filter(None, match.groups()[4:])))
        for line in lines
        if (match := _RULE.match(line))
    ]
    return any(one.action != other.action and one.covers(other) for one, other in pairwise(rules))


def _prefix(words: str) -> IPv4Network:
    if words == "any":
        return _ANY
    address, _, wildcard = words.removeprefix("host ").partition(" ")
    return IPv4Network(f"{address}/{wildcard}" if wildcard else address)
