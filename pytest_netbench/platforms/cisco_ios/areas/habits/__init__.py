"""Common lines of device configs without an effect in a lab: accepted, stored, and listed as unsupported."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.habits.grammar import COMMANDS, MODES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="habits",
    modes=MODES,
    commands=COMMANDS,
    scope=(("common lines of configs: servers, hardware, kernel behaviour, archive", "accepted, without effect"),),
)
