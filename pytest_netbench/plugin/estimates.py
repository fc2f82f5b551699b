"""What an item will cost, before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_netbench.errors import TaskFileError
from pytest_netbench.plugin.collection import IN_NODE_IDS
from pytest_netbench.plugin.controller import DURATIONS
from pytest_netbench.plugin.run import run_of

NODE_MB = 20.0
LAB_MB = 40.0
LAB_S = 0.5
NODE_S = 0.1
TESTCASE_S = 0.2
RESERVE = 0.1


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Wall seconds and megabytes."""

    seconds: float
    memory_mb: float


def estimates(config: pytest.Config, node_ids: Sequence[str]) -> list[Estimate]:
    """One estimate per node id: what it took last time, or what its task file suggests."""
    cache = getattr(config, "cache", None)
    known: dict[str, float] = {} if cache is None else cache.get(DURATIONS, {})
    repeats = run_of(config).repeats if run_of(config).selftest else 0
    by_file: dict[str, Estimate] = {}
    found = []
    for node_id in node_ids:
        file = node_id.partition("::")[0]
        if file not in by_file:
            by_file[file] = _of_file(config.rootpath / file, repeats)
        guess = by_file[file]
        found.append(Estimate(seconds=known.get(node_id, guess.seconds), memory_mb=guess.memory_mb))
    return found


def _of_file(path: Path, repeats: int) -> Estimate:
    if not path.name.endswith(IN_NODE_IDS):
        return Estimate(seconds=0.0, memory_mb=0.0)
    from pytest_netbench.taskfile import load_task  # noqa: PLC0415  (imports pydantic and yaml)

    try:
        task = load_task(path)
    except TaskFileError:
        return Estimate(seconds=0.0, memory_mb=0.0)
    nodes = len(task.network.topology.nodes) if task.has_network else 0
    steps = 0 if task.size is None else task.size.steps
    once = LAB_S + NODE_S * nodes + TESTCASE_S * len(getattr(task.payload, "testcases", ()))
    return Estimate(seconds=once * repeats * (2 + steps) if repeats else once, memory_mb=LAB_MB + NODE_MB * nodes)


def available_mb() -> float:
    """Megabytes that labs may use together: what is available now, less a reserve; unlimited where nobody can say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return float("inf")
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 1024 * (1 - RESERVE)
    return float("inf")
