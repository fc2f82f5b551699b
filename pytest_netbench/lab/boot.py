"""Boot the nodes of a lab side by side. Works for the lab of any backend."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from pytest_netbench.platforms.base import NodeAccess, Platform

_BOOTING_PER_CORE = 3


def boot_nodes(
    nodes: Mapping[str, NodeAccess], startup_configs: Mapping[str, str], platforms: Mapping[str, Platform]
) -> None:
    """Boot all nodes side by side.

    Args:
        nodes: The lab's nodes, in topology order.
        startup_configs: Startup config by node; a node without one boots with an empty config.
        platforms: Platform by name.

    Raises:
        LabError: The first failure in topology order.
    """
    threads = _BOOTING_PER_CORE * len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=min(threads, len(nodes)), thread_name_prefix="netbench-boot") as pool:
        futures = [
            pool.submit(platforms[node.platform].boot, node, startup_configs.get(name, ""))
            for name, node in nodes.items()
        ]
        failures = [future.exception() for future in futures]
    for failure in failures:
        if failure is not None:
            raise failure
