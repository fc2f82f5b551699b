"""Bringing a node from one plan to another: only the difference is done."""

from __future__ import annotations

from pytest_netbench.platforms.base import NodeAccess
from pytest_netbench.platforms.cisco_ios.apply import frr, links, nat, nft, tc
from pytest_netbench.platforms.cisco_ios.plan import Plan
from pytest_netbench.platforms.cisco_ios.services import runner


def apply(node: NodeAccess, old: Plan, new: Plan) -> list[str]:
    """Do what turns ``old`` into ``new``; what went wrong, one sentence each (a defect of the compiler, or a node that is lost)."""
    problems = [
        *links.apply(node, old, new),
        *nft.apply(node, old.nft, new.nft),
        *nat.apply(node, old, new),
        *tc.apply(node, old.tc, new.tc),
        *frr.apply(node, old.frr, new.frr),
    ]
    # last: services read what the links have, and some speak to daemons
    runner.apply(node, old.services, new.services)
    return problems
