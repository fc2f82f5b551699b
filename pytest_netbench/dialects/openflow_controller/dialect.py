"""The dialect ``openflow_controller``: a Linux host with intents; its command line is a shell with ``controller``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.linux import names
from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.dialects.syntax import Tree

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no controller": StateCheck("controller status", r"^The controller does not run"),
    "switch is missing": StateCheck("controller status", r"^{switch} programmed", is_absent=True, is_shared=True),
    "nothing listens": StateCheck("ss -Hlntu", r":{port} ", is_absent=True),
}
"""By the state."""


class OpenflowControllerDialect:
    """Controllers of OpenFlow switches."""

    name = "openflow_controller"
    state_checks = STATE_CHECKS
    syntax = SHOWN
    hint = (
        "The command line is a shell. `controller status` shows whether the OpenFlow controller runs and which switches"
        " are connected, `controller show` its intents; `controller start`, `controller stop`, `controller restart`,"
        " `controller INTENT` and `no controller INTENT` change it."
    )
    reading_hint = (
        "The command line is a shell. `controller status` shows whether the OpenFlow controller runs and which switches"
        " are connected, `controller show` its intents."
    )

    interface = staticmethod(linux_interface)
    normalise = staticmethod(names.normalise)

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(names.ordered_block)

    def manual(self) -> Sequence[ManualSection]:
        return ()
