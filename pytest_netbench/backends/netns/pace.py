"""How fast lab time may pass: as fast as the cores can serve the daemons' timers.

A router at a factor of F wants its timers served F times as often. Too high a factor starves the cores and adjacencies
drop; the figures were found with rings of OSPF routers on two cores (docs/explanation/lab-time.md).
"""

from __future__ import annotations

import os

_STEADY_LOAD = 160.0
_STEADY_MOST = 20.0
_CONVERGING_LOAD = 480.0
_CONVERGING_MOST = 60.0


def steady(daemon_nodes: int, workers: int) -> float:
    """Lab seconds per wall second while an agent works."""
    return _pace(_STEADY_LOAD, _STEADY_MOST, daemon_nodes, workers)


def converging(daemon_nodes: int, workers: int) -> float:
    """Lab seconds per wall second until the network is up: a starved adjacency then only forms later."""
    return _pace(_CONVERGING_LOAD, _CONVERGING_MOST, daemon_nodes, workers)


def _pace(load: float, most: float, daemon_nodes: int, workers: int) -> float:
    cores = len(os.sched_getaffinity(0))
    per_core = max(1.0, daemon_nodes * max(1, workers) / cores)
    return round(min(most, max(1.0, load / per_core)), 1)
