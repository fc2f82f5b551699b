"""Files: the flash, ``copy``, and commands that compare and replace configurations."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.files.differences import COMPARISONS
from pytest_netbench.platforms.cisco_ios.areas.files.exec import EXEC
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Mode
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


AREA = Area(
    name="files",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *EXEC, *COMPARISONS),
    scope=(
        ("flash: dir, more, delete, copy, verify /md5; scp and sftp over SSH", "yes"),
        ("show archive config differences and incremental-diffs, configure replace", "yes"),
        ("configure replace with a timer, configure confirm, configure revert", "no"),
        ("copy from and to tftp:, ftp:, http:, scp:", "no"),
    ),
)
