"""How much of the kernel's memory a node holds, in entries: routes, interfaces, neighbors. Standard library only."""

from __future__ import annotations

import re

from pytest_netbench.backends.netns.supervisor import nodes, roots
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces

MOST = {"routes": 20_000, "interfaces": 1_000, "neighbors": 10_000}

_PREFIXES = re.compile(r"Prefixes:\s+(\d+)")


class Growth:
    """Reports a command that makes its node exceed its limits. What existed before may be removed but not extended.

    Args:
        node: Where the command will run. Made before it starts, for what it does at once counts, too.
    """

    def __init__(self, node: Namespaces) -> None:
        with nodes.inside_network(node, node.home.network):
            before = _listed("/proc/thread-self/net")
        self._most = {what: max(most, before.get(what, 0)) for what, most in MOST.items()}

    def excess(self, pid: int) -> str | None:
        """Return what there is too much of, for people, or ``None``. ``pid`` is a process of the command."""
        for what, number in _listed(f"{roots.PROC}/{pid}/net").items():
            if number > self._most[what]:
                return f"the node holds {number} {what}, at most {MOST[what]} are permitted"
        return None


def _listed(net: str) -> dict[str, int]:
    """Return what is listed in a folder of the kernel; nothing of a process that has ended."""
    try:
        with open(f"{net}/fib_triestat") as file:
            # the local table is shown again as the main one while they are one
            routes = max(map(int, _PREFIXES.findall(file.read())), default=0)
        with open(f"{net}/rt6_stats") as file:
            routes += int(file.read().split()[2], 16)
        return {"routes": routes, "interfaces": _lines(f"{net}/dev") - 2, "neighbors": _lines(f"{net}/arp") - 1}
    except (OSError, ValueError, IndexError):
        return {}


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return file.read().count(b"\n")
