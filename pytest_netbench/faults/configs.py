"""Whether a running config is as commands leave it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_netbench.dialects.paths import config_paths

EXEC: Final = "do "
"""Begins a command that leaves nothing in a config."""
_Path = tuple[str, ...]


def unlike(config: str, commands: Iterable[str]) -> Iterator[str]:
    """Return a phrase for each command that a running config does not show to be in force."""
    paths = set(config_paths(config))
    wanted, unwanted = _outcome(commands)
    for path in wanted:
        if path not in paths:
            yield f"{_shown(path)} is not in the running config"
    for path in unwanted:
        for left in paths:
            if _begins(left, path) and left not in wanted:
                yield f"{_shown(left)} is still in the running config"


def _outcome(commands: Iterable[str]) -> tuple[dict[_Path, None], dict[_Path, None]]:
    """The lines that a config has after commands, and beginnings of lines that it does not have."""
    wanted: dict[_Path, None] = {}
    unwanted: dict[_Path, None] = {}
    for *parents, line in config_paths("\n".join(commands)):
        path = (*parents, line)
        if line.startswith("no "):
            path = (*parents, line.removeprefix("no "))
            unwanted[path] = None
            wanted = {known: None for known in wanted if not _begins(known, path)}
        elif not line.startswith(EXEC):
            wanted[path] = None
    return wanted, unwanted


def _begins(path: _Path, beginning: _Path) -> bool:
    return path[:-1] == beginning[:-1] and f"{path[-1]} ".startswith(f"{beginning[-1]} ")


def _shown(path: _Path) -> str:
    return repr(" / ".join(path))
