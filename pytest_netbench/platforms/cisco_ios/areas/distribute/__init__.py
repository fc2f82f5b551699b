"""``distribute-list`` of OSPF and RIP: which routes are taken, and which are told.

OSPF tells all routers of an area the same, so its inbound list judges what reaches the routing table, as IOS has it.
"""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.distribute.compile import compile_distribute
from pytest_netbench.platforms.cisco_ios.areas.distribute.grammar import _COMMANDS, TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="distribute lists",
    commands=_COMMANDS,
    types=TYPES,
    compile=compile_distribute,
    scope=(("distribute-list of OSPF (in: lists, prefix lists, route maps; out: lists) and RIP", "yes"),),
)
