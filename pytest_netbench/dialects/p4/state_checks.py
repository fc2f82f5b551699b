"""What commands of a P4 switch show of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.dialects.state_checks import StateCheck

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no carrier": StateCheck("show_ports", r"^\d+ {interface} down$"),
    "table full": StateCheck("table_num_entries {table}", r"^{size} of {size}$"),
}
"""By the state."""
