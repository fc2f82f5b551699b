"""How the nodes of a project are reached, at their consoles by telnet, and which of them send probes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench.backends.gns3.kinds import Kind
from pytest_netbench.backends.gns3.ports import kernel_interface
from pytest_netbench.backends.gns3.prober import VpcsProber
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.lab.connections import ConsoleConnections
from pytest_netbench.lab.consoles import PROMPT, Console
from pytest_netbench.lab.device_node import DeviceNode
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.shells.linux_console import LinuxConsole
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.lab.shells.prober import ConsoleProber
from pytest_netbench.lab.telnet import TelnetLine
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import Isolation

_PROMPTS: Final = {"vpcs": re.compile(r"(?:\A|\n)[^\s>]+> ?\Z"), "device": PROMPT, "shell": PROMPT}
_ANYWHERE: Final = (UNSPECIFIED, "::", "")  # what a server says that listens everywhere
_TELNET: Final = "telnet"
_READ_ONLY: Final = {
    "shell": "on a host a user without rights, if the host can take rights away; the view node of vtysh",
    "vpcs": "on a VPCS only commands that read are typed",
    "device": "on a device the commands that read, and all others without privileges",
}

AnyNode = DeviceNode | ShellNode
"""A node of a lab: a device or a VPCS, or a Linux host."""


class Reached(NamedTuple):
    """A node, its console, and a command line that shows a person the console."""

    node: AnyNode
    console: Console
    login: str


def node_of(
    name: str,
    shown: Mapping[str, Any],
    kind: Kind,
    *,
    dialect: str,
    topology: Topology,
    server: Server,
    within_s: float | None = None,
) -> Reached:
    """A node of the task; nothing is opened.

    Args:
        name: In the task.
        shown: It, as the server shows it.
        kind: What it is.
        dialect: Of its configuration.
        topology: Of the task.
        server: Where it runs.
        within_s: It must show its prompt within this time; ``None`` lets it boot.

    Raises:
        LabError: It has another kind of console, or no port for an interface.
        RequirementMissing: The environment lacks a password.
    """
    host, port = _place(name, shown, kind, server)
    console = Console(
        name,
        lambda: TelnetLine(name, host, port),
        kind.credentials(),
        prompt=_PROMPTS[kind.console],
        within_s=within_s or kind.boot_s,
    )
    node: AnyNode
    if kind.console == "shell":
        node = ShellNode(
            name=name,
            platform=dialect,
            topology=topology,
            connect=console.connect,
            has_one_line=True,
            interfaces={one: kernel_interface(shown, one) for one in topology.interfaces(name)},
        )
    else:
        line = ConsoleConnections(console.connect, console.enable_secret)
        node = DeviceNode(name=name, platform=dialect, topology=topology, line=line, hang_up=line.close)
    return Reached(node, console, f"telnet {host} {port}")


def _place(name: str, shown: Mapping[str, Any], kind: Kind, server: Server) -> tuple[str, int]:
    """The host and port of a node's console."""
    if shown.get("console_type") != _TELNET or not shown.get("console"):
        raise LabError(
            f"{name}: template {kind.template!r} has a console by {shown.get('console_type')}, expected {_TELNET}"
        )
    host, port = str(shown.get("console_host") or ""), int(shown["console"])
    return (server.place.host if host in _ANYWHERE else host), port


def prober_of(nodes: Mapping[str, AnyNode], kinds: Mapping[str, Kind]) -> Prober | None:
    """What sends probes: the Linux hosts, else the hosts that are a VPCS; ``None`` if there are neither."""
    linux = {name: LinuxConsole(node) for name, node in nodes.items() if isinstance(node, ShellNode)}
    if linux:
        return ConsoleProber(linux)
    hosts = {name: node for name, node in nodes.items() if kinds[name].console == "vpcs"}
    others = {name: node for name, node in nodes.items() if name not in hosts}
    return VpcsProber(hosts, others) if hosts else None


def isolation_of(kinds: Mapping[str, Kind]) -> Isolation:
    """How read-only commands are kept from changing nodes, by what is at their consoles."""
    answers = dict.fromkeys(kind.console for kind in kinds.values())
    return Isolation(read_only="; ".join(_READ_ONLY[one] for one in answers))
