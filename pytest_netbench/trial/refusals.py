"""Configuration lines of a task that devices refuse: read without devices, or booted in a lab."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, RequirementMissing
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.events import Enter
from pytest_netbench.model.ready import Ready
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.model.trial import RefusedLine, in_one_line, offset_of
from pytest_netbench.platforms.driver import PlannedNode, Rehearses
from pytest_netbench.trial.deployment import lab_backend
from pytest_netbench.trial.settings import Settings

Source = tuple[str | int, ...]
"""Where a batch of commands is written: ``("ground_truth_configs",)``, or ``("right", 0, "configs")`` of solutions."""
TRUTH: Source = ("ground_truth_configs",)
EVENTS = "events"
Batches = Mapping[Source, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A line that a device refuses.

    Attributes:
        source: Where it is written; ``None`` for a startup config.
        node: The node.
        number: Its 1-based line in the startup config, or the 0-based number of the command.
        line: The line.
        message: The device's words, in one line.
        offset: The 0-based character that the device objects to.
    """

    source: Source | None
    node: str
    number: int
    line: str
    message: str
    offset: int

    @property
    def about(self) -> tuple[object, ...]:
        """What tells the line from all others of the task."""
        return (self.source, self.node, self.number)

    def __str__(self) -> str:
        return f"{self.node} refuses {self.line.strip()!r}: {self.message}"


def batches_of(task: Task, solutions: Solutions | None = None) -> dict[Source, Mapping[str, Sequence[str]]]:
    """All commands that are written for a task: its ground truth, its events on nodes of others, and its solutions."""
    if not isinstance(task.payload, Configure):
        return {}
    found: dict[Source, Mapping[str, Sequence[str]]] = {TRUTH: task.payload.ground_truth_configs}
    managed = {node.name for node in task.payload.topology.nodes if node.control == "managed"}
    for name, actions in task.payload.events.items():
        for index, action in enumerate(actions):
            if isinstance(action, Enter) and action.enter.node not in managed:
                found[EVENTS, name, index, "enter", "commands"] = {action.enter.node: action.enter.commands}
    for kind in ("right", "wrong"):
        for index, one in enumerate(getattr(solutions, kind, ())):
            found[kind, index, "configs"] = one.configs
    return found


def rehearsed(task: Task, batches: Batches) -> Iterator[Refusal]:
    """The lines that devices refuse as far as it can be told without a lab.

    Args:
        task: A task that has a network.
        batches: Commands that are typed, each batch on a network of its own.
    """
    network = task.network
    for node in network.topology.nodes:
        platform = network.platform_of(node.name)
        driver: Any = parts.load("drivers", platform)() if platform in parts.names("drivers") else None
        if not isinstance(driver, Rehearses):
            continue
        planned = PlannedNode(name=node.name, role=node.role, interfaces=network.topology.interfaces(node.name))
        typed = [(source, configs[node.name]) for source, configs in batches.items() if configs.get(node.name)]
        found = driver.rehearse(planned, network.startup_configs.get(node.name, ""), [lines for _, lines in typed])
        if found is None:
            continue
        yield from map(_of_startup, found.refused)
        for (source, _), statuses in zip(typed, found.batches, strict=True):
            for index, one in enumerate(statuses):
                if one.status == "error":
                    yield _of_command(source, node.name, index, one.command, one.message)


def booted(
    task: Task, batches: Batches, settings: Settings, *, progress: Callable[[str], object] = lambda _: None
) -> Iterator[Refusal]:
    """The lines that devices of a lab refuse. Each batch is typed on a lab of its own, but for the first one.

    Args:
        task: A task that has a network.
        batches: Commands that are typed.
        settings: What deploys the labs.
        progress: Is told what is done now.

    Raises:
        RequirementMissing: This machine lacks something.
        InfrastructureError: A lab could not be brought up.
    """
    backend = lab_backend(settings)
    request = dataclasses.replace(
        request_of(task, time_scale=settings.time_scale, workers=settings.workers, lab=settings.lab),
        strict=False,
        ready=Ready(until="boot"),
    )
    lack = backend.lacks(request)
    if lack is not None:
        raise RequirementMissing(*lack)
    waiting = list((batches or {(): {}}).items())
    for number, (source, configs) in enumerate(waiting, start=1):
        progress(f"lab {number} of {len(waiting)}")
        lab = backend.deploy(request)
        try:
            if number == 1:
                yield from map(_of_startup, lab.refused_startup_lines)
            if configs:
                yield from _typed(lab, source, configs)
        finally:
            lab.destroy()
            lab.await_cleanup()


def _typed(lab: Lab, source: Source, configs: Mapping[str, Sequence[str]]) -> Iterator[Refusal]:
    ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
    try:
        for node, commands in configs.items():
            if not commands:
                continue
            try:
                answer = ani.update_cfg(node, list(commands))
            except AniError:
                continue  # a solution that tampers; its self-test says whether it may
            for index, result in enumerate(answer["results"]):
                if result["status"] == "error":
                    yield _of_command(source, node, index, result["command"], result.get("message") or "")
    finally:
        ani.close()


def _of_startup(one: RefusedLine) -> Refusal:
    message = in_one_line(one.message, one.line)
    return Refusal(
        source=None, node=one.node, number=one.line_number, line=one.line, message=message, offset=one.offset
    )


def _of_command(source: Source, node: str, index: int, line: str, message: str) -> Refusal:
    return Refusal(
        source=source,
        node=node,
        number=index,
        line=line,
        message=in_one_line(message, line),
        offset=offset_of(line, message),
    )
