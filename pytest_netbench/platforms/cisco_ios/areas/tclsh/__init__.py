"""``tclsh`` for clients that write files: ``puts [open "flash:name" w+] {text}``; other lines are exec commands."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.tclsh.exec import EXEC
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="tclsh",
    commands=(*EXEC,),
    scope=(('tclsh: puts [open "flash:NAME" w+] {TEXT}, exec commands', "yes"), ("tclsh: other Tcl commands", "no")),
)
