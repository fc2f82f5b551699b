"""Whether a running config is as commands leave it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.syntax import Edit, Path, Syntax

EXEC: Final = "do "
"""Begins a command that leaves nothing in a config."""


def unlike(config: str, commands: Iterable[str], syntax: Syntax = SHOWN) -> Iterator[str]:
    """Return a phrase for each command that a running config does not show to be in force.

    Args:
        config: The running config.
        commands: Lines as in a config, and removals of lines.
        syntax: How both are written; by default by indentation, and ``no LINE`` removes what begins with ``LINE``.
    """
    paths = set(syntax.paths(config))
    wanted, unwanted = _outcome(syntax.edits(tuple(commands)))
    for path in wanted:
        if path not in paths:
            yield f"{_shown(path)} is not in the running config"
    for path in unwanted:
        for left in paths:
            if _begins(left, path) and left not in wanted:
                yield f"{_shown(left)} is still in the running config"


def _outcome(edits: Iterable[Edit]) -> tuple[dict[Path, None], dict[Path, None]]:
    """The lines that a config has after edits, and beginnings of lines that it does not have."""
    wanted: dict[Path, None] = {}
    unwanted: dict[Path, None] = {}
    for edit in edits:
        if edit.removes:
            unwanted[edit.path] = None
            wanted = {known: None for known in wanted if not _begins(known, edit.path)}
        elif not edit.path[-1].startswith(EXEC):
            wanted[edit.path] = None
    return wanted, unwanted


def _begins(path: Path, beginning: Path) -> bool:
    return path[:-1] == beginning[:-1] and f"{path[-1]} ".startswith(f"{beginning[-1]} ")


def _shown(path: Path) -> str:
    return repr(" / ".join(path))
