"""Bring a lab up: boot its nodes side by side, and wait until it is ready. Works for the lab of any backend."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, NoReturn

from pytest_netbench.errors import LabError, StartupConfigRejected
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.readiness import Slowdown, wait_until_ready
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.lab.stopwatch import Stopwatch
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.driver import Boot, HostsServers

_BOOTING_PER_CORE = 3


class Paces(NamedTuple):
    """Lab seconds in a wall second while a lab is brought up; all 1 where a lab has no time of its own.

    Attributes:
        steady: While the agent works.
        at_first: Until the lab is ready.
        booting: While nodes boot. They boot one after the other; in lab time all of them boot at once, so that none is
            elected only because it was there first.
        slower: What follows on ``at_first`` if that takes long: wall seconds of waiting, and the pace from then on.
    """

    steady: float = 1.0
    at_first: float = 1.0
    booting: float = 1.0
    slower: Sequence[tuple[float, float]] = ()


_REAL_TIME = Paces()


def _unchanged(pace: float) -> None:
    """Leave the pace as it is."""


class BroughtUp(NamedTuple):
    """What came of bringing a lab up."""

    refused: tuple[RefusedLine, ...]
    readiness: Readiness


def bring_up(
    lab: Lab,
    request: LabRequest,
    *,
    paces: Paces = _REAL_TIME,
    set_pace: Callable[[float], None] = _unchanged,
    stopwatch: Stopwatch | None = None,
) -> BroughtUp:
    """Boot all nodes of a lab and wait until it is ready, as its request says. A lab that fails is destroyed.

    Args:
        lab: The lab, its links up, at the pace ``paces.booting``.
        request: What it is.
        paces: Of lab time.
        set_pace: Sets one.
        stopwatch: Where the clock is moved by events: it passes ``paces.at_first`` lab seconds in each of its seconds,
            and while the lab is looked at its pace is the steady one.

    Raises:
        LabError: A node did not boot.
        StartupConfigRejected: The request is strict, and a device refused a line.
        NotReady: Something was missing at the deadline.
    """
    try:
        refused = boot_nodes(lab, request.startup_configs)
        if request.strict and refused:
            _reject(refused)
        at_first = paces.at_first if stopwatch is None else paces.steady
        if at_first != paces.booting:
            set_pace(at_first)
        slowdown = Slowdown(paces.slower if stopwatch is None else (), set_pace)
        ready = wait_until_ready(lab, pace=paces.at_first, policy=request.ready, slowdown=slowdown, stopwatch=stopwatch)
        if at_first != paces.steady:
            set_pace(paces.steady)
    except BaseException:
        lab.destroy()
        raise
    return BroughtUp(refused, ready)


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
    driver = lab.driver(name)
    refused = driver.boot(lab.nodes[name], startup_config) if isinstance(driver, Boot) else ()
    serve(lab, name)
    return refused


def _reject(refused: Sequence[RefusedLine]) -> NoReturn:
    first, *others = refused
    raise StartupConfigRejected(
        node=first.node,
        line_number=first.line_number,
        line=first.line,
        device_message=first.message,
        further=[
            f"{one.node}: startup config line {one.line_number}: {one.line.strip()!r}: {' '.join(one.message.split())}"
            for one in others
        ],
        refused=refused,
    )
