"""``ping`` and ``traceroute``: run the machine's programs and print their results in IOS's format."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.diagnostics.exec import EXEC
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="diagnostics",
    commands=(*EXEC,),
    scope=(("ping, traceroute with their usual options", "yes"), ("the dialogue of ping without arguments", "no")),
)
