"""Runbook: what configs say of long packets and of BGP communities."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding

_FRAG_NEEDED: Final = "icmp code frag-needed drop"
_BLACKHOLE: Final = "set community blackhole"
_MAP: Final = re.compile(r"^route-map (\S+) permit ")
_LONG: Final = 1000
"""Bytes of a packet of traffic."""


def check_policies(facts: Facts) -> Iterator[Finding]:
    """Filters of ICMP that senders need, links with a low MTU at both ends, and LANs announced for blackholes."""
    yield from _denied(facts)
    for one, other in facts.cables:
        mtus = [int(line.split()[-1]) for port in (one, other) for line in port.has("ip mtu ")]
        if len(mtus) == 2 and mtus[0] == mtus[1] < _LONG:
            words = f"{one.node} {one.name} and {other.node} {other.name} have an MTU of {mtus[0]} bytes."
            yield Finding("link-mtu-configured-low", End(one.node, one.name), words)
    for device in facts.routers:
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
