"""The family ``plan``: an agent answers a question about a data-center graph with a program (NetArena, appendix B)."""

from pytest_netbench.families.plan.family import PlanFamily

__all__ = ["PlanFamily"]
