"""What commands of an OpenFlow switch show of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.dialects.state_checks import StateCheck

_FLOWS: Final = "ovs-ofctl dump-flows br0"

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no carrier": StateCheck("ip link show dev {interface}", r"NO-CARRIER"),
    "no controller": StateCheck("ovs-vsctl show", r"is_connected: true", is_absent=True, is_shared=True),
    "controller": StateCheck("ovs-vsctl show", r'Controller "?{target}"?'),
    "flow": StateCheck(_FLOWS, r"priority={priority},{match} actions={actions}$"),
}
"""By the state."""
