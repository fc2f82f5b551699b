"""VRFs of a plan: a network namespace each, inside the node. FRR's zebra finds them by their names.

A VRF's interfaces live in its namespace, so equal addresses and equal routes of two VRFs never meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.plan import Plan
from pytest_netbench.platforms.frr import daemons

HOME = "/run/netns"
_MEMORY = "cisco_ios vrfs"
# a fresh network namespace does not forward, a router does
_READY = (
    "{{ [ -e {home}/{vrf} ] || ip netns add {vrf}; }} && nsenter --net={home}/{vrf} sh -c "
    '\'ip link set lo up; sysctl -q -w net.ipv4.ip_forward=1 net.ipv4.ip_local_port_range="$0"\' "$(sysctl -n net.ipv4.ip_local_port_range)"'
)
_EMPTY = (
    "nft flush ruleset; ip link set lo down; "
    "for link in $(ip -o link show | cut -d: -f2 | cut -d@ -f1); do [ $link = lo ] || ip link delete $link; done"
)
# its zebra crashes at the next change of a route after a namespace is gone: FRR's pull request 16765
_FIRST_TO_KEEP = 10


class InVrf:
    """A node as seen from one of its VRFs: what runs, runs there."""

    def __init__(self, node: HostedNode, vrf: str) -> None:
        self._node, self._prefix = node, prefix(vrf)
        self.memory: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    def run(self, argv: Sequence[str], **options: Any) -> Completed:
        """Run a program in the VRF."""
        return self._node.run([*self._prefix, *argv], **options)


def prefix(vrf: str) -> tuple[str, ...]:
    """The words before a command that make it run in a VRF."""
    return ("nsenter", f"--net={HOME}/{vrf}")


def inside(node: HostedNode, vrf: str) -> HostedNode:
    """The node as seen from a VRF; "" is the global one."""
    return InVrf(node, vrf) if vrf else node


def names(node: HostedNode) -> tuple[str, ...]:
    """The VRFs that a node has now, the global one first."""
    return ("", *node.memory.get(_MEMORY, ()))


def make(node: HostedNode, old: Plan, new: Plan) -> list[str]:
    """Have the namespaces of VRFs that are new."""
    node.memory[_MEMORY] = tuple({**dict.fromkeys(old.vrfs), **dict.fromkeys(new.vrfs)})
    return _run(node, (_READY.format(vrf=name, home=HOME) for name in new.vrfs if name not in old.vrfs))


def move(node: HostedNode, old: Plan, new: Plan) -> list[str]:
    """Bring interfaces to their VRFs; they lose their addresses on the way."""
    # what nobody asks for any more goes home: a namespace that ends takes cables in it along
    lines = [
        _moved(name, link.vrf, "")
        for name, link in old.links.items()
        if link.vrf and name not in new.links and link.kind in {"physical", "external"}
    ]
    for name, link in new.links.items():
        before = old.links[name].vrf if name in old.links and old.links[name].kind == link.kind else ""
        if before != link.vrf:
            lines.append(_moved(name, before, link.vrf))
    return _run(node, lines)


def _moved(name: str, before: str, after: str) -> str:
    start = f"{' '.join(prefix(before))} " if before else ""
    return f"{start}ip link set dev {name} netns {f'{HOME}/{after}' if after else '$$'}"


def drop(node: HostedNode, old: Plan, new: Plan) -> list[str]:
    """Remove, or with an FRR that would crash empty, the namespaces of VRFs that are gone, after their interfaces left."""
    node.memory[_MEMORY] = tuple(new.vrfs)
    keep = int((daemons.version() or "0").split(".")[0]) >= _FIRST_TO_KEEP
    gone = [name for name in old.vrfs if name not in new.vrfs]
    return _run(
        node, (f"{' '.join(prefix(name))} sh -c '{_EMPTY}'" if keep else f"ip netns delete {name}" for name in gone)
    )


def _run(node: HostedNode, lines: Iterable[str]) -> list[str]:
    script = "\n".join(lines)
    if not script:
        return []
    done = node.run(["/bin/sh", "-c", script])
    return [f"{node.name}: {script!r}: {done.stderr.strip()}"] if done.returncode or done.stderr.strip() else []
