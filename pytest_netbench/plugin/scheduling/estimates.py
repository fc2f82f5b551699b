"""Estimates of the time and memory of an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.errors import InputError
from pytest_netbench.plugin.items.node_ids import source_of
from pytest_netbench.plugin.results.controller import DURATIONS
from pytest_netbench.plugin.settings.run_options import Run, run_of

if TYPE_CHECKING:
    from pytest_netbench.generators.sources import Source
    from pytest_netbench.model.events import Action
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.testcase import Testcase

NODE_MB = 20.0
LAB_MB = 40.0
RESERVE = 0.1
# Fitted to the shipped tasks (correlation 0.86 with their times on two cores): what takes long is traffic and waiting
# until the network has settled after an event.
LAB_S = 0.6
NODE_S = 0.2
TRAFFIC_S = 0.35
ACTION_S = 1.3


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Wall seconds and megabytes."""

    seconds: float
    memory_mb: float


def estimates(config: pytest.Config, node_ids: Sequence[str]) -> list[Estimate]:
    """Return one estimate per node id: from its last run, or else from the size of its task."""
    cache = getattr(config, "cache", None)
    known: dict[str, float] = {} if cache is None else cache.get(DURATIONS, {})
    by_source: dict[str, Estimate] = {}
    at_once = run_of(config).stages_at_once(len(node_ids))
    found = []
    for node_id in node_ids:
        source = source_of(node_id, config)
        key = str(source)
        if key not in by_source:
            by_source[key] = _of_source(source, run_of(config))
        guess = by_source[key]
        found.append(Estimate(seconds=known.get(node_id, guess.seconds), memory_mb=at_once * guess.memory_mb))
    return found


def _of_source(source: Source | None, run: Run) -> Estimate:
    nothing = Estimate(seconds=0.0, memory_mb=0.0)
    if source is None:
        return nothing
    try:
        task = source.load()
    except InputError:
        return nothing
    once = estimate_of(task, run)
    return Estimate(seconds=once.seconds * _stages(task, source, run), memory_mb=once.memory_mb)


def estimate_of(task: Task, run: Run) -> Estimate:
    """What a stage of ``task`` takes, by its size."""
    seconds = _observing_s(task)
    if task.has_network:
        seconds += LAB_S + NODE_S * len(task.network.topology.nodes)
    return Estimate(seconds=seconds, memory_mb=_memory_mb(task, run))


def _memory_mb(task: Task, run: Run) -> float:
    """Megabytes of the resource that a stage of ``task`` deploys."""
    kind = task.payload.resource
    nodes = LAB_MB + NODE_MB * len(task.network.topology.nodes) if task.has_network else 0.0
    if kind is None or kind == "lab":
        return nodes
    from pytest_netbench.lab.resources import backend_of  # imports pydantic

    return nodes + float(backend_of(kind, run.backend).memory_mb)


def _observing_s(task: Task) -> float:
    """Seconds for the traffic and the events of the testcases."""
    testcases: Sequence[Testcase] = getattr(task.payload, "testcases", ())
    events: Mapping[str, Sequence[Action]] = getattr(task.payload, "events", {})
    caused = [name for name in events if any(testcase.under == name for testcase in testcases)]
    traffic_s = sum(TRAFFIC_S + one.traffic_s for one in testcases if one.kind == "throughput")
    return traffic_s + ACTION_S * sum(len(events[name]) for name in caused)


def _stages(task: Task, source: Source, run: Run) -> int:
    """How many stages the item of ``task`` opens."""
    if not run.selftest:
        return 1
    from pytest_netbench.plugin.trials.item_runner import extent_of  # imports pydantic
    from pytest_netbench.trial import family_of

    try:
        extent = extent_of(run.proving, task, source)
    except InputError:
        return 1
    return extent.repeats * family_of(task).stages_to_prove(task, extent)


def available_mb() -> float:
    """Return the megabytes that all labs may use: available memory less a reserve; unlimited if that is unknown."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return float("inf")
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 1024 * (1 - RESERVE)
    return float("inf")
