"""Files: the flash, ``copy``, and commands that compare and replace configurations."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.files.exec import EXEC
from pytest_netbench.platforms.cisco_ios.areas.files.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="files",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *EXEC),
    scope=(
        ("flash: dir, more, delete, copy, verify /md5; scp and sftp over SSH", "yes"),
        ("show archive config differences and incremental-diffs, configure replace", "yes"),
        ("configure replace with a timer, configure confirm, configure revert", "no"),
        ("copy from and to tftp:, ftp:, http:, scp:", "no"),
    ),
)
