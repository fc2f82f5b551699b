"""Pings from a node."""

from __future__ import annotations

import math
from typing import Final

from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import EXEC

_SLACK_S: Final = 20.0


def answers(node: NodeAccess, address: str, *, timeout_s: float = 1.0) -> bool:
    """Whether an address answers one ping.

    Args:
        node: Who asks.
        address: IPv4 address.
        timeout_s: Wall seconds, rounded up to a whole number.
    """
    argv = ["ping", "-n", "-q", "-c", "1", "-W", str(math.ceil(timeout_s)), address]
    return node.capability(EXEC).run(argv, timeout_s=timeout_s + _SLACK_S).returncode == 0
