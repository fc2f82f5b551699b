"""Lines that configs of real devices are full of and that say nothing about what a lab can show: taken, kept, and listed."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.habits.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="habits",
    modes=MODES,
    commands=(*COMMANDS,),
    scope=(("lines that every config has: servers, hardware, kernel behaviour, archive", "accepted, without effect"),),
)
