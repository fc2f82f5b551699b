"""Shared parts of ``reachability`` and ``marking``: the listener, the nodes of arrival, and the text of a result."""

from __future__ import annotations

from pytest_netbench.evaluation.observation import View, is_address
from pytest_netbench.lab.probing import Probe


def listener(target: str, address: str, view: View, *, named: str | None = None) -> str | None:
    """Return the listening node: the one named, the target, or the one with the address; ``None`` if there is none."""
    if named is not None:
        return view.node(named)
    return view.owner(address) if is_address(target) else target


def arrival(target: str, address: str, view: View, *, listens: str | None) -> tuple[str, ...]:
    """Return the nodes at which a packet must arrive: the listener, the target, or the nodes with the address.

    It is empty if no node has the address. Another node that answers in their place does not count.
    """
    if listens is not None:
        return (listens,)
    return view.owners(address) if is_address(target) else (target,)


def words(probe: Probe, target: str) -> str:
    """``probe tcp 443 from branch to 10.2.2.2 (web)``; ``target`` is what the testcase calls it."""
    port = "" if probe.port is None else f" {probe.port}"
    if probe.port is None and probe.protocol in ("tcp", "udp"):
        port = " on a free port"
    if probe.source_port is not None:
        port += f" (from port {probe.source_port})"
    source = probe.source if probe.source_address is None else f"{probe.source} ({probe.source_address})"
    to = target if is_address(target) else f"{probe.target} ({target})"
    text = f"probe {probe.protocol}{port} from {source} to {to}"
    if probe.dscp:
        text += f" with DSCP {probe.dscp}"
    listens = probe.listen_on is not None and probe.protocol in ("tcp", "udp")
    if listens and (probe.listen_port or probe.port) is not None:
        text += f", {probe.listen_on} listening on {probe.listen_port or probe.port}"
    return text
