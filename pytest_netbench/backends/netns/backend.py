"""The default backend: labs of rootless Linux namespaces."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from pytest_netbench import parts
from pytest_netbench.backends.netns import doctor, equipment, pace, plan, timers
from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.lab import NetnsLab
from pytest_netbench.backends.netns.native import build
from pytest_netbench.backends.netns.node import NetnsNode
from pytest_netbench.errors import StartupConfigRejected
from pytest_netbench.lab import boot, readiness
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.driver import Driver


class NetnsBackend:
    """Deploys labs as processes in namespaces; needs no root, no image and no service."""

    name = "netns"

    def lacks(self, task: Task) -> tuple[str, str | None] | None:
        shaped = any(not link.quality.is_plain for link in task.network.topology.links)
        if shaped and build.wire() is None:
            return plan.no_wire()
        if any(node.role == "switch" for node in task.network.topology.nodes) and build.switch() is None:
            return plan.no_switch()
        return doctor.lacks(
            task.requirements, {task.network.platform_of(node.name) for node in task.network.topology.nodes}
        )

    def deploy(self, task: Task, *, time_scale: float | None = None, workers: int = 1) -> NetnsLab:
        started = time.monotonic()
        names = {node.name: task.network.platform_of(node.name) for node in task.network.topology.nodes}
        platforms: dict[str, Driver[Any]] = {
            name: parts.load("drivers", name)() for name in sorted(set(names.values()))
        }
        steady, converging = _paces(task, names, time_scale, workers)
        channel = Channel(plan.specification(task, platforms, time_scale=converging))
        lab = NetnsLab(
            channel=channel,
            topology=task.network.topology,
            nodes={
                node: NetnsNode(
                    channel=channel,
                    name=node,
                    platform=platform,
                    topology=task.network.topology,
                    time_scale=steady,
                )
                for node, platform in names.items()
            },
            drivers={node: platforms[platform] for node, platform in names.items()},
            time_scale=steady,
            features=("userns", "veth", *(("labtime",) if build.labtime() else ())),
            substitutes=_substitutes(task),
        )
        equipment.equip(lab, channel, task.network.startup_configs)
        try:
            lab.refused_startup_lines = boot.boot_nodes(lab, task.network.startup_configs)
            if task.network.strict and lab.refused_startup_lines:
                _reject(lab.refused_startup_lines)
            lab.readiness = readiness.wait_until_ready(lab, pace=converging, policy=task.network.ready)
            if steady != converging:
                lab.set_pace(steady)
        except BaseException:
            lab.destroy()
            raise
        lab.deploy_s = time.monotonic() - started
        return lab


def _substitutes(task: Task) -> dict[str, str]:
    """Kernel features that a task's network would use elsewhere, and what this backend uses instead."""
    if all(link.quality.is_plain for link in task.network.topology.links):
        return {}
    return {"netem": "the wire program of this package, one per shaped link"}


def _paces(task: Task, names: Mapping[str, str], asked: float | None, workers: int) -> tuple[float, float]:
    """Lab time's factors once the lab is ready, and until then."""
    if build.labtime() is None:
        return 1.0, 1.0
    if (fixed := asked or task.network.time_scale) is not None:
        return fixed, fixed
    routers = sum(platform != "linux" for platform in names.values())
    dead_s = timers.shortest_dead_s(task.network.startup_configs.values())
    load = os.getloadavg()[0]
    return (
        pace.steady(routers, workers, dead_s=dead_s, load=load),
        pace.converging(routers, workers, dead_s=dead_s, load=load),
    )


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
