"""The location of the tasks and agents that this package ships."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest_netbench
from pytest_netbench.errors import UsageError

FOLDERS: Final = ("tasks", "agents")


def corpus() -> Path:
    """The folder that holds the shipped ``tasks`` and ``agents``: inside an installed package, or a checkout's root.

    Raises:
        UsageError: This installation has neither.
    """
    package = Path(pytest_netbench.__file__).parent
    for root in (package / "corpus", package.parent):
        if all((root / folder).is_dir() for folder in FOLDERS) and (root != package.parent or _is_checkout(root)):
            return root
    raise UsageError(
        f"the tasks are not in this installation ({package}); install the wheel: pip install --force-reinstall"
        " pytest-netbench"
    )


def _is_checkout(root: Path) -> bool:
    """A folder that merely has ``tasks`` beside the package (site-packages) is not ours to copy."""
    return (root / "pyproject.toml").is_file()
