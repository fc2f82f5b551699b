"""CDP and LLDP neighbors, computed from the topology, the links and the configs of both ends."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.areas.neighbors.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_GLOBAL = table(
    setting("cdp run", on=True),
    setting("cdp timer {seconds:5-254}", default="cdp timer 60", marked="the displayed information is always current"),
    setting("cdp holdtime {seconds:10-255}", default="cdp holdtime 180"),
    setting("cdp advertise-v2", on=True),
    ("lldp run", "Enable LLDP"),
    setting(
        "lldp timer {seconds:5-65534}", default="lldp timer 30", marked="the displayed information is always current"
    ),
    setting("lldp holdtime {seconds:0-65535}", default="lldp holdtime 120"),
)

_INTERFACE = table(
    setting("cdp enable", "Enable CDP on interface", on=True),
    setting("lldp transmit", "Enable LLDP transmission on interface", on=True),
    setting("lldp receive", "Enable LLDP reception on interface", on=True),
    mode=MODE,
)

COMMANDS = (
    *_GLOBAL,
    *_INTERFACE,
)

AREA = Area(
    name="neighbors",
    commands=(*COMMANDS, *SHOWS),
    help={"cdp": "Global CDP configuration subcommands", "lldp": "Global LLDP configuration subcommands"},
    scope=(("CDP and LLDP neighbors", "computed from topology, link state and both configs; nothing is sent"),),
)
