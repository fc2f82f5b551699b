"""Commands about the session itself: ``enable``, ``terminal`` and session information."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.terminal.exec import EXEC
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="terminal",
    commands=(*EXEC,),
    help={"terminal": "Set terminal line parameters"},
    scope=(("enable, terminal length and width, paging, line editing", "yes"),),
)
