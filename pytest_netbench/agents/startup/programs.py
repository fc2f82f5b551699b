"""Whether the program of an agent file is there, and can be seen from where it is started."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pytest_netbench.agents.external import confining
from pytest_netbench.agents.external.command import named_files
from pytest_netbench.agents.outside_settings import Confinement
from pytest_netbench.errors import AgentCannotStart

_INTERPRETER: Final = re.compile(r"^(python[\d.]*|pypy[\d.]*|sh|bash|dash|zsh|node|perl|ruby|Rscript)$")
_PLAIN_OPTION: Final = re.compile(r"^-([BEIPSsuOx]+|e?u?x?|-no-warnings)$")
"""Options of interpreters that take no argument, before a script."""
_LATER: Final = re.compile(r"\{(?!root\})[a-z_]+\}")
"""Placeholders that are known during a trial only."""


def check_command(command: Sequence[str], settings: Confinement, *, field: str, root: Path) -> None:
    """Check that a command can be started: its program, and the script of an interpreter.

    Args:
        command: From the agent file, with placeholders.
        settings: Whether it is confined, and what it sees then.
        field: The command's field in the agent file, for messages.
        root: The project: ``{root}``, and what a confined program does not see.

    Raises:
        AgentCannotStart: Something does not exist, is not executable, or is hidden by the confinement.
    """
    words = [word.replace("{root}", str(root)) for word in command]
    if not _LATER.search(words[0]):
        path = _program(words[0], field)
        _check_seen(path, command, settings, field=field, root=root)
    if _INTERPRETER.match(Path(words[0]).name):
        script = next((word for word in words[1:] if not _PLAIN_OPTION.match(word)), None)
        if script is not None and not script.startswith("-") and not _LATER.search(script):
            _check_script(script, command, settings, field=field, root=root)


def _program(name: str, field: str) -> Path:
    """The program's file.

    Raises:
        AgentCannotStart: There is none that can be executed.
    """
    if "/" in name and not Path(name).is_absolute():
        raise AgentCannotStart(
            f"{field}: {name!r} is a relative path, {_EMPTY.format(name=name.removeprefix('./'))}", field=field
        )
    found = shutil.which(name, path=os.environ.get("PATH"))
    if found is not None:
        return Path(found)
    if "/" not in name:
        raise AgentCannotStart(
            f"{field}: there is no program {name!r} on PATH. Install it, or correct its name", field=field
        )
    path = Path(name)
    if path.is_dir():
        raise AgentCannotStart(f"{field}: {name} is a directory, and must be a program", field=field)
    if path.exists():
        raise AgentCannotStart(
            f"{field}: {name} is not executable (fix: chmod +x {name}, or name its interpreter)", field=field
        )
    raise AgentCannotStart(f"{field}: there is no program {name}", field=field)


_EMPTY: Final = "and the program starts in an empty folder: write {{root}}/{name}, with {{root}} for the project"


def _check_script(script: str, command: Sequence[str], settings: Confinement, *, field: str, root: Path) -> None:
    path = Path(script).expanduser()
    if not path.is_absolute():
        raise AgentCannotStart(
            f"{field}: {script!r} is a relative path, {_EMPTY.format(name=script.removeprefix('./'))}", field=field
        )
    if not path.exists():
        raise AgentCannotStart(f"{field}: there is no file {script}", field=field)
    _check_seen(path, command, settings, field=field, root=root)


def _check_seen(path: Path, command: Iterable[str], settings: Confinement, *, field: str, root: Path) -> None:
    """Refuse what bubblewrap would hide: its own message would not say why."""
    if not settings.confine or confining.sees(path, settings, root=root, shown=named_files(command, root)):
        return
    raise AgentCannotStart(
        f"{field}: {path} is hidden from a confined program: add it to `show`, name it as {{root}}/…, or set"
        " `confine: false`",
        field=field,
    )
