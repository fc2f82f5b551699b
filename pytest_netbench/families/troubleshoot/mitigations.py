"""Tells whether traffic was taken off a faulty cable: routers had routes over it, and have none any more."""

from __future__ import annotations

import time
from collections.abc import Container, Sequence
from typing import Any, Final

from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.cables import DOWN_S, UP_S, Cable
from pytest_netbench.faults.injecting import Injected
from pytest_netbench.lab.capabilities import crashed
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.driver import ListsRoutes

_PAUSE_S: Final = 0.3
_OF_THE_CABLE: Final = frozenset({"connected", "local", "kernel"})
"""Routes to the subnet of the cable itself."""


class Mitigations:
    """What became of the traffic over the cables with faults.

    Args:
        lab: The network.
        faults: As they were injected.
        lasting: The numbers of those that are there all the time. One that comes later takes traffic off by itself.
    """

    def __init__(self, lab: Lab, faults: Sequence[Injected], lasting: Container[int]) -> None:
        self._lab = lab
        self._cables: dict[int, Cable] = {
            number: place
            for number, (fault, place) in enumerate(faults)
            if number in lasting and isinstance(fault, FromOutside) and isinstance(place, Cable)
        }
        self._used: frozenset[int] = frozenset()

    def look(self) -> None:
        """Note which cables are used now, before the agent can change anything."""
        self._used = self._in_use()

    def found(self) -> frozenset[int]:
        """The numbers of the faults whose cable was used and is not used any more, for as long as a cable flaps."""
        ends_at = time.monotonic() + (DOWN_S + UP_S) / self._lab.time_scale
        relieved = self._used - self._in_use()
        while relieved and time.monotonic() < ends_at:
            time.sleep(_PAUSE_S)  # samples of a state, for the whole of the period
            relieved -= self._in_use()
        return relieved

    def _in_use(self) -> frozenset[int]:
        tables = {node: self._table(node) for cable in self._cables.values() for node, _ in cable.ends}
        return frozenset(
            number
            for number, cable in self._cables.items()
            if any(interface in tables[node] for node, interface in cable.ends)
        )

    def _table(self, node: str) -> frozenset[str]:
        """The interfaces that a node has routes out of to other subnets; none of a node that lists no routes."""
        driver: Any = self._lab.driver(node)
        if node in crashed(self._lab) or not isinstance(driver, ListsRoutes):
            return frozenset()
        routes = driver.table(self._lab.nodes[node])
        return frozenset(
            interface for route in routes if route.protocol not in _OF_THE_CABLE for interface in route.interfaces
        )
