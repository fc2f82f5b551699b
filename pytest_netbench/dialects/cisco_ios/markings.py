"""The DSCP names that IOS accepts and prints. It knows neither ``cs0`` nor the names that RFC 5865 and 8622 added."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from pytest_netbench.dialects.markings import DSCP as ALL

_UNKNOWN = frozenset({"be", "cs0", "le", "va"})
DSCP: Final = MappingProxyType({name: value for name, value in ALL.items() if name not in _UNKNOWN})


def name_of(dscp: int) -> str:
    """Return a DSCP as IOS prints it: its name, or its number if it has none."""
    return next((name for name, value in DSCP.items() if value == dscp), str(dscp))
