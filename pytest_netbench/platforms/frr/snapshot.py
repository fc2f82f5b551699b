"""One observation of the routers of a lab: the answers of their daemons and kernels, each asked once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from typing import Any

from pytest_netbench.platforms.capabilities import HostedNode

_BRIEF = ("zebra", "show interface brief json")


class Snapshot:
    """One observation of all routers.

    Args:
        nodes: The routers, their interfaces by the kernel's names.
        daemons: By node: the daemons that run.
    """

    def __init__(self, nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]]) -> None:
        self.nodes = nodes
        self._daemons = daemons
        self._briefs: dict[str, Mapping[str, Any]] = {
            name: as_object(node.vty([_BRIEF])[0][0]) for name, node in nodes.items()
        }

    def running(self, daemon: str) -> list[HostedNode]:
        """The nodes on which ``daemon`` runs."""
        return [node for node in self.nodes.values() if daemon in self._daemons[node.name]]

    def up(self, node: str) -> set[str]:
        """Interfaces of ``node`` that zebra knows to be up."""
        return {name for name, entry in self._entries(node) if entry.get("status") == "up"}

    def owned(self, node: str, *, up: bool = False) -> dict[str, tuple[IPv4Interface | IPv6Interface, ...]]:
        """Addresses of ``node`` by interface, of those that are ``up`` or of all."""
        return {
            name: tuple(ip_interface(text) for text in entry.get("addresses") or ())
            for name, entry in self._entries(node)
            if not up or entry.get("status") == "up"
        }

    def owned4(self, node: str) -> dict[str, tuple[IPv4Interface | IPv6Interface, ...]]:
        """IPv4 addresses of ``node`` by interface that is up."""
        return {
            name: tuple(address for address in addresses if address.version == 4)
            for name, addresses in self.owned(node, up=True).items()
        }

    def _entries(self, node: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
        return [(name, entry) for name, entry in self._briefs[node].items() if isinstance(entry, Mapping)]

    def carrying(self, node: HostedNode, names: Iterable[str]) -> list[str]:
        """Those of ``names`` that the kernel says are in operation: the far end of the others may be shut.

        The kernel is asked only if there are any, since that costs a process.
        """
        wanted = set(names)
        if not wanted:
            return []
        links = json.loads(node.run(["ip", "-j", "link", "show"]).stdout or "[]")
        return [link["ifname"] for link in links if link["ifname"] in wanted and link.get("operstate") == "UP"]


def config(node: HostedNode, daemon: str) -> str:
    """The running config of one daemon."""
    return node.vty([(daemon, "enable"), (daemon, "show running-config")])[-1][0]


def as_object(text: str) -> dict[str, Any]:
    """The object in an answer; daemons answer a plain sentence where a protocol is not configured."""
    start = text.find("{")
    if start < 0:
        return {}
    answer = json.loads(text[start:])
    return answer if isinstance(answer, dict) else {}


def as_list(text: str) -> list[Any]:
    """The list in an answer, empty for a plain sentence."""
    start = text.find("[")
    if start < 0:
        return []
    answer = json.loads(text[start:])
    return answer if isinstance(answer, list) else []
