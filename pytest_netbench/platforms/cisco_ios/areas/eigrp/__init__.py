"""EIGRP, run by the service ``eigrp``: FRR's daemon fails in triangle topologies and on metric changes."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.eigrp.compile import compile_eigrp, members
from pytest_netbench.platforms.cisco_ios.areas.eigrp.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.areas.eigrp.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="eigrp",
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_eigrp,
    scope=(
        (
            "EIGRP: networks, passive interfaces, router ID, bandwidth and delay, variance, timers",
            "yes, between routers of this platform",
        ),
        (
            "EIGRP: authentication, summaries, stub, redistribution, distribute lists, named mode, IPv6",
            "refused",
        ),
    ),
)

__all__ = ["AREA", "members"]
