"""The virtual terminal lines: which exist, and how ``line vty`` selects, adds and removes them.

Several config entries may have the same lines of config; the running config shows such neighbors as one section. A
section never crosses from the first five lines to the others.
"""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.render import lines_of
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match

FIRST_OTHER = 5
"""The first line that a device does not have by default."""
_NEW = ("login", "transport input none")


def select(edit: Edit, match: Match) -> str | None:
    """Enter, reset or remove virtual terminal lines."""
    first, last = _range(match)
    if last < first:
        return INVALID
    if match.negated:
        return _remove(edit, first)
    _create(edit, last)
    for boundary in (first, last + 1):
        _split(edit, boundary)
    chosen = [entry for entry in _entries(edit.config) if first <= _range(entry)[0] <= last]
    for entry in chosen:
        if match.reset or (edit.booting and entry.factory):
            entry.factory = False
            entry.body.entries.clear()
        if match.reset:
            _seed(edit, entry)
    if not match.reset:
        edit.opened += chosen
    return None


def render(entry: Entry) -> list[str]:
    """Return the section of an entry and of the ones behind it with the same lines; nothing for those."""
    if entry["kind"] != "vty":
        return _section(entry, entry.text)
    entries = sorted(_entries(entry.section), key=_range)
    at = entries.index(entry)
    if at and _alike(entries[at - 1], entry):
        return []
    end = at
    while end + 1 < len(entries) and _alike(entries[end], entries[end + 1]):
        end += 1
    return _section(entry, _text(_range(entry)[0], _range(entries[end])[1]))


def _section(entry: Entry, head: str) -> list[str]:
    return [head, *(line for child in entry.body for line in lines_of(child, 1))]


def _alike(one: Entry, other: Entry) -> bool:
    bodies = [[line.text for line in entry.body] for entry in (one, other)]
    return bodies[0] == bodies[1] and _range(other)[0] != FIRST_OTHER


def _range(line: Entry | Match) -> tuple[int, int]:
    first = int(line["first"])
    return first, int(line.get("last", first))


def _text(first: int, last: int) -> str:
    return f"line vty {first}" + (f" {last}" if last > first else "")


def _entries(config: Section) -> list[Entry]:
    return [entry for entry in config.all("line") if entry["kind"] == "vty"]


def _seed(edit: Edit, entry: Entry) -> None:
    for line in _NEW:
        edit.put(line, entry.body)


def _create(edit: Edit, last: int) -> None:
    """Add the lines up to ``last``: a device has no gaps between them."""
    free = max((_range(entry)[1] + 1 for entry in _entries(edit.config)), default=0)
    for begin, end in ((free, min(last, FIRST_OTHER - 1)), (max(free, FIRST_OTHER), last)):
        if begin <= end:
            entry = edit.put(_text(begin, end), edit.config)
            entry.factory = edit.booting
            if not edit.booting:
                _seed(edit, entry)


def _split(edit: Edit, boundary: int) -> None:
    """Let an entry begin at line ``boundary``, with the lines that it had as a part of another one."""
    for entry in _entries(edit.config):
        first, last = _range(entry)
        if first < boundary <= last:
            edit.config.remove(entry)
            for begin, end in ((first, boundary - 1), (boundary, last)):
                part = edit.put(_text(begin, end), edit.config)
                part.factory = entry.factory
                for line in entry.body:
                    edit.put(line.text, part.body)


def _remove(edit: Edit, first: int) -> str | None:
    """Remove line ``first`` and all behind it."""
    if first < FIRST_OTHER:
        return "% Can't delete last 5 VTY lines"
    _split(edit, first)
    for entry in _entries(edit.config):
        if _range(entry)[0] >= first:
            edit.config.remove(entry)
    return None
