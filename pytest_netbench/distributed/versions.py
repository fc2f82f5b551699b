"""What must be the same where a run was started and on each node."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

import pytest_netbench


@cache
def versions() -> dict[str, str]:
    """Versions of this process, and a digest of this package's modules: two checkouts may call themselves alike."""
    folder = Path(pytest_netbench.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return {
        "Python": platform.python_version(),
        "pytest-netbench": pytest_netbench.__version__,
        "its modules": digest.hexdigest()[:12],
    }


def difference(here: dict[str, str], there: dict[str, str]) -> str | None:
    """In words, the first thing that differs; ``None`` if all is the same."""
    for name, version in here.items():
        if there.get(name) != version:
            return f"{name}: {version} here, {there.get(name)} there"
    return None
