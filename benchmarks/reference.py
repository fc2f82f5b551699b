"""The reference behaviour of eight nodes, 1,000 flows and two events: ``python benchmarks/reference.py [--runs N]``.

The time that the events and the network's convergence take is not counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

from benchmarks.measure import table, verdict
from benchmarks.networks import ring_with_hosts
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.task import Task
from pytest_netbench.trial import Settings, Stage, record_behaviour

ROUTERS = 4
COUNTED_S = 2.0


def evaluated(task: Task, behaviour: Behaviour) -> tuple[float, float]:
    """Wall seconds of the comparisons alone, and of the whole evaluation.

    Raises:
        SystemExit: A difference was found, though the ground truth was applied.
    """
    with Stage(task, Settings(reference=lambda _: behaviour)) as stage:
        stage.work(Oracle())
        began = time.monotonic()
        record = stage.evaluate()
        whole_s = time.monotonic() - began
    for result in record.testcase_results:
        if result.status == "fail":
            raise SystemExit(f"{result.name}: {result.actual}")
    return sum(result.duration_s for result in record.testcase_results), whole_s


def main() -> None:
    """Record once, evaluate several times, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    task = ring_with_hosts(ROUTERS)
    began = time.monotonic()
    behaviour = record_behaviour(task)
    recorded_s = time.monotonic() - began
    counted, whole = zip(*(evaluated(task, behaviour) for _ in range(runs)), strict=True)
    best = min(counted)
    rows = [
        ("compare, three moments", f"{best:.2f} s", verdict(best, COUNTED_S, "s"), _all(counted)),
        ("evaluate, with convergence", f"{min(whole):.2f} s", "", _all(whole)),
        ("record", f"{recorded_s:.1f} s", "", ""),
    ]
    table(f"{2 * ROUTERS} nodes, {len(behaviour.flows)} flows, {len(behaviour.events)} events", rows)


def _all(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


if __name__ == "__main__":
    main()
