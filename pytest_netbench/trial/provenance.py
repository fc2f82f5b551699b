"""The environment of a trial: versions, kernel, features and commit."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest_netbench
from pytest_netbench.lab.devices import versions
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.model.trial import Environment, Isolation


def environment(lab: Lab | None, *, backend: str | None, where: Path, pytest_version: str | None = None) -> Environment:
    """Return versions, kernel, features and commit, as every result carries them.

    Args:
        lab: The running lab; ``None`` for a task without a network.
        backend: Name of what deployed it, or another resource; ``None`` if nothing was deployed.
        where: A folder of the checkout that the task comes from.
        pytest_version: Version of pytest, if it runs the trial.
    """
    return Environment(
        netbench=pytest_netbench.__version__,
        python=platform.python_version(),
        pytest=pytest_version,
        kernel=platform.release(),
        git_commit=git_commit(where),
        backend=backend,
        **({} if lab is None else _of_lab(lab)),
    )


def _of_lab(lab: Lab) -> dict[str, Any]:
    return {
        "platforms": versions(lab),
        "features": tuple(lab.features),
        "substitutes": dict(lab.substitutes),
        "time_scale": lab.time_scale,
        "clock": stopwatch_of(lab).mode,
        "readiness": lab.readiness,
        "notes": getattr(lab, "notes", ()),
        "lab": getattr(lab, "attached_to", None),
        "isolation": getattr(lab, "isolation", Isolation()),  # labs of older backends do not state it
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
