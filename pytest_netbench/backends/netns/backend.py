"""The default backend: labs of rootless Linux namespaces."""

from __future__ import annotations

import functools
import os
import platform
import time
from collections.abc import Callable, Mapping

from pytest_netbench import parts
from pytest_netbench.backends.netns import capabilities, plan, starter
from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.clock import events, pace, timers
from pytest_netbench.backends.netns.clock.labtime import BRINGING_UP, EXACTLY, LabNeighbors, Slack
from pytest_netbench.backends.netns.lab import NetnsLab
from pytest_netbench.backends.netns.machine import doctor
from pytest_netbench.backends.netns.nodes.node import NetnsNode
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab import wires
from pytest_netbench.lab.approach import STANDS
from pytest_netbench.lab.capabilities import LAB_CAPABILITIES, LINKS, NODES, PROBES, unmet
from pytest_netbench.lab.deployment import Paces, bring_up
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.lab.stopwatch import EventStopwatch, StandingStopwatch
from pytest_netbench.lab.turns import Turns
from pytest_netbench.model.topology import Topology
from pytest_netbench.native import build
from pytest_netbench.platforms.capabilities import (
    CAPTURES,
    CLOCK,
    COUNTERS,
    DAEMONS,
    HOSTED,
    LOGS,
    PROGRAMS,
    SOCKETS,
    STREAMS,
)
from pytest_netbench.platforms.driver import Boot, BootsAtOnce, HostedDriver, RunsHere, RunsInWallTime
from pytest_netbench.platforms.linux.services import NEEDED as SERVER_PROGRAMS

_OWNER = "backend netns"
CAPABILITIES = (
    *HOSTED,
    *(
        kind.name
        for kind in (PROBES, LINKS, NODES, DAEMONS, COUNTERS, CAPTURES, LOGS, PROGRAMS, CLOCK, SOCKETS, STREAMS)
    ),
)
"""What its labs and nodes offer."""
_NEED_REDIRECTION = (LINKS.name, NODES.name)  # a node that reboots loses its carriers


class NetnsBackend:
    """Deploys labs as processes in namespaces; needs no root, no image and no service."""

    name = "netns"

    capabilities = CAPABILITIES

    stands_still = True

    @property
    def paces_time(self) -> bool:
        """Whether daemons can be given another clock here."""
        return build.labtime() is not None

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
            return wires.lack()
        if any(node.role == "switch" for node in request.topology.nodes) and build.switch() is None:
            return plan.no_switch()
        needs_clock = ("lab-time",) if request.clock == "calls" else ()
        return doctor.lacks(
            (*request.requirements, *needs_clock, *_programs(request.topology)), set(request.dialects.values())
        )

    def deploy(self, request: LabRequest) -> NetnsLab:
        started = time.monotonic()
        starter.warm_up()
        drivers = _drivers(request.dialects)
        paces = _paces(request, drivers)
        can_move = request.clock != "scaled" and events.why_not(request, drivers) is None
        exactly = can_move and request.clock == "calls" and _boots_at_once(request, drivers)
        by_events = exactly or (can_move and request.clock == "events")
        if exactly:
            paces = paces._replace(booting=STANDS)
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
            date=request.date if "labtime.so" in spec["shared"] else None,
            features=("userns", "veth", *(("labtime",) if build.labtime() else ())),
            substitutes=_substitutes(request),
        )
        _set_clock(lab, request, LabNeighbors(channel), by_events=by_events)
        capabilities.equip(lab, channel, request.startup_configs, redirecting=redirecting)
        lab.refused_startup_lines, lab.readiness = bring_up(
            lab,
            request,
            paces=paces._replace(steady=STANDS) if exactly else paces,
            set_pace=lab.set_pace,
            stopwatch=_hurrying(lab, paces.at_first, EXACTLY if exactly else BRINGING_UP) if by_events else None,
        )
        if lab.turns is not None:
            lab.turns.before.start()
        lab.deploy_s = time.monotonic() - started
        return lab


def _set_clock(lab: NetnsLab, request: LabRequest, neighbors: LabNeighbors, *, by_events: bool) -> None:
    """Let verdicts and requests wait as the request for the lab says, as far as that is possible."""
    pace = lab.time_scale
    if by_events and request.clock == "events":
        lab.stopwatch = EventStopwatch(lab.clock, pace)
    if request.clock == "calls":
        exactly = (lambda lab_s: lab.clock.forward(lab_s, slack=EXACTLY)) if by_events else None
        lab.turns = turns = Turns(lab.clock, pace=pace, neighbors=neighbors, exactly=exactly)
        lab.stopwatch = StandingStopwatch(turns.lab_s, wall_s=turns.wall_s, scale=pace)


def _hurrying(lab: NetnsLab, pace: float, slack: Slack) -> EventStopwatch:
    return EventStopwatch(lab.clock, pace, forward=lambda lab_s: lab.clock.forward(lab_s, slack=slack))


def _boots_at_once(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> bool:
    """Whether all nodes boot while no lab time passes. Of servers this is not known.

    Timers that begin at fractions of a millisecond make the clock slow that only shows whole ones.
    """
    boots = all(isinstance(one, BootsAtOnce) and one.boots_at_once for one in drivers.values())
    return boots and not _server_kinds(request.topology)


def _programs(topology: Topology) -> list[str]:
    """The programs that the services of a network need."""
    kinds = _server_kinds(topology)
    return [program for kind, programs in SERVER_PROGRAMS.items() if kind in kinds for program in programs]


def _server_kinds(topology: Topology) -> set[str]:
    return {kind for several in topology.servers.values() for kind in several}


def _substitutes(request: LabRequest) -> dict[str, str]:
    """Kernel features that the network would use elsewhere, and what this backend uses instead."""
    if all(link.quality.is_plain for link in request.topology.links):
        return {}
    return {"netem": "the wire program of this package, one per shaped link"}


@functools.cache
def _driver_type(name: str) -> Callable[[], HostedDriver]:
    """The installed driver; to search all installed packages takes milliseconds."""
    found: Callable[[], HostedDriver] = parts.load("drivers", name)
    return found


def _drivers(dialects: Mapping[str, str]) -> dict[str, HostedDriver]:
    """The driver of each dialect: the installed one of its name.

    Raises:
        RequirementMissing: A driver requires a capability that nodes of this backend do not offer, or boots none.
    """
    drivers: dict[str, HostedDriver] = {name: _driver_type(name)() for name in sorted(set(dialects.values()))}
    for driver in drivers.values():
        if (lack := unmet(driver.requires, CAPABILITIES, owner=_OWNER)) is not None:
            raise RequirementMissing(f"driver {driver.name} cannot be used here: {lack}")
        if not all(isinstance(driver, needed) for needed in (Boot, RunsHere)):
            raise RequirementMissing(f"driver {driver.name} cannot be used here: its network OS does not run here")
    return drivers


def _paces(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> Paces:
    in_wall_time = [name for name, one in drivers.items() if isinstance(one, RunsInWallTime) and not one.in_lab_time]
    if build.labtime() is None or (in_wall_time and not {*drivers} - {*in_wall_time, "linux"}):
        return Paces()
    if request.time_scale is not None:
        return Paces(request.time_scale, request.time_scale, min(request.time_scale, pace.BOOTING))
    routers = sum(dialect != "linux" for dialect in request.dialects.values())
    dead_s = timers.shortest_dead_s(request.startup_configs.values(), _server_kinds(request.topology))
    load = os.getloadavg()[0]
    steady, converging = (
        choose(routers, request.workers, dead_s=dead_s, load=load) for choose in (pace.steady, pace.converging)
    )
    links = request.topology.links
    if request.ready.until != "everything":  # the deadline is in lab time, and must not pass before anything can happen
        return Paces(steady, converging, pace.BOOTING)
    eager = converging
    if all(link.quality.is_plain for link in links):  # delays of links pass in wall time
        eager = pace.eager(routers, request.workers, dead_s=dead_s, load=load, links=len(links))
    return Paces(steady, eager, pace.BOOTING, pace.slower(eager, converging, steady))
