"""The grammar of the area ``files``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_FILE = matching("flash:", r"(?i:(?:flash0?|bootflash|disk0|nvram|system|null):\S*)", "File name")


_CONFIG = "( running-config | startup-config )"


COMMANDS: tuple[Command, ...] = (
    Command(pattern="file prompt quiet", help="Adjust file system parameters"),
    Command(pattern="ip scp server enable", help="Scp commands"),
    Command(pattern="archive", opens="archive", help="Archive the configuration"),
    Command(pattern="path {where:word}", mode="archive", marked="configurations are not archived automatically"),
    Command(pattern="maximum {count:1-14}", mode="archive"),
    Command(pattern="write-memory", mode="archive", marked="configurations are not archived automatically"),
    Command(
        pattern="time-period {minutes:1-525600}", mode="archive", marked="configurations are not archived automatically"
    ),
)


MODES = (Mode(name="archive", prompt="config-archive", help="archive of configurations"),)


TYPES = {"file": _FILE}
