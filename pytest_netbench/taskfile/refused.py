"""Lines that devices refused, in words with their places in the task file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_netbench.errors import GroundTruthRejected, InputError, NetbenchError, StartupConfigRejected
from pytest_netbench.model.trial import RefusedLine, in_one_line, offset_of
from pytest_netbench.taskfile.places import TRUTH, Places


def refused_lines(refused: Iterable[RefusedLine], path: Path, *, shown: str | None = None) -> list[str]:
    """One line for each refused line of a startup config.

    Args:
        refused: The lines.
        path: The task file; without one, the line in the config is told.
        shown: How the path is shown.
    """
    places = _places(path)
    found = []
    for one in refused:
        where = f"{one.node}, line {one.line_number} of its startup config"
        if places is not None:
            line, column = places.startup(one.node, one.line_number, one.offset, line=one.line)
            where = f"{shown or path}:{line}:{column}"
        found.append(f"{where}: {one.node} refused {one.line.strip()!r}: {in_one_line(one.message, one.line)}")
    return found


def told(error: NetbenchError, path: Path, *, shown: str | None = None) -> str:
    """What an error says, with the place of each refused line of the task file at ``path``."""
    lines: list[str] = []
    if isinstance(error, StartupConfigRejected):
        return _told_of_startup(error, path, shown=shown)
    if isinstance(error, GroundTruthRejected) and (places := _places(path)) is not None:
        for node, index, command, message in error.refused:
            line, column = places.command((TRUTH, node), index, offset_of(command, message))
            words = in_one_line(message, command)
            lines.append(f"{shown or path}:{line}:{column}: {node} refused {command.strip()!r}: {words}")
    return "\n".join(lines) or str(error)


def _told_of_startup(error: StartupConfigRejected, path: Path, *, shown: str | None) -> str:
    """The error's own words about each line, each behind its place."""
    places = _places(path)
    refused = [one for one in error.refused if isinstance(one, RefusedLine)]
    messages = str(error).split("\n")
    if places is None or len(messages) != len(refused):
        return str(error)
    found = [places.startup(one.node, one.line_number, one.offset, line=one.line) for one in refused]
    pairs = zip(found, messages, strict=True)
    return "\n".join(f"{shown or path}:{line}:{column}: {message}" for (line, column), message in pairs)


def _places(path: Path) -> Places | None:
    try:
        return Places(path) if path.is_file() else None
    except InputError:
        return None
