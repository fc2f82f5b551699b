"""Runbook: what configs say of long packets, of BGP communities, and of the validation of routes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.reading import Device

_FRAG_NEEDED: Final = "icmp code frag-needed drop"
_BLACKHOLE: Final = "set community blackhole"
_MAP: Final = re.compile(r"^route-map (\S+) permit ")
_DENIAL: Final = re.compile(r"^route-map (\S+) deny ")
_INVALID: Final = "match rpki invalid"
_LONG: Final = 1000
"""Bytes of a packet of traffic."""


def check_policies(facts: Facts) -> Iterator[Finding]:
    """Filters of ICMP that senders need, links with a low MTU at both ends, LANs announced for blackholes, RPKI."""
    yield from _denied(facts)
    for one, other in facts.cables:
        mtus = [int(line.split()[-1]) for port in (one, other) for line in port.has("ip mtu ")]
        if len(mtus) == 2 and mtus[0] == mtus[1] < _LONG:
            words = f"{one.node} {one.name} and {other.node} {other.name} have an MTU of {mtus[0]} bytes."
            yield Finding("link-mtu-configured-low", End(one.node, one.name), words)
    for device in facts.routers:
        yield from _validation(device)
        lines = {line for found in device.sections.values() for line in found}
        for head, found in device.sections.items():
            name = _MAP.match(head)
            if name and _BLACKHOLE in found and any(line.endswith(f" route-map {name[1]}") for line in lines):
                words = f"{device.name} announces its LAN with the community for blackholes."
                yield Finding("bgp-blackhole-tagged", End(device.name, ""), words)


def _denied(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        if any(_FRAG_NEEDED in line for lines in host.sections.values() for line in lines):
            words = f"A packet filter on {host.name} drops the ICMP that tells of a low MTU."
            yield Finding("icmp-frag-needed-denied", End(host.name, ""), words)


def _validation(device: Device) -> Iterator[Finding]:
    """A router with an RPKI cache denies what is invalid from each neighbor in another autonomous system."""
    process = device.section("router bgp")
    if process is None or device.section("rpki") is None:
        return
    words = [line.split() for line in process[1] if line.startswith("neighbor ")]
    outer = [one[1] for one in words if one[2] == "remote-as" and one[3] != process[0].split()[-1]]
    policies = {one[1]: one[3] for one in words if one[2] == "route-map" and one[-1] == "in"}
    denying = {
        found[1] for head, lines in device.sections.items() if (found := _DENIAL.match(head)) and _INVALID in lines
    }
    for neighbor in outer:
        if policies.get(neighbor) not in denying:
            said = f"{device.name} does not deny invalid routes of {neighbor}."
            yield Finding("bgp-rpki-invalid-accepted", End(device.name, ""), said)
