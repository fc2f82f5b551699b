"""What scorers read from a watch: lost pings, unsafe steps, names of flows. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_netbench.model.score import Score
from pytest_netbench.model.watch import Watch, WatchedStep
from pytest_netbench.scorers.values import not_measured

LISTED = 20
"""Flows and steps that evidence lists; it counts all of them."""
NOT_WATCHED = "not measured: the task's family does not watch flows while an agent works"


def pings(watch: Watch) -> frozenset[int]:
    """The flows of a ``pingall``: echo requests that must be answered."""
    return frozenset(number for number, flow in enumerate(watch.flows) if flow.protocol == "icmp" and flow.allowed)


def losses(watch: Watch) -> list[int]:
    """Lost pings: when the agent began, then after each step. Counts, so that nothing is rounded."""
    sent = pings(watch)
    return [len(sent & wrong) for wrong in watch.states()]


def unsafe_steps(watch: Watch) -> list[WatchedStep]:
    """The steps after which a flow was wrong that had been right."""
    return [step for step in watch.steps if step.broke]


def named(watch: Watch, numbers: Iterable[int]) -> list[str]:
    """The first of some flows, in words."""
    return [str(watch.flows[number]) for number in sorted(numbers)[:LISTED]]


def of(count: int, total: int, what: str) -> str:
    """``3 of 272 flows``."""
    return f"{count} of {total} {what}"


def not_watched(name: str, version: int) -> Score:
    """The score of a trial in which no flows were watched."""
    return not_measured(name, version, NOT_WATCHED)
