"""Graphs of backbone networks: the shipped ones, and a reader for SNDlib's native format."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from pytest_netbench.generators.networks.graphs.graph import Demand, Graph, GraphLink, GraphNode
from pytest_netbench.generators.networks.graphs.sndlib import read_sndlib

SHIPPED: Final = {12: "north12", 22: "south22", 50: "states50", 62: "emea62", 124: "world124"}
"""By number of routers: the file in this package."""


@cache
def shipped(routers: int) -> Graph:
    """Return the shipped graph with so many routers: one of ``SHIPPED``."""
    name = f"{SHIPPED[routers]}.txt"
    return read_sndlib(files(__name__).joinpath(name).read_text(encoding="utf-8"), origin=name)


__all__ = ["SHIPPED", "Demand", "Graph", "GraphLink", "GraphNode", "read_sndlib", "shipped"]
