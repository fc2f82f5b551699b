"""Runbook: WireGuard tunnels. Each end shows its own key, and what it has of the other one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.trial import Brief

_HEAD: Final = "by WireGuard tunnels, whose interfaces are wg0:"
_TUNNEL: Final = re.compile(r"^- ([\d.]+) on (\S+) and ([\d.]+) on (\S+)\.$", re.MULTILINE)
_OWN: Final = re.compile(r"^  public key: (\S+)$", re.MULTILINE)
_PEER: Final = re.compile(r"^peer: (\S+)$(?:\n  .*)*?\n  allowed ips: (.+)$", re.MULTILINE)


def check_tunnels(brief: Brief, facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with the ends of tunnels."""
    words = "\n".join(brief.intents).partition(_HEAD)[2]
    for near, one, far, other in _TUNNEL.findall(words):
        if {one, other} & {*facts.silent}:
            continue
        shown = {node: _shown(ani, node) for node in (one, other)}
        yield from _compared(shown[one], shown[other], (one, other), far)
        yield from _compared(shown[other], shown[one], (other, one), near)


def _shown(ani: Ani, node: str) -> str:
    return str(ani.call("execute-cmd", {"device": node, "command": "wg show wg0"})["output"])


def _compared(here: str, there: str, nodes: tuple[str, str], far: str) -> Iterator[Finding]:
    """What the first of two ends has wrong of the second, whose address in the tunnel is ``far``."""
    (node, other), peers, key = nodes, dict(_PEER.findall(here)), _OWN.search(there)
    if not _OWN.search(here) or key is None:
        return
    if not peers:
        yield Finding("vpn-peer-missing", End(node, ""), f"The tunnel of {node} has no peer.")
    elif key[1] not in peers:
        words = f"The tunnel of {node} has the keys {', '.join(peers)}, and that of {other} is {key[1]}."
        yield Finding("vpn-peer-key-wrong", End(node, ""), words)
    elif f"{far}/32" not in peers[key[1]].split(", "):
        words = f"The tunnel of {node} allows {peers[key[1]]}, and {other} has {far}."
        yield Finding("vpn-allowed-ips-wrong", End(node, ""), words)
