"""The queueing of a state: rebuilt on each interface on which it changed."""

from __future__ import annotations

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import vrf
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState


def apply(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Rebuild the queueing that changed."""
    problems = []
    for device in sorted({*old.tc, *new.tc}):
        home = new.links[device].vrf if device in new.links else ""
        moved = device in old.links and old.links[device].vrf != home
        if old.tc.get(device) == new.tc.get(device) and not moved:
            continue
        there = vrf.inside(node, home)
        if old.tc.get(device):
            there.run(["tc", "qdisc", "del", "dev", device, "root"])
        if new.tc.get(device):
            done = there.run(["tc", "-batch", "-"], input="\n".join([*new.tc[device], ""]))
            if done.returncode != 0:
                problems.append(f"{node.name}: tc did not take the queueing of {device}: {done.stderr.strip()}")
    return problems
