"""The generator ``plan``: questions about data-center graphs, as in table 4 of NetArena."""

from pytest_netbench.generators.plan.generator import PlanGenerator

__all__ = ["PlanGenerator"]
