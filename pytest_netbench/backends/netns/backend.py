"""The default backend: labs of rootless Linux namespaces."""

from __future__ import annotations

import functools
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from pytest_netbench import parts
from pytest_netbench.backends.netns import doctor, equipment, pace, plan, starter, timers
from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.lab import NetnsLab
from pytest_netbench.backends.netns.native import build
from pytest_netbench.backends.netns.node import NetnsNode
from pytest_netbench.errors import RequirementMissing, StartupConfigRejected
from pytest_netbench.lab import deployment, readiness
from pytest_netbench.lab.capabilities import LAB_CAPABILITIES, LINKS, NODES, PROBES, unmet
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.capabilities import CAPTURES, CLOCK, COUNTERS, DAEMONS, HOSTED, LOGS, PROGRAMS
from pytest_netbench.platforms.driver import Driver, RunsInWallTime
from pytest_netbench.platforms.linux.services import NEEDED as SERVER_PROGRAMS

_OWNER = "backend netns"
CAPABILITIES = (
    *HOSTED,
    *(kind.name for kind in (PROBES, LINKS, NODES, DAEMONS, COUNTERS, CAPTURES, LOGS, PROGRAMS, CLOCK)),
)
"""What its labs and nodes offer."""
_NEED_REDIRECTION = (LINKS.name, NODES.name)  # a node that reboots loses its carriers


class NetnsBackend:
    """Deploys labs as processes in namespaces; needs no root, no image and no service."""

    name = "netns"

    capabilities = CAPABILITIES

    def report(self) -> list[Check]:
        lack = doctor.no_redirection() if platform.system() == "Linux" else None
        offered = [name for name in self.capabilities if lack is None or name not in _NEED_REDIRECTION]
        return [*doctor.report(), Check("capabilities", ok=True, required=False, detail=", ".join(offered))]

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        if (lack := unmet(request.requirements, self.capabilities, owner=_OWNER)) is not None:
            return lack, None
        if platform.system() == "Linux":
            starter.warm_up()  # a deployment probably follows, and the checks below take time
        wanted = [name for name in request.requirements if name in _NEED_REDIRECTION]
        if wanted and (missing := doctor.no_redirection()) is not None:
            return f"{LAB_CAPABILITIES[wanted[0]].lack(_OWNER)}: {missing[0]}", missing[1]
        shaped = any(not link.quality.is_plain for link in request.topology.links)
        if shaped and build.wire() is None:
            return plan.no_wire()
        if any(node.role == "switch" for node in request.topology.nodes) and build.switch() is None:
            return plan.no_switch()
        return doctor.lacks((*request.requirements, *_programs(request.topology)), set(request.dialects.values()))

    def deploy(self, request: LabRequest) -> NetnsLab:
        started = time.monotonic()
        starter.warm_up()
        drivers = _drivers(request.dialects)
        paces = _paces(request, drivers)
        redirecting = doctor.no_redirection() is None
        spec = plan.specification(request, drivers, time_scale=paces.booting)
        channel = Channel({**spec, "redirecting": redirecting})
        lab = NetnsLab(
            channel=channel,
            topology=request.topology,
            nodes={
                node: NetnsNode(
                    channel=channel,
                    name=node,
                    platform=dialect,
                    topology=request.topology,
                    time_scale=paces.steady,
                )
                for node, dialect in request.dialects.items()
            },
            drivers={node: drivers[dialect] for node, dialect in request.dialects.items()},
            time_scale=paces.steady,
            at_first=paces.booting,
            features=("userns", "veth", *(("labtime",) if build.labtime() else ())),
            substitutes=_substitutes(request),
        )
        equipment.equip(lab, channel, request.startup_configs, redirecting=redirecting)
        try:
            lab.refused_startup_lines = deployment.boot_nodes(lab, request.startup_configs)
            if request.strict and lab.refused_startup_lines:
                _reject(lab.refused_startup_lines)
            if paces.at_first != paces.booting:
                lab.set_pace(paces.at_first)
            slowdown = readiness.Slowdown(paces.slower, lab.set_pace)
            lab.readiness = readiness.wait_until_ready(
                lab, pace=paces.at_first, policy=request.ready, slowdown=slowdown
            )
            if paces.at_first != paces.steady:
                lab.set_pace(paces.steady)
        except BaseException:
            lab.destroy()
            raise
        lab.deploy_s = time.monotonic() - started
        return lab


def _programs(topology: Topology) -> list[str]:
    """The programs that the services of a network need."""
    kinds = {kind for several in topology.servers.values() for kind in several}
    return [program for kind, programs in SERVER_PROGRAMS.items() if kind in kinds for program in programs]


def _substitutes(request: LabRequest) -> dict[str, str]:
    """Kernel features that the network would use elsewhere, and what this backend uses instead."""
    if all(link.quality.is_plain for link in request.topology.links):
        return {}
    return {"netem": "the wire program of this package, one per shaped link"}


@functools.cache
def _driver_type(name: str) -> Callable[[], Driver[Any]]:
    """The installed driver; to search all installed packages takes milliseconds."""
    found: Callable[[], Driver[Any]] = parts.load("drivers", name)
    return found


def _drivers(dialects: Mapping[str, str]) -> dict[str, Driver[Any]]:
    """The driver of each dialect: the installed one of its name.

    Raises:
        RequirementMissing: A driver requires a capability that nodes of this backend do not offer.
    """
    drivers: dict[str, Driver[Any]] = {name: _driver_type(name)() for name in sorted(set(dialects.values()))}
    for driver in drivers.values():
        if (lack := unmet(driver.requires, CAPABILITIES, owner=_OWNER)) is not None:
            raise RequirementMissing(f"driver {driver.name} cannot be used here: {lack}")
    return drivers


class _Paces(NamedTuple):
    """Lab time's factors.

    Attributes:
        booting: While nodes boot. They boot one after the other; in lab time all of them boot at once, so that none is
            elected only because it was there first.
        at_first: Until the lab is ready.
        steady: While the agent works.
        slower: What follows on ``at_first`` if that takes long.
    """

    steady: float
    at_first: float
    booting: float
    slower: Sequence[tuple[float, float]] = ()


def _paces(request: LabRequest, drivers: Mapping[str, Driver[Any]]) -> _Paces:
    in_wall_time = [name for name, one in drivers.items() if isinstance(one, RunsInWallTime) and not one.in_lab_time]
    if build.labtime() is None or (in_wall_time and not {*drivers} - {*in_wall_time, "linux"}):
        return _Paces(1.0, 1.0, 1.0)
    if request.time_scale is not None:
        return _Paces(request.time_scale, request.time_scale, min(request.time_scale, pace.BOOTING))
    routers = sum(dialect != "linux" for dialect in request.dialects.values())
    dead_s = timers.shortest_dead_s(request.startup_configs.values())
    load = os.getloadavg()[0]
    steady, converging = (
        choose(routers, request.workers, dead_s=dead_s, load=load) for choose in (pace.steady, pace.converging)
    )
    links = request.topology.links
    if request.ready.until != "everything":  # the deadline is in lab time, and must not pass before anything can happen
        return _Paces(steady, converging, pace.BOOTING)
    eager = converging
    if all(link.quality.is_plain for link in links):  # delays of links pass in wall time
        eager = pace.eager(routers, request.workers, dead_s=dead_s, load=load, links=len(links))
    return _Paces(steady, eager, pace.BOOTING, pace.slower(eager, converging, steady))


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
