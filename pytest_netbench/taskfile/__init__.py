"""Load, validate and describe task files; import of the draft's JSON."""

from pytest_netbench.taskfile.loader import load_task

__all__ = ["load_task"]
