"""The VRFs of a desired state: one network namespace each, inside the node. FRR's zebra finds them by name.

The interfaces of a VRF are in its namespace, so VRFs may use the same addresses and routes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState
from pytest_netbench.platforms.frr import daemons

HOME = "/run/netns"
_MEMORY = "cisco_ios vrfs"
# a new network namespace does not forward, a router does
_READY = (
    "{{ [ -e {home}/{vrf} ] || ip netns add {vrf}; }} && nsenter --net={home}/{vrf} sh -c 'ip link set lo up; sysctl"
    ' -q -w net.ipv4.ip_forward=1 net.ipv4.ip_local_port_range="$0"\' "$(sysctl -n net.ipv4.ip_local_port_range)"'
)
_EMPTY = (
    "nft flush ruleset; ip link set lo down; "
    "for link in $(ip -o link show | cut -d: -f2 | cut -d@ -f1); do [ $link = lo ] || ip link delete $link; done"
)
# without this fix, zebra crashes on the next route change after a namespace is removed: FRR's pull request 16765
_FIRST_TO_KEEP = 10


class Network(Protocol):
    """Runs programs in one network namespace of a node."""

    @property
    def name(self) -> str:
        """The node's name."""
        ...

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        """Run a program and wait for it."""
        ...

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        """Run several programs one after the other in one round trip."""
        ...

    def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, lab_time: bool = True) -> None:
        """Start a long-running program (not waiting)."""
        ...


class InVrf:
    """Implements ``Network`` for a VRF of a node.

    It offers only what belongs to the VRF: FRR's sockets and the files are shared by all VRFs, and the agent's
    sandbox cannot change its network namespace.
    """

    def __init__(self, node: Network, vrf: str) -> None:
        self._node, self._prefix = node, prefix(vrf)

    @property
    def name(self) -> str:
        return self._node.name

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return self._node.run([*self._prefix, *argv], input=input, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return self._node.run_many([[*self._prefix, *argv] for argv in argvs], timeout_s=timeout_s)

    def start(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, lab_time: bool = True) -> None:
        self._node.start([*self._prefix, *argv], env=env, lab_time=lab_time)


def prefix(vrf: str) -> tuple[str, ...]:
    """Return the words before a command that make it run in a VRF."""
    return ("nsenter", f"--net={HOME}/{vrf}")


def inside(node: Network, vrf: str) -> Network:
    """Return the network of a VRF; "" is the global one."""
    return InVrf(node, vrf) if vrf else node


def names(node: HostedNode) -> tuple[str, ...]:
    """Return the VRFs that a node has now, the global one first."""
    return ("", *node.memory.get(_MEMORY, ()))


def make(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Create the namespaces of new VRFs."""
    node.memory[_MEMORY] = tuple({**dict.fromkeys(old.vrfs), **dict.fromkeys(new.vrfs)})
    return _run(node, (_READY.format(vrf=name, home=HOME) for name in new.vrfs if name not in old.vrfs))


def move(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Move interfaces to their VRFs; they lose their addresses."""
    # return unused cable ends first: a namespace that is deleted deletes the interfaces in it
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


def drop(node: HostedNode, old: DesiredState, new: DesiredState) -> list[str]:
    """Remove the namespaces of removed VRFs, after their interfaces left.

    With a version of FRR that would crash, they are emptied instead.
    """
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
