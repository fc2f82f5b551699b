"""Rings of OSPF routers by events and at the time scale, by turns: ``python benchmarks/bring_up.py [--runs N] …``.

Two tables: from nothing to ready in wall seconds (median, and the ratio of events to the time scale), and the speed of
the converged ring by events in lab seconds per wall second, beside its time scale. Both have default timers, starts
included. On a busy machine only the ratios mean something.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.lab_clock import GOALS, MINUTES
from benchmarks.measure import table
from benchmarks.networks import ospf_ring
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from pytest_netbench.platforms.capabilities import CLOCK

MODES: tuple[Literal["events"], Literal["scaled"]] = ("events", "scaled")
LINKS = ("point-to-point", "broadcast")


def once(routers: int, links: str, mode: Literal["events", "scaled"]) -> tuple[float, float, float]:
    """Deploy a ring; return the seconds until it is ready, its time scale, and how fast its clock is moved."""
    request = request_of(ospf_ring(routers, broadcast=links == "broadcast"), clock=mode)
    began = time.monotonic()
    lab = NetnsBackend().deploy(request)
    try:
        ready_s = time.monotonic() - began
        assert lab.stopwatch.mode == mode, lab.stopwatch.mode
        if mode == "scaled":
            return ready_s, lab.time_scale, 0.0
        clock = next(iter(lab.nodes.values())).capability(CLOCK)
        passed = clock.forward(60 * MINUTES.get(routers, 1))
        return ready_s, lab.time_scale, passed.lab_s / passed.wall_s
    finally:
        lab.destroy()
        lab.await_cleanup()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--routers", type=int, nargs="+", default=[*GOALS])
    parser.add_argument("--links", nargs="+", choices=LINKS, default=LINKS)
    options = parser.parse_args()
    ready, speeds = [], []
    for routers, links in itertools.product(options.routers, options.links):
        found: dict[str, list[tuple[float, float, float]]] = {mode: [] for mode in MODES}
        for _ in range(options.runs):
            for mode in MODES:
                found[mode].append(once(routers, links, mode))
        told = {mode: [one[0] for one in runs] for mode, runs in found.items()}
        events_s, scaled_s = (statistics.median(told[mode]) for mode in MODES)
        ratio, goal = events_s / scaled_s, 0.7 if (routers, links) == (100, "broadcast") else 1.0
        name = f"{routers} routers, {links}"
        target = f"scaled {scaled_s:.2f} s, ratio {ratio:.2f}, goal {goal:g} {'met' if ratio <= goal else 'MISSED'}"
        runs = " | ".join(" ".join(f"{one:.2f}" for one in told[mode]) for mode in MODES)
        ready.append((name, f"{events_s:.2f} s", target, f"{runs}  load {os.getloadavg()[0]:.0f}"))
        fast = [one[2] for one in found["events"]]
        speed, least = statistics.median(fast), GOALS.get(routers, 1)
        target = f"{least} {'met' if speed >= least else 'MISSED'}, scaled {found['scaled'][0][1]:g}"
        speeds.append((name, f"{speed:.0f}", target, " ".join(f"{one:.0f}" for one in fast)))
    table(f"wall seconds until ready by events, {options.runs} runs by turns (median)", ready)
    table("lab seconds per wall second by events, converged (median)", speeds)


if __name__ == "__main__":
    main()
