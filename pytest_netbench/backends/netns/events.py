"""Which labs may have their clock moved by events: those in which everything that waits goes by that clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.lab.request import LabRequest
from pytest_netbench.native import build
from pytest_netbench.platforms.driver import HostedDriver, RunsInWallTime


def why_not(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> str | None:
    """Return why the clock of a lab passes at a speed only, in a few words; ``None`` if it can be moved by events."""
    return next(_reasons(request, drivers), None)


def _reasons(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> Iterator[str]:
    nodes, routers = request.topology.nodes, {*request.dialects.values()} - {"linux"}
    if build.pacer() is None or build.labtime() is None:
        yield build.why_not() or "the pacer is missing"
    if not routers:
        yield "no daemon goes by it"
    for name, driver in drivers.items():
        if name in routers and isinstance(driver, RunsInWallTime) and not driver.in_lab_time:
            yield f"nodes of {name} go by the wall"
    if any(node.services for node in nodes):
        yield "servers and their clients go by the wall"
