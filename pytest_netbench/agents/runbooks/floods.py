"""Runbook: who floods a server, or holds its connections.

Half-open connections tell the senders' addresses, and captures the host that sends. Open ones tell the host.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.ani.protocol import Ani

_HALF_OPEN: Final = "ss -Htn state syn-recv"
_PEER: Final = re.compile(r"(\d+\.\d+\.\d+\.\d+)\]?:\d+\s*$", re.MULTILINE)
"""The second address of a line; that of a server for both versions of IP is in brackets."""
_MANY: Final = 4
_OPEN: Final = "ss -Htn state established"
_MOST_OPEN: Final = 30
"""Connections of one host with a server."""


def check_flood(facts: Facts, ani: Ani, server: str) -> Iterator[Finding]:
    """The host that sends SYNs to a server from addresses of nobody, if there is one."""
    said = str(ani.call("execute-cmd", {"device": server, "command": _HALF_OPEN})["output"])
    known = {str(address) for address in facts.addresses.values()}
    peers = [address for address in _PEER.findall(said) if address not in known]
    if len(peers) < _MANY:
        return
    others = {host.name for host in facts.hosts} - {server}
    for end in (end for link in facts.links for end in link if end.node in others):
        if _sends(ani, end, peers[0]):
            words = f"{end.node} sends SYNs to {server} from {peers[0]}, which leaves {len(peers)} half open."
            yield Finding("tcp-syn-flood", End(end.node, ""), words)


def check_held(facts: Facts, ani: Ani, server: str, fault_type: str) -> Iterator[Finding]:
    """The host that holds the connections of a server, if there is one."""
    said = str(ani.call("execute-cmd", {"device": server, "command": _OPEN})["output"])
    counts = Counter(_PEER.findall(said))
    for host, address in facts.addresses.items():
        if counts[str(address)] > _MOST_OPEN:
            words = f"{host} has {counts[str(address)]} open connections with {server}."
            yield Finding(fault_type, End(host, ""), words)


def _sends(ani: Ani, end: End, source: str) -> bool:
    """Whether packets from an address pass an interface."""
    asked = {"node": end.node, "interface": end.interface, "filter": f"src host {source} and tcp", "packets": 1}
    return bool(ani.call("capture-packets", {**asked, "duration_s": 0.3})["packets"])
