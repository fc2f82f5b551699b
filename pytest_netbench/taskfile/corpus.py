"""The location of the tasks, agents and container image that this package ships."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest_netbench
from pytest_netbench.errors import UsageError

FOLDERS: Final = ("tasks", "agents", "container")


def corpus() -> Path:
    """The folder with the shipped ``tasks``, ``agents`` and ``container``: in an installed package or a checkout.

    Raises:
        UsageError: This installation lacks one of them.
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
