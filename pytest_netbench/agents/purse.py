"""The former place of ``RunBudget``. Deprecated: import it from ``pytest_netbench.agents.run_budget``."""

from __future__ import annotations

import warnings

from pytest_netbench.agents.run_budget import RunBudget, Spent, current, use_in_process, used

__all__ = ["Purse", "Spent", "current", "use_in_process", "used"]

Purse = RunBudget

warnings.warn(
    f"{__name__} is now pytest_netbench.agents.run_budget, and goes with 0.3", DeprecationWarning, stacklevel=2
)
