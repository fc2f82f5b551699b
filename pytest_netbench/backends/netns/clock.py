"""The pace of a netns lab's time, beside the one that it was deployed with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pytest_netbench.backends.netns import pace, timers


class NetnsClock:
    """Implements ``lab.capabilities.LabClock``.

    Args:
        steady: The lab's time scale.
        set_pace: Sets another one.
        daemon_nodes: Nodes of the lab that run daemons.
        workers: Labs side by side.
        fixed: The time scale was chosen by somebody, and stays.
    """

    def __init__(
        self, *, steady: float, set_pace: Callable[[float], None], daemon_nodes: int, workers: int, fixed: bool
    ) -> None:
        self._steady = steady
        self._set_pace = set_pace
        self._daemon_nodes = daemon_nodes
        self._workers = workers
        self._fixed = fixed

    @contextmanager
    def quickened(self, configs: Iterable[str]) -> Iterator[float]:
        factor = self._quick(tuple(configs))
        if factor <= self._steady:
            yield self._steady
            return
        self._set_pace(factor)
        try:
            yield factor
        finally:
            self._set_pace(self._steady)

    def _quick(self, configs: tuple[str, ...]) -> float:
        if self._fixed or timers.has_probes(configs):
            return self._steady
        dead_s = timers.shortest_dead_s(configs)
        return pace.settling(self._daemon_nodes, self._workers, dead_s=dead_s, load=os.getloadavg()[0])
