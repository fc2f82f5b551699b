"""The ``frr`` driver: FRR 8.4 and 10, the command line is vtysh itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms import power
from pytest_netbench.platforms.access import DEFAULT_LIMITS, SandboxLimits
from pytest_netbench.platforms.capabilities import HOSTED, HostedNode
from pytest_netbench.platforms.driver import Pending, PlannedNode, Rehearsal, Route
from pytest_netbench.platforms.frr import (
    boot,
    config,
    console,
    daemons,
    installation,
    neighbors,
    offline,
    processes,
    readiness,
    readonly,
    rib,
    vtysh,
)
from pytest_netbench.platforms.frr.look import FrrLook
from pytest_netbench.platforms.frr.processes import NO_KERNEL_NEXTHOPS
from pytest_netbench.platforms.sessions import Excused, Neighbor, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

_SHOW_TIMEOUT_S = 120.0  # of a router in QEMU without KVM
_NOT_CONFIGURED = ("Building configuration...", "Current configuration:", NO_KERNEL_NEXTHOPS)


class FrrDriver:
    """Routers that run FRR's own daemons."""

    name = "frr"
    dialect = "frr"
    requires = HOSTED
    has_console = True
    boots_at_once = True

    def installed_version(self) -> str | None:
        return daemons.version()

    def version(self, node: HostedNode) -> str | None:
        return installation.of(node).version

    def kernel_interface(self, interface: str) -> str:
        return linux_interface(interface)

    def boot(self, node: HostedNode, startup_config: str) -> list[RefusedLine]:
        return boot.boot(node, startup_config)

    def rehearse(self, node: PlannedNode, startup_config: str, batches: Sequence[Sequence[str]]) -> Rehearsal | None:
        return offline.rehearse(node, startup_config, batches)

    def reboot(self, node: HostedNode, startup_config: str) -> list[RefusedLine]:
        processes.end_router(node)
        vtysh.drop_all(node)
        power.clear(node, map(self.kernel_interface, node.interfaces))
        return boot.boot(node, startup_config)

    def programs_for(self, lines: Sequence[str]) -> Sequence[str]:
        return sorted(daemons.needed_by(line for command in lines for line in command.splitlines()))

    def look(self, nodes: Mapping[str, HostedNode]) -> FrrLook:
        return FrrLook(nodes, {name: processes.running(node) for name, node in nodes.items()})

    def pending(
        self, nodes: Mapping[str, HostedNode], *, excused: Excused = none_excused
    ) -> Pending:  # the lab judges its sessions
        return readiness.pending(nodes, {name: processes.running(node) for name, node in nodes.items()})

    def apply(self, node: HostedNode, commands: Sequence[str]) -> list[CommandStatus]:
        return config.apply(node, commands)

    def apply_unseen(self, node: HostedNode, commands: Sequence[str]) -> list[CommandStatus]:
        statuses = config.apply(node, commands)
        node.drop_cli(vtysh.CONFIG)  # it remembers what was typed
        return statuses

    def running_config(self, node: HostedNode) -> str:
        return clean(vtysh.session(node, vtysh.SHOW).send("show running-config", timeout_s=_SHOW_TIMEOUT_S))

    def execute(self, node: HostedNode, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        return readonly.execute(node, command, limits)

    def routes(self, node: HostedNode, prefix: str) -> list[Route]:
        return rib.routes(node.vty([("zebra", rib.request(prefix))])[0][0], prefix)

    def table(self, node: HostedNode) -> list[Route]:
        return rib.table(answer for answer, _ in node.vty([("zebra", command) for command in rib.WHOLE_TABLE]))

    def neighbors(self, node: HostedNode) -> list[Neighbor]:
        return neighbors.neighbors(node)

    def console(
        self, node: HostedNode, *, enable_secret: str, read_only: bool = False
    ) -> Console:  # vtysh has no enable
        return console.open_console(node, run=lambda command: self.execute(node, command), read_only=read_only)

    def unenforced(self, node: HostedNode) -> Sequence[str]:  # vtysh refuses what no daemon does
        return ()

    def files(self, node: HostedNode) -> FileStore | None:  # nobody copies files to a router by vtysh
        return None


def clean(text: str) -> str:
    """A running config without what vtysh prints around it, and without what every router has."""
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for line in lines if line not in _NOT_CONFIGURED]
    while kept and kept[0] in {"", "!"}:
        kept.pop(0)
    return "\n".join(kept).rstrip("\n") + "\n"
