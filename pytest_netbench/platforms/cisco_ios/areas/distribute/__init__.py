"""``distribute-list`` of OSPF and RIP: filters for received and advertised routes.

OSPF floods the same LSAs to all routers of an area, so its inbound list filters routes on their way into the routing
table, as in IOS.
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
