"""Runbook: nodes that do not answer, and hardware addresses that two of them have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.ani.protocol import Ani

_LISTED: Final = ("frr", "linux")
"""Platforms that list no interface, or none with a hardware address, that is detached."""
_BLOCKS: Final = re.compile(r"^(?=\S)", re.MULTILINE)
_ADDRESS: Final = re.compile(
    r"(?:HWaddr: |address is )((?:[0-9a-f]{2}:){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})"
)


def check_nodes(facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with whole nodes, and with their hardware addresses."""
    for name in facts.silent:
        yield Finding("node-crashed", End(name, ""), f"{name} does not answer.")
    found = dict(_addresses(facts, ani))
    for end in sorted(_cabled(facts)):
        if end not in found and end.node in facts.devices and facts.devices[end.node].platform in _LISTED:
            yield Finding("interface-detached", end, f"{end.node} has no {end.interface}, and a cable ends there.")
    owners: dict[str, End] = {}
    for end, mac in found.items():
        if mac in owners and owners[mac].node != end.node:
            other = owners[mac]
            words = f"{other.node} {other.interface} and {end.node} {end.interface} both have {mac}."
            yield Finding("host-mac-duplicate", end, words)
        owners.setdefault(mac, end)


def of_detached(facts: Facts, found: Finding) -> Iterator[tuple[str, End]]:
    """What else is found because of a detached interface: its cable has no carrier, a host has no address."""
    if found.fault_type == "interface-detached":
        yield "host-address-missing", found.end
        yield from (("link-down", end) for end in (found.end, *facts.others(found.end)))


def _cabled(facts: Facts) -> frozenset[End]:
    return frozenset(end for link in facts.links for end in link)


def _addresses(facts: Facts, ani: Ani) -> Iterator[tuple[End, str]]:
    """The hardware addresses of interfaces with cables; those of hosts come last."""
    cabled = _cabled(facts)
    for device in facts.routers:
        command = "show interface" if device.platform == "frr" else "show interfaces"
        output = ani.call("execute-cmd", {"device": device.name, "command": command})["output"]
        for block in _BLOCKS.split(output):
            found = _ADDRESS.search(block)
            end = End(device.name, block.removeprefix("Interface ").partition(" ")[0])
            if found and end in cabled:
                yield end, found[1].replace(":", "").replace(".", "")
    for host in facts.hosts:
        output = ani.call("execute-cmd", {"device": host.name, "command": "ip -j link show"})["output"]
        for link in json.loads(output or "[]"):
            end = End(host.name, link["ifname"])
            if end in cabled:
                yield end, link["address"].replace(":", "")
