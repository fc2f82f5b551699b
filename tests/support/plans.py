"""Drawn tasks of family ``plan`` for tests."""

from __future__ import annotations

from functools import cache

from pytest_netbench.families.plan.payload import Plan, plan_of
from pytest_netbench.generators.plan import PlanGenerator
from pytest_netbench.model.task import Task

SMALL = {"super_blocks": 2, "agg_blocks": 2, "spine_blocks": 2, "switches": 4, "ports": 3}
"""Sizes of a graph in which much can be drawn and little has to be computed."""


@cache
def drawn(count: int, *, seed: int = 1, small: bool = True, start: int = 0) -> tuple[Task, ...]:
    """Draws of the generator ``plan``."""
    generator = PlanGenerator()
    parameters = generator.parameters(**(SMALL if small else {}))
    return tuple(generator.draw(parameters, seed=seed, index=index) for index in range(start, start + count))


def plans(count: int, **options: int) -> list[Plan]:
    """Their payloads."""
    return [plan_of(task) for task in drawn(count, **options)]
