"""The grammar of the area ``neighbours``: its commands and how lines are stored."""

from __future__ import annotations

from dataclasses import replace

from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.grammar.command import Command

_GLOBAL = (
    Command(pattern="cdp run", keeps_no=True, default=("cdp run",)),
    Command(
        pattern="cdp timer {seconds:5-254}",
        default=("cdp timer 60",),
        marked="the displayed information is always current",
    ),
    Command(pattern="cdp holdtime {seconds:10-255}", default=("cdp holdtime 180",)),
    Command(pattern="cdp advertise-v2", keeps_no=True, default=("cdp advertise-v2",)),
    Command(pattern="lldp run", help="Enable LLDP"),
    Command(
        pattern="lldp timer {seconds:5-65534}",
        default=("lldp timer 30",),
        marked="the displayed information is always current",
    ),
    Command(pattern="lldp holdtime {seconds:0-65535}", default=("lldp holdtime 120",)),
)


_INTERFACE = (
    Command(pattern="cdp enable", keeps_no=True, default=("cdp enable",), help="Enable CDP on interface"),
    Command(
        pattern="lldp transmit", keeps_no=True, default=("lldp transmit",), help="Enable LLDP transmission on interface"
    ),
    Command(
        pattern="lldp receive", keeps_no=True, default=("lldp receive",), help="Enable LLDP reception on interface"
    ),
)


COMMANDS: tuple[Command, ...] = (
    *_GLOBAL,
    *(replace(command, mode=MODE) for command in _INTERFACE),
)
