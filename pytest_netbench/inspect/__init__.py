"""Trials in Inspect's own loop: a task for each family, the ANI as tools, our scores. It needs the extra ``inspect``.

Inspect finds the tasks by the entry point ``inspect_ai``. For agents of others, ``ani_tools`` are the tools of a trial.
"""

from importlib.util import find_spec

from pytest_netbench.errors import RequirementMissing

if find_spec("inspect_ai") is None:
    raise RequirementMissing("Inspect is not installed", "pip install 'pytest-netbench[inspect]'")

from pytest_netbench.inspect.tools import ani_tools

__all__ = ["ani_tools"]
