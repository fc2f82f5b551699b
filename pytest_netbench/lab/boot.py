"""Boot the nodes of a lab side by side. Works for the lab of any backend."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

from pytest_netbench.errors import StartupConfigRejected
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.trial import RefusedLine

_BOOTING_PER_CORE = 3


def boot_nodes(lab: Lab, startup_configs: Mapping[str, str], *, strict: bool = False) -> tuple[RefusedLine, ...]:
    """Boot all nodes side by side; return the startup lines that devices refused.

    Args:
        lab: The lab, its links up.
        startup_configs: Startup config by node; a node without one boots with an empty config.
        strict: Whether a refused line is an error.

    Raises:
        StartupConfigRejected: Lines were refused, and ``strict`` is set.
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
    refused = tuple(line for future in futures for line in future.result() or ())
    if strict and refused:
        _reject(refused)
    return refused


def _reject(refused: Sequence[RefusedLine]) -> NoReturn:
    first, *others = refused
    raise StartupConfigRejected(
        node=first.node,
        line_number=first.line_number,
        line=first.line,
        device_message=first.message,
        further=[
            f"{one.node}: startup config line {one.line_number}: {one.line.strip()!r}: {one.message}" for one in others
        ],
    )
