"""Boot the nodes of a lab side by side. Works for the lab of any backend."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.trial import RefusedLine

_BOOTING_PER_CORE = 3


def boot_nodes(lab: Lab, startup_configs: Mapping[str, str]) -> tuple[RefusedLine, ...]:
    """Boot all nodes side by side; return the startup lines that were refused, in topology order.

    Args:
        lab: The lab, its links up.
        startup_configs: Startup config by node; a node without one boots with an empty config.

    Raises:
        LabError: The first failure in topology order.
    """
    threads = _BOOTING_PER_CORE * len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=min(threads, len(lab.nodes)), thread_name_prefix="netbench-boot") as pool:
        futures = [
            pool.submit(lab.driver(name).boot, node, startup_configs.get(name, "")) for name, node in lab.nodes.items()
        ]
        failures = [future.exception() for future in futures]
    for failure in failures:
        if failure is not None:
            raise failure
    return tuple(line for future in futures for line in future.result())
