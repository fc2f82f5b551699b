"""What is measured at a node in a sample, as rows of telemetry without their moment and node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.platforms.capabilities import COUNTERS
from pytest_netbench.platforms.counting import CountsInProgram
from pytest_netbench.platforms.driver import ListsNeighbors

Rows = Callable[[Any, LabNode], Iterator[tuple[Any, ...]]]
"""Rows of a node with its driver."""


def interfaces(_driver: Any, node: LabNode) -> Iterator[tuple[Any, ...]]:
    """Rows of the table ``interfaces``."""
    for interface, counted in node.capability(COUNTERS).counters().items():
        yield (interface, *vars(counted).values())


def neighbors(driver: Any, node: LabNode) -> Iterator[tuple[Any, ...]]:
    """Rows of the table ``neighbors``, if the node has routing protocols."""
    if isinstance(driver, ListsNeighbors):
        for one in driver.neighbors(node):
            yield one.protocol, one.address, one.state, int(one.is_up)


def program_counters(driver: Any, node: LabNode) -> Iterator[tuple[Any, ...]]:
    """Rows of the table ``counters``, if the node runs a program that counts."""
    if isinstance(driver, CountsInProgram):
        for one in driver.program_counters(node):
            yield one.name, one.place, one.packets, one.bytes
