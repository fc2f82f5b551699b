"""Boot the nodes of a lab side by side. Works for the lab of any backend."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pytest_netbench.errors import LabError
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.driver import HostsServers

_BOOTING_PER_CORE = 3


def boot_nodes(lab: Lab, startup_configs: Mapping[str, str]) -> tuple[RefusedLine, ...]:
    """Boot all nodes and start their servers, side by side; return the refused startup lines, in topology order.

    Args:
        lab: The lab, its links up.
        startup_configs: Startup config by node; a node without one boots with an empty config.

    Raises:
        LabError: The first failure in topology order.
    """
    threads = _BOOTING_PER_CORE * len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=min(threads, len(lab.nodes)), thread_name_prefix="netbench-boot") as pool:
        futures = [pool.submit(_boot, lab, name, startup_configs.get(name, "")) for name in lab.nodes]
        failures = [future.exception() for future in futures]
    for failure in failures:
        if failure is not None:
            raise failure
    return tuple(line for future in futures for line in future.result())


def serve(lab: Lab, name: str) -> None:
    """Start the servers of a node, if it has any.

    Raises:
        LabError: They cannot be started, or the node cannot have any.
    """
    services = lab.topology.node(name).services
    if not services:
        return
    driver = lab.driver(name)
    if not isinstance(driver, HostsServers):
        raise LabError(f"{name}: nodes of driver {driver.name!r} cannot have services")
    driver.serve(lab.nodes[name], services)


def _boot(lab: Lab, name: str, startup_config: str) -> Sequence[RefusedLine]:
    refused = lab.driver(name).boot(lab.nodes[name], startup_config)
    serve(lab, name)
    return refused
