"""What an agent entered and took back later, or took away and entered again. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_netbench.dialects.syntax import Path, syntax_of
from pytest_netbench.errors import UsageError
from pytest_netbench.faults.evidence.observation import begins
from pytest_netbench.process.requests import Request

MOST = 20
"""Lines that are listed."""


def undone(requests: Iterable[Request], platforms: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines that an agent undid, each as ``DEVICE: LINE``.

    Commands that are no lines of a config, as those of a shell, are compared by their words: an ``add`` and a ``del``
    of the same. A line that is replaced by another one is not undone, and neither is one that is taken away and entered
    again in one request: so the order of lines is changed.

    Args:
        requests: Of the agent, in order.
        platforms: Of the devices, by name.
    """
    by_device: dict[str, list[Sequence[str]]] = {}
    for one in requests:
        if one.applied and one.device in platforms:
            by_device.setdefault(one.device, []).append(one.applied)
    found = [f"{device}: {line}" for device, sent in by_device.items() for line in _of(sent, platforms[device])]
    return tuple(dict.fromkeys(found))[:MOST]


def _of(sent: Iterable[Sequence[str]], platform: str) -> Iterator[str]:
    entered: set[Path] = set()
    removed: set[Path] = set()
    for commands in sent:
        now_entered, now_removed = _split(commands, platform)
        both = {path for path in now_removed if path in now_entered}
        for path in now_removed:
            if path not in both and (hit := next((one for one in entered if begins(one, path)), None)) is not None:
                yield hit[-1]
        for path in now_entered:
            if path not in both and path in removed:
                yield path[-1]
        entered = {one for one in entered if not any(begins(one, path) for path in now_removed)} | now_entered
        removed = (removed | now_removed) - now_entered


def _split(commands: Sequence[str], platform: str) -> tuple[set[Path], set[Path]]:
    """What commands of one request enter and what they remove. Lines that only open a place are neither."""
    try:
        syntax = syntax_of(platform)
    except UsageError:  # of a package that is not installed
        return set(), set()
    if not syntax.negate(("x",)):
        return _by_words(commands)
    edits = syntax.edits(tuple(commands))
    opened = {one.path[:-1] for one in edits}
    entered = {one.path for one in edits if not one.removes and one.path not in opened}
    return entered, {one.path for one in edits if one.removes}


def _by_words(commands: Sequence[str]) -> tuple[set[Path], set[Path]]:
    """The same of a shell's commands: the words but for ``add`` or ``del``."""
    entered: set[Path] = set()
    removed: set[Path] = set()
    for command in commands:
        words = command.split()
        for verbs, kept in ((("add", "append"), entered), (("del", "delete"), removed)):
            place = next((at for at, word in enumerate(words) if word in verbs), None)
            if place is not None:
                kept.add((" ".join([*words[:place], *words[place + 1 :]]),))
    return entered, removed
