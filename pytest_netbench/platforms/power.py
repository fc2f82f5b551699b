"""Reset of a node's configuration, as by a power cycle. For drivers whose nodes keep their state in the kernel."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.access import Exec

_TABLES = (("-4", "all"), ("-6", "all"))


@runtime_checkable
class Rebooting(Protocol):
    """A driver that can reboot its nodes."""

    def reboot(self, node: Any, startup_config: str) -> Sequence[RefusedLine]:
        """End all that runs on a node, undo its configuration, and boot it from its startup config.

        Returns:
            The startup lines that were refused.

        Raises:
            LabError: It did not boot.
        """
        ...


@runtime_checkable
class EndsProcesses(Protocol):
    """A driver whose ``reboot`` ends the processes of a node itself, in order. Others find them ended."""

    ends_processes: bool


@runtime_checkable
class Saving(Protocol):
    """A driver whose nodes have a saved config, which they load at the next start, beside the running config."""

    def saved_config(self, node: Any) -> str:
        """Return the saved config of a node."""
        ...

    def save_config(self, node: Any, config: str) -> None:
        """Replace the saved config of a node. The running config does not change."""
        ...


def clear(node: Exec, interfaces: Iterable[str]) -> None:
    """Remove addresses, routes, filters, queues and added interfaces. Leaves the topology's interfaces up and empty.

    Args:
        node: The node; nothing of it runs any more.
        interfaces: Kernel names of the topology's interfaces.
    """
    own = set(interfaces)
    links = json.loads(node.run(["ip", "-j", "link", "show"]).stdout or "[]")
    present = {link["ifname"] for link in links}
    commands: list[Sequence[str]] = [["nft", "flush", "ruleset"]]
    commands += [["ip", "link", "delete", name] for name in sorted(present - own - {"lo"})]
    for name in sorted(own & present):
        commands += [
            ["ip", "link", "set", name, "nomaster"],
            ["ip", "link", "set", name, "down"],
            ["ip", "address", "flush", "dev", name],
            ["tc", "qdisc", "delete", "dev", name, "root"],
            ["tc", "qdisc", "delete", "dev", name, "ingress"],
            ["ip", "link", "set", name, "mtu", "1500"],
        ]
    commands += [["ip", family, "route", "flush", "table", table] for family, table in _TABLES]
    commands += [["ip", family, "rule", "flush"] for family, _ in _TABLES]
    for family, priorities in (
        ("-4", ((0, "local"), (32766, "main"), (32767, "default"))),
        ("-6", ((0, "local"), (32766, "main"))),
    ):
        commands += [["ip", family, "rule", "add", "pref", str(pref), "lookup", table] for pref, table in priorities]
    commands += [["ip", "address", "flush", "dev", "lo"], ["ip", "link", "set", "lo", "down"]]
    commands += [["ip", "link", "set", name, "up"] for name in ("lo", *sorted(own & present))]
    commands += [
        ["sysctl", "-qw", "net.ipv4.ip_forward=0"],
        ["sysctl", "-qw", "net.ipv6.conf.all.forwarding=0"],
    ]
    node.run_many(commands)  # what is not there cannot be removed: a refusal is no error
