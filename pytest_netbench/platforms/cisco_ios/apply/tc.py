"""The queueing of a plan: built anew on each interface on which it changed."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_netbench.platforms.base import NodeAccess


def apply(node: NodeAccess, old: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Rebuild what changed."""
    problems = []
    for device in sorted({*old, *new}):
        if old.get(device) == new.get(device):
            continue
        if old.get(device):
            node.run(["tc", "qdisc", "del", "dev", device, "root"])
        if new.get(device):
            done = node.run(["tc", "-batch", "-"], input="\n".join([*new[device], ""]))
            if done.returncode != 0:
                problems.append(f"{node.name}: tc did not take the queueing of {device}: {done.stderr.strip()}")
    return problems
