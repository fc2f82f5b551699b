"""Where and with what a trial runs."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest_netbench
from pytest_netbench import parts
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.trial import Environment


def environment(
    lab: Lab | None, *, backend: str, platforms: frozenset[str], where: Path, pytest_version: str | None = None
) -> Environment:
    """Versions, kernel, features and commit, as every result carries them.

    Args:
        lab: The running lab; ``None`` for a task without a network.
        backend: Name of what deployed it.
        platforms: Names of the platforms in it.
        where: A folder of the checkout that the task comes from.
        pytest_version: Version of pytest, if it runs the trial.
    """
    versions = {name: parts.load("platforms", name)().version() for name in sorted(platforms)}
    return Environment(
        netbench=pytest_netbench.__version__,
        python=platform.python_version(),
        pytest=pytest_version,
        kernel=platform.release(),
        git_commit=git_commit(where),
        **({} if lab is None else _of_lab(lab)),
        backend=None if lab is None else backend,
        platforms={name: version for name, version in versions.items() if version is not None},
    )


def _of_lab(lab: Lab) -> dict[str, Any]:
    return {
        "features": tuple(lab.features),
        "substitutes": dict(lab.substitutes),
        "time_scale": lab.time_scale,
    }


@cache
def git_commit(where: Path) -> str | None:
    """The commit checked out in ``where``, with ``+dirty`` if tracked files differ; ``None`` without git."""
    try:
        commit = _git(where, "rev-parse", "HEAD")
        dirty = commit and _git(where, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.TimeoutExpired):
        return None
    return f"{commit}+dirty" if dirty else commit or None


def _git(where: Path, *arguments: str) -> str:
    argv = ("git", "-C", str(where), *arguments)
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=10).stdout.strip()
