"""The ``frr`` platform: FRR 8.4 and 10, the command line is vtysh itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.base import Console, ManualSection, NodeAccess, Pending, Route, SandboxLimits
from pytest_netbench.platforms.frr import (
    boot,
    config,
    console,
    daemons,
    manual,
    names,
    processes,
    readiness,
    readonly,
    rib,
    vtysh,
)
from pytest_netbench.platforms.interfaces import linux_interface

_SHOW_TIMEOUT_S = 30.0
_PREAMBLE = ("Building configuration...", "Current configuration:")


class FrrPlatform:
    """Routers that run FRR's own daemons."""

    name = "frr"

    def version(self) -> str | None:
        return daemons.version()

    def kernel_interface(self, interface: str) -> str:
        return linux_interface(interface)

    def boot(self, node: NodeAccess, startup_config: str) -> list[RefusedLine]:
        return boot.boot(node, startup_config)

    def pending(self, nodes: Mapping[str, NodeAccess]) -> Pending:
        return readiness.pending(nodes, {name: processes.running(node) for name, node in nodes.items()})

    def apply(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        return config.apply(node, commands)

    def running_config(self, node: NodeAccess) -> str:
        return clean(vtysh.session(node, vtysh.SHOW).send("show running-config", timeout_s=_SHOW_TIMEOUT_S))

    def execute(self, node: NodeAccess, command: str, *, limits: SandboxLimits = SandboxLimits()) -> str:  # noqa: B008 - it is frozen
        return readonly.execute(node, command, limits)

    def routes(self, node: NodeAccess, prefix: str) -> list[Route]:
        return rib.routes(node.vty([("zebra", rib.request(prefix))])[0][0], prefix)

    def normalise(self, line: str) -> str | None:
        return names.normalise(line)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        return names.ordered_block(parents, line)

    def console(self, node: NodeAccess, *, enable_secret: str) -> Console:  # noqa: ARG002 - vtysh has no enable
        return console.open_console(node, run=lambda command: self.execute(node, command))

    def manual(self) -> Sequence[ManualSection]:
        """FRR's user guide, if its documentation is installed."""
        return manual.sections()


def clean(text: str) -> str:
    """A running config without what vtysh prints around it."""
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for line in lines if line not in _PREAMBLE]
    while kept and kept[0] in {"", "!"}:
        kept.pop(0)
    return "\n".join(kept).rstrip("\n") + "\n"
