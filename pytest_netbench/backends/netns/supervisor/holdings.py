"""How much of the kernel's memory a node holds, in entries: routes, interfaces, neighbours. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_netbench.backends.netns.supervisor import roots

MOST = {"routes": 20_000, "interfaces": 1_000, "neighbours": 10_000}

_PREFIXES = re.compile(r"Prefixes:\s+(\d+)")


def of(pid: int) -> dict[str, int]:
    """Return what the network of a process holds; nothing of a process that has ended."""
    net = f"{roots.PROC}/{pid}/net"
    try:
        with open(f"{net}/fib_triestat") as file:
            # the local table is shown again as the main one while they are one
            routes = max(map(int, _PREFIXES.findall(file.read())), default=0)
        with open(f"{net}/rt6_stats") as file:
            routes += int(file.read().split()[2], 16)
        return {"routes": routes, "interfaces": _lines(f"{net}/dev") - 2, "neighbours": _lines(f"{net}/arp") - 1}
    except (OSError, ValueError, IndexError):
        return {}


class Growth:
    """Reports a command that makes its node exceed its limits. What existed before may be removed but not extended.

    Args:
        pid: A process of the command, which sees the node's network.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        before = of(pid)
        self._most = {what: max(most, before.get(what, 0)) for what, most in MOST.items()}

    def excess(self) -> str | None:
        """Return what there is too much of, for people, or ``None``."""
        for what, number in of(self._pid).items():
            if number > self._most[what]:
                return f"the node holds {number} {what}, at most {MOST[what]} are permitted"
        return None


Check = Callable[[], str | None]


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return file.read().count(b"\n")
