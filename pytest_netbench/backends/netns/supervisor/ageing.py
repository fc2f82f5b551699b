"""Neighbor entries of the kernel, which would age by the wall while a lab stands still. Standard library only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_netbench.backends.netns.supervisor import nodes, roots
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message
from pytest_netbench.probing import neighbors
from pytest_netbench.probing.networks import Networks

_BY_THE_WALL: Final = {"base_reachable_time_ms": "30000", "gc_stale_time": "60", "delay_first_probe_time": "5"}
"""What the kernel does by itself."""
_LASTING: Final = {"base_reachable_time_ms": "86400000", "gc_stale_time": "86400", "delay_first_probe_time": "0"}
"""What is known is known for a day; what is not sure is asked for at once when it is used."""


class Ageing:
    """Serves requests about all neighbor entries of a lab."""

    def __init__(self, network: Network) -> None:
        spaces = {name: one.network for name, one in network.spaces.items()}
        self._networks = Networks(spaces, network.home.network)

    def neighbors(self, request: Message) -> Message:
        """Let entries last, or age by the wall; ``forget`` those that are there, so that each is asked for anew."""
        if request["lasting"] is not None:
            values = _LASTING if request["lasting"] else _BY_THE_WALL
            for node in self._networks:
                with self._networks.inside(node):
                    _set(values)
        if request["forget"]:
            neighbors.forget_all(self._networks)
        return {}


def _set(values: Mapping[str, str]) -> None:
    for folder in _folders():
        for name, value in values.items():
            with contextlib.suppress(OSError):  # the interface has gone
                nodes.write_sysctl(f"{folder}/{name}", value)


def _folders() -> Iterator[str]:
    for family in ("net/ipv4/neigh", "net/ipv6/neigh"):
        with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6
            yield from (f"{family}/{name}" for name in os.listdir(f"{roots.PROC}/sys/{family}") if name != "default")
