"""The time scale of a lab: as fast as the cores can serve the daemons' timers.

A router at a time scale of F must have its timers served F times as often. Too high a scale starves the cores, and
adjacencies drop. The figures were measured with rings of OSPF routers on two cores (docs/explanation/lab-time.md).
Configured timers bound the scale, too: the shortest dead time must last long enough in wall time that a daemon on a
busy machine runs within it.
"""

from __future__ import annotations

import os

BOOTING = 0.1
"""Lab seconds per wall second while nodes boot: in a minute of booting less passes than a protocol waits for others."""
_STEADY_LOAD = 160.0
_STEADY_MOST = 20.0
_CONVERGING_LOAD = 480.0
_CONVERGING_MOST = 60.0
# At first a network converges faster than it could for long. One that is not ready after EAGER_S slows down.
_EAGER_LOAD = 1000.0
_EAGER_MOST = 160.0
_USUAL_DEAD_S = 40.0  # OSPF's default
EAGER_S = 2.0
"""How long (wall seconds) a network may converge at the pace ``eager``."""
PATIENCE_S = 4.0
"""How long (wall seconds) it may converge at each of the slower paces that follow."""
# Wall seconds that the shortest dead time lasts at least on a machine with an idle core. An adjacency that drops while
# the network converges only forms a little later.
_STEADY_FLOOR_S = 0.5
_CONVERGING_FLOOR_S = 0.25
# More runnable processes per core than this do not raise the floors any further.
_MOST_CROWDED = 4.0


def steady(daemon_nodes: int, workers: int, *, dead_s: float | None = None, load: float = 0.0) -> float:
    """Lab seconds per wall second while an agent works.

    Args:
        daemon_nodes: Nodes of the lab that run daemons.
        workers: Labs side by side.
        dead_s: The shortest dead time of the lab's protocols in lab seconds, if it is known.
        load: Runnable processes of the machine (its load average).
    """
    return min(_pace(_STEADY_LOAD, _STEADY_MOST, daemon_nodes, workers), _bound(dead_s, _STEADY_FLOOR_S, load))


def converging(daemon_nodes: int, workers: int, *, dead_s: float | None = None, load: float = 0.0) -> float:
    """Lab seconds per wall second until the network is up; a starved adjacency only forms later. Arguments as above."""
    own = _pace(_CONVERGING_LOAD, _CONVERGING_MOST, daemon_nodes, workers)
    return min(own, _bound(dead_s, _CONVERGING_FLOOR_S, load))


def eager(daemon_nodes: int, workers: int, *, dead_s: float | None = None, load: float = 0.0, links: int = 0) -> float:
    """Lab seconds per wall second at first, until the network is up or ``EAGER_S`` have passed.

    ``links`` are those of the lab; a link causes as much work as a router. The other arguments as above.
    """
    known_s = _USUAL_DEAD_S if dead_s is None else min(dead_s, _USUAL_DEAD_S)
    own = min(
        _pace(_EAGER_LOAD, _EAGER_MOST, max(daemon_nodes, links), workers), _bound(known_s, _CONVERGING_FLOOR_S, load)
    )
    return max(own, converging(daemon_nodes, workers, dead_s=dead_s, load=load))


def slower(at_first: float, later: float, least: float) -> list[tuple[float, float]]:
    """The paces of a network that is not ready soon, each with the wall seconds after which it applies.

    A network that starves the cores loses adjacencies as fast as it forms them. It recovers at half the pace.
    """
    steps, now_s = [], EAGER_S
    pace = later
    while pace > least:
        if pace < at_first:
            steps.append((now_s, pace))
            now_s += PATIENCE_S
        pace = round(pace / 2, 1)
    return [*steps, (now_s, least)] if least < at_first else []


def _pace(load: float, most: float, daemon_nodes: int, workers: int) -> float:
    per_core = max(1.0, daemon_nodes * max(1, workers) / _cores())
    return round(min(most, max(1.0, load / per_core)), 1)


def _bound(dead_s: float | None, floor_s: float, load: float) -> float:
    """The factor at which the shortest dead time lasts as long as the floor; never slower than the wall."""
    if dead_s is None:
        return float("inf")
    crowded = min(_MOST_CROWDED, max(1.0, load / _cores()))
    return max(1.0, round(dead_s / (floor_s * crowded), 1))


def _cores() -> int:
    return len(os.sched_getaffinity(0))
