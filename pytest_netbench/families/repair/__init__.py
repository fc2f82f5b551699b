"""Tasks in which something is broken and must be repaired."""

from pytest_netbench.families.repair.family import RepairFamily

__all__ = ["RepairFamily"]
