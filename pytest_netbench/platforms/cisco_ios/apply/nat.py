"""Delete connections that a change of translation rules makes obsolete.

These are connections of removed rules, and connections that are older than a rule that now applies to them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply.conntrack import Connection, connections, forget
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState

EXTRA = "nat"


@dataclass
class NatState:
    """The active translations: the first and last global address of each rule, by the rule's text."""

    rules: dict[str, tuple[str, str]] = field(default_factory=dict)
    interfaces: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


def apply(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Delete the connections that the new rules would treat differently."""
    before, after = (state.extras.get(EXTRA) or NatState() for state in (old, new))
    gone = [ends for text, ends in before.rules.items() if after.rules.get(text) != ends]
    fresh = after.interfaces != before.interfaces or any(text not in before.rules for text in after.rules)
    if not before.rules and not after.rules:
        return []
    if not gone and not fresh:
        return []
    return forget(
        node,
        [
            one
            for one in connections(node)
            if one.family == 4 and (any(_of(one, *ends) for ends in gone) if one.translated else fresh)
        ],
    )


def _of(one: Connection, first: str, last: str) -> bool:
    low, high = IPv4Address(first), IPv4Address(last)
    ends = (one.reply.target, one.original.target)
    changed = (one.source_changed, one.target_changed)
    return any(is_changed and low <= IPv4Address(end) <= high for end, is_changed in zip(ends, changed, strict=True))
