"""Access lists in the language of IOS."""

from __future__ import annotations

from ipaddress import IPv4Network

from pytest_netbench.dialects.cisco_ios.ports import TCP_PORTS, UDP_PORTS
from pytest_netbench.model.services import AccessRule


def rule_words(rule: AccessRule) -> str:
    """A line of an extended access list, as ``show running-config`` prints it."""
    words = ["permit" if rule.permit else "deny", rule.protocol, prefix_words(rule.source), prefix_words(rule.target)]
    if rule.ports is not None:
        first, last = rule.ports
        names = {number: name for name, number in (TCP_PORTS if rule.protocol == "tcp" else UDP_PORTS).items()}
        shown = [names.get(first, first), names.get(last, last)]
        words.append(f"eq {shown[0]}" if first == last else f"range {shown[0]} {shown[1]}")
    return " ".join(words)


def prefix_words(prefix: str | None) -> str:
    """A prefix in a line of an access list."""
    if prefix is None:
        return "any"
    network = IPv4Network(prefix)
    if network.prefixlen == 32:
        return f"host {network.network_address}"
    return f"{network.network_address} {network.hostmask}"
