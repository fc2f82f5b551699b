"""A request to deploy a network: all that a backend may read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from pytest_netbench import parts
from pytest_netbench.model.ready import Ready
from pytest_netbench.model.task import Task
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.driver import NeedsPrograms

FIRST: Final = datetime(2025, 1, 1, tzinfo=UTC)
"""The first date that a network can begin on."""
LAST: Final = datetime(2027, 12, 31, tzinfo=UTC)
"""No network begins then or later. Time ranges and lifetimes of keys in tasks lie around both, or far from them."""


def first(task: Task) -> float:
    """Return the date on which the network of a task begins, in whole seconds since 1970.

    Tasks of one name and seed have one date, whatever else of them changes.
    """
    seed = task.seed if task.drawn is None else f"{task.drawn.seed} {task.drawn.index}"
    drawn = hashlib.sha256(f"{task.slug} {seed}".encode()).digest()
    seconds = int((LAST - FIRST).total_seconds())
    return FIRST.timestamp() + int.from_bytes(drawn[:8], "big") % seconds


Clock = Literal["scaled", "events", "calls"]
"""How lab time passes.

At the time scale; while a verdict waits from one event of the daemons to the next; or not at all between the requests
of an agent.
"""
SHARED_FILES: Final = "/opt/netbench/lib"
"""Where nodes find the files that a request shares."""


@dataclass(frozen=True, kw_only=True)
class LabRequest:
    """One network to deploy.

    Attributes:
        name: For people: a backend may label with it what it makes. Labs of the same name may run side by side.
        topology: Nodes and links.
        dialects: By node: the name of its configuration language.
        startup_configs: By node; a node without one starts with its network OS's defaults.
        requirements: What the machine and the backend must offer (docs/reference/doctor.md).
        testcases: What will be observed. A backend that cannot observe one refuses the request.
        ready: When ``deploy`` returns.
        strict: Whether a refused line of a startup config is an error of ``deploy``.
        time_scale: Lab seconds per wall second; ``None`` lets the backend choose.
        clock: How lab time passes: ``scaled``; moved by ``events`` while a verdict waits, where the lab's backend and
            its network allow it; or standing still between ``calls`` of an agent.
        date: What the lab's clock shows first, in seconds since 1970, where it has one of its own; ``None`` for the
            machine's date.
        workers: Labs that are expected to run side by side on this machine.
        lab: A lab that runs already and is used, by its name or file; ``None`` asks for a new one.
        programs: By node, only for such a lab: what its configs and the task's ground truth need to run.
        shared: Files of this machine that all nodes can read as ``SHARED_FILES/NAME``, by that name; for resources that
            are built on a lab.
    """

    name: str
    topology: Topology
    dialects: Mapping[str, str]
    startup_configs: Mapping[str, str] = field(default_factory=dict)
    requirements: tuple[str, ...] = ()
    testcases: tuple[Testcase, ...] = ()
    ready: Ready = field(default_factory=Ready)
    strict: bool = False
    time_scale: float | None = None
    clock: Clock = "scaled"
    date: float | None = None
    workers: int = 1
    lab: str | None = None
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shared: Mapping[str, Path] = field(default_factory=dict)


def request_of(
    task: Task,
    *,
    time_scale: float | None = None,
    clock: Clock = "scaled",
    workers: int = 1,
    lab: str | None = None,
) -> LabRequest:
    """Return the request for the network of ``task``.

    Args:
        task: A task that has a network.
        time_scale: Lab seconds per wall second; ``None`` leaves it to the task, and then to the backend.
        clock: How lab time passes.
        workers: Labs that are expected to run side by side on this machine.
        lab: A lab that runs already and is used.
    """
    network = task.network
    return LabRequest(
        name=task.slug,
        topology=network.topology,
        dialects={node.name: network.platform_of(node.name) for node in network.topology.nodes},
        startup_configs=network.startup_configs,
        requirements=tuple(dict.fromkeys((*task.requirements, *network.needs))),
        testcases=network.observed,
        ready=network.ready,
        strict=network.strict,
        time_scale=time_scale or network.time_scale,
        clock=clock,
        date=first(task),
        workers=workers,
        lab=lab,
        programs={} if lab is None else _programs(task),
    )


def _programs(task: Task) -> dict[str, tuple[str, ...]]:
    network = task.network
    truth: Mapping[str, Sequence[str]] = getattr(task.payload, "ground_truth_configs", {})
    found = {}
    for node in network.topology.nodes:
        dialect = network.platform_of(node.name)
        driver = parts.load("drivers", dialect)() if dialect in parts.names("drivers") else None
        if isinstance(driver, NeedsPrograms):
            lines = [*network.startup_configs.get(node.name, "").splitlines(), *truth.get(node.name, ())]
            found[node.name] = tuple(driver.programs_for(lines))
    return found
