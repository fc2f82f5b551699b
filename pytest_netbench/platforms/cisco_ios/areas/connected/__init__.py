"""Connected networks that are redistributed because a redistributed protocol runs on them."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.connected.compile import compile_connected
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="redistributed connected networks",
    commands=(),
    compile=compile_connected,
    scope=(
        (
            "redistribution of OSPF, RIP or EIGRP: with the networks on which they run; IPv6: include-connected",
            "yes",
        ),
    ),
)
