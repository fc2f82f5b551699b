"""The dialect ``openvswitch``: the state of a switch as text; its command line is a shell with the ``ovs-`` tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.linux import names
from pytest_netbench.dialects.openvswitch import flows, mistakes
from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.dialects.syntax import Tree

_FLOWS: Final = "ovs-ofctl dump-flows br0"

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no carrier": StateCheck("ip link show dev {interface}", r"NO-CARRIER"),
    "no controller": StateCheck("ovs-vsctl show", r"is_connected: true", is_absent=True, is_shared=True),
    "controller": StateCheck("ovs-vsctl show", r'Controller "?{target}"?'),
    "flow": StateCheck(_FLOWS, r"priority={priority},{match} actions={actions}$"),
}
"""By the state."""


_FLOW = re.compile(r"flow (.*)")


class OpenvswitchDialect:
    """Switches that are Open vSwitch."""

    name = "openvswitch"
    state_checks = STATE_CHECKS
    syntax = SHOWN
    hint = (
        "The command line is a shell with `ovs-vsctl`, `ovs-ofctl` and `ovs-appctl`. The bridge is called br0."
        " Read-only access answers their listings, e.g. `ovs-vsctl show`, `ovs-ofctl dump-flows br0`,"
        " `ovs-appctl ofproto/trace br0 in_port=1,ip,nw_dst=192.0.2.1,nw_ttl=64`."
    )

    interface = staticmethod(linux_interface)

    def normalise(self, line: str) -> str | None:
        words = names.normalise(line)
        if words is not None and (found := _FLOW.fullmatch(words)) is not None:
            with suppress(ValueError):  # then it is compared as it is
                return f"flow {flows.flow(found[1])}"
        return words

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(names.ordered_block)
    mistakes = staticmethod(mistakes.mistakes)

    def manual(self) -> Sequence[ManualSection]:
        return ()
