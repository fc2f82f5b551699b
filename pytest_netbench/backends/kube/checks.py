"""What this machine lacks for a control plane: checks of ``netbench doctor``."""

from __future__ import annotations

import importlib.util
from typing import Final

from pytest_netbench.backends.kube import binaries
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.report import Check

_PACKAGES: Final = ("aiohttp", "cryptography")
_EXTRA: Final = "pip install 'pytest-netbench[kubernetes]'"


def checks() -> list[Check]:
    """Return whether the programs and the Python packages of a control plane are there."""
    return [_programs(), _packages()]


def _programs() -> Check:
    try:
        found = binaries.find()
    except RequirementMissing as missing:
        return Check("kubernetes", False, True, missing.lack, missing.remedy)
    where = "on the PATH" if found.folder is None else f"in {found.folder}"
    return Check("kubernetes", True, True, f"{found.version}, etcd {binaries.version_of(found.etcd)}, {where}")


def _packages() -> Check:
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        return Check("python packages", False, True, f"missing: {', '.join(missing)}", _EXTRA)
    return Check("python packages", True, True, ", ".join(_PACKAGES))
