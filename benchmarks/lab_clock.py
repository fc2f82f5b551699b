"""How fast a lab's clock is moved by events: ``python benchmarks/lab_clock.py [--runs N] [--routers N…]``.

A ring of OSPF routers with default timers is deployed until it has converged. Then its clock is moved by some minutes,
several times; the first is not counted. The speed is in lab seconds per wall second, beside the time scale that the
backend would choose.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table
from benchmarks.networks import ospf_ring
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from pytest_netbench.platforms.capabilities import CLOCK

GOALS = {4: 1000, 10: 400, 30: 150, 100: 25}
MINUTES = {4: 60, 10: 10, 30: 5, 100: 1}


def speeds(routers: int, runs: int) -> tuple[float, list[float]]:
    """The time scale of a ring, and how fast events move its clock in each run."""
    lab = NetnsBackend().deploy(request_of(ospf_ring(routers)))
    try:
        clock = next(iter(lab.nodes.values())).capability(CLOCK)
        passed = [clock.forward(60 * MINUTES.get(routers, 1)) for _ in range(runs + 1)]
        return lab.time_scale, [one.lab_s / one.wall_s for one in passed[1:]]
    finally:
        lab.destroy()
        lab.await_cleanup()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--routers", type=int, nargs="+", default=[*GOALS])
    options = parser.parse_args()
    rows = []
    for routers in options.routers:
        scale, found = speeds(routers, options.runs)
        median, goal = statistics.median(found), GOALS.get(routers, 1)
        target = f"{goal} {'met' if median >= goal else 'MISSED'}, scaled {scale:g}"
        rows.append((f"ring of {routers}", f"{median:.0f}", target, " ".join(f"{one:.0f}" for one in found)))
    table("lab seconds per wall second by events (median)", rows)


if __name__ == "__main__":
    main()
