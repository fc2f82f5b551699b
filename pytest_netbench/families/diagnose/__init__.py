"""Tasks in which something may be wrong, and the agent says what."""

from pytest_netbench.families.diagnose.family import DiagnoseFamily

__all__ = ["DiagnoseFamily"]
