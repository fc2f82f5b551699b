"""How many workers a cluster gets, and what each of them reserves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_netbench.distributed.cluster import Node

PROCESS_MB: Final = 200.0
"""What a worker takes before its first lab."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How many workers there are, and what each carries.

    Attributes:
        workers: Processes, each with a core.
        at_once: Trials that one carries at a time.
        memory_mb: What each reserves.
        side_by_side: Trials at a time on the busiest node.
    """

    workers: int
    at_once: int
    memory_mb: float
    side_by_side: int

    @property
    def room_mb(self) -> float:
        """What is left for labs."""
        return self.memory_mb - PROCESS_MB


def size_of(nodes: Mapping[str, Node], needs_mb: list[float], *, at_once: int, workers: int | None) -> Size:
    """The workers for trials whose labs need ``needs_mb``.

    Each has the memory of the largest lab, or of as many usual ones as it carries at a time, at most that of a node.
    """
    usual = sum(needs_mb) / len(needs_mb)
    largest_node = max((node.memory_mb for node in nodes.values() if node.cores), default=0.0)
    wanted = PROCESS_MB + max(*needs_mb, usual * at_once)
    memory_mb = min(wanted, largest_node) if largest_node else wanted
    places = [min(node.cores, int(node.memory_mb // memory_mb)) for node in nodes.values()]
    count = workers or max(1, sum(places))
    count = min(count, -(-len(needs_mb) // at_once))
    return Size(workers=count, at_once=at_once, memory_mb=memory_mb, side_by_side=at_once * max([1, *places]))
