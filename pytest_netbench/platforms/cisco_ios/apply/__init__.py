"""Bring a node from one desired state to another: only the difference is done."""

from __future__ import annotations

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import frr, links, nat, nft, tc, vrf
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState, NftState
from pytest_netbench.platforms.cisco_ios.services import runner


def apply(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Do what turns ``old`` into ``new``; what went wrong, one sentence each (a defect of the compiler, or a node that is lost)."""
    problems = [
        *links.apply(node, old, new),
        *nft.apply(node, old.nft, new.nft),
        *_in_vrfs(node, old, new),
        *nat.apply(node, old, new),
        *tc.apply(node, old, new),
        *frr.apply(node, old.frr, new.frr),
    ]
    # last: services read what the links have, and some speak to daemons
    runner.apply(node, old.services, new.services)
    return problems


def _in_vrfs(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """The ruleset in each VRF: rules name interfaces, so those of other VRFs say nothing there."""
    problems = []
    for name in new.vrfs:
        before = old.nft if name in old.vrfs else NftState()
        problems += nft.apply(vrf.inside(node, name), before, new.nft)
    return problems
