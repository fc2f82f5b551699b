"""The grammar of the area ``files``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_FILE = matching("flash:", r"(?i:(?:flash0?|bootflash|disk0|nvram|system|null):\S*)", "File name")

_CONFIG = "( running-config | startup-config )"

COMMANDS = table(
    ("file prompt quiet", "Adjust file system parameters"),
    ("ip scp server enable", "Scp commands"),
    setting("archive", "Archive the configuration", opens="archive"),
    setting("path {where:word}", marked="configurations are not archived automatically", mode="archive"),
    setting("maximum {count:1-14}", mode="archive"),
    setting("write-memory", marked="configurations are not archived automatically", mode="archive"),
    setting("time-period {minutes:1-525600}", marked="configurations are not archived automatically", mode="archive"),
)

MODES = (Mode(name="archive", prompt="config-archive", help="archive of configurations"),)

TYPES = {"file": _FILE}
