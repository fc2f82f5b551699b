"""Which labs may have their clock moved by events: those in which everything that waits goes by that clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_netbench.kernel.linking import is_dynamic
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.native import build
from pytest_netbench.platforms.driver import HostedDriver, RunsInWallTime
from pytest_netbench.platforms.linux.services import IN_WALL_TIME, PROGRAMS_IN_LAB_TIME


def why_not(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> str | None:
    """Return why the clock of a lab passes at a speed only, in a few words; ``None`` if it can be moved by events."""
    return next(_reasons(request, drivers), None)


def _reasons(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> Iterator[str]:
    routers = {*request.dialects.values()} - {"linux"}
    kinds = {one.kind for node in request.topology.nodes for one in node.services}
    if build.pacer() is None or build.labtime() is None:
        yield build.why_not() or "the pacer is missing"
    if not routers and not kinds & PROGRAMS_IN_LAB_TIME.keys():
        yield "no daemon goes by it"
    for name, driver in drivers.items():
        if name in routers and isinstance(driver, RunsInWallTime) and not driver.in_lab_time:
            yield f"nodes of {name} go by the wall"
    for kind in sorted(kinds & IN_WALL_TIME):
        yield f"servers of kind {kind} go by the wall"
    for path in sorted({PROGRAMS_IN_LAB_TIME[kind] for kind in kinds & PROGRAMS_IN_LAB_TIME.keys()}):
        if Path(path).exists() and not is_dynamic(path):
            yield f"{path} is linked statically, so it goes by the wall"
