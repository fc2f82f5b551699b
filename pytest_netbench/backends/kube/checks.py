"""What a machine needs for clusters."""

from __future__ import annotations

from pytest_netbench.lab.report import Check


def checks() -> list[Check]:
    """The checks of ``netbench doctor``."""
    return []
