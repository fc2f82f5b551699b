"""Change a node from one desired state to another, applying only the differences."""

from __future__ import annotations

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import frr, links, nat, nft, sessions, tc, vrf
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState, NftState
from pytest_netbench.platforms.cisco_ios.services import runner


def apply(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Apply the difference between ``old`` and ``new``; return what failed, one sentence each.

    A failure is a defect of the compiler, or the node is lost.
    """
    problems = [
        *links.apply(node, old, new),
        *nft.apply(node, old.nft, new.nft),
        *_in_vrfs(node, old, new),
        *nat.apply(node, old, new),
        *tc.apply(node, old, new),
        *frr.apply(node, old.frr, new.frr),
    ]
    sessions.renew(node, new.frr)
    # last: services read the state of links, and some connect to FRR's daemons
    runner.apply(node, old.services, new.services)
    return problems


def _in_vrfs(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Return the ruleset for each VRF. Rules about interfaces of other VRFs have no effect in it."""
    problems = []
    for name in new.vrfs:
        before = old.nft if name in old.vrfs else NftState()
        problems += nft.apply(vrf.inside(node, name), before, new.nft)
    return problems
