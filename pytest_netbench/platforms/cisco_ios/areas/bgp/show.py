"""The ``show`` and ``clear`` commands of BGP."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.bgp import show_summary
from pytest_netbench.platforms.cisco_ios.grammar.command import Command

COMMANDS = (
    Command(pattern="show ip bgp summary", mode="exec", user=True, run=show_summary.summary, help="Summary of BGP neighbor status"),
    Command(pattern="show bgp summary", mode="exec", user=True, run=show_summary.summary),
    Command(pattern="show bgp ipv4 unicast summary", mode="exec", user=True, run=show_summary.summary),
    Command(pattern="show bgp ipv6 unicast summary", mode="exec", user=True, run=show_summary.six_summary),
    Command(pattern="show bgp all summary", mode="exec", user=True, run=show_summary.all_summary),
    Command(pattern="show ip bgp all summary", mode="exec", user=True, run=show_summary.all_summary),
)  # fmt: skip
