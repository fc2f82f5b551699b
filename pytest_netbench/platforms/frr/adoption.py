"""Routers whose daemons run already, started by somebody else. Nothing here starts or ends one."""

from __future__ import annotations

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.access import Exec
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import boot, daemons, installation, processes

_READS = {
    "config": ("vtysh", "-c", "show running-config"),
    "daemons": ("vtysh", "-c", "show daemons"),
}
_AROUND = ("Building configuration...", "Current configuration:", "")


def adopt(node: HostedNode) -> frozenset[str]:
    """Take the daemons of a node as they run; return their names. From now on none is started there.

    Raises:
        LabError: zebra does not run, or the node cannot be asked.
    """
    names = frozenset(daemons.known(_said(node, "daemons").split()))
    if "zebra" not in names:
        raise LabError(f"{node.name}: zebra does not run there")
    installation.restrict(node, names)
    processes.note_adopted(node, names)
    return names


def running_config(node: Exec) -> str:
    """The running config as vtysh shows it, without the lines around it.

    Raises:
        LabError: The node cannot be asked.
    """
    lines = [line.rstrip() for line in _said(node, "config").splitlines()]
    while lines and lines[0] in _AROUND:
        lines.pop(0)
    return "".join(f"{line}\n" for line in lines)


def load(node: HostedNode, config: str) -> list[RefusedLine]:
    """Type a config into the daemons that run; return the lines that were refused."""
    return boot.type_lines(node, [line.rstrip() for line in config.splitlines()])


def _said(node: Exec, what: str) -> str:
    done = node.run(_READS[what])
    if done.returncode:
        raise LabError(f"vtysh cannot be asked: {(done.stderr or done.stdout).strip() or done.returncode}")
    return done.stdout
