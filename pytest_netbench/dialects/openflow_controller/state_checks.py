"""What commands of a controller show of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.dialects.state_checks import StateCheck

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no controller": StateCheck("controller status", r"^The controller does not run"),
    "switch is missing": StateCheck("controller status", r"^{switch} programmed", is_absent=True, is_shared=True),
    "nothing listens": StateCheck("ss -Hlntu", r":{port} ", is_absent=True),
}
"""By the state."""
