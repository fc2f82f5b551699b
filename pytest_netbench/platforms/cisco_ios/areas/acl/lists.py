"""Access lists of a config: find a list, number and change its lines, print it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ace, ace
from pytest_netbench.platforms.cisco_ios.config.edit import FULL, MOST_LINES, Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

STEP = 10
_LAST = 2147483647
_TOO_HIGH = "% Sequence number exceeds the maximum"
NUMBERED = "access-list"
STANDARD = "ip access-list standard"
EXTENDED = "ip access-list extended"
SIX = "ipv6 access-list"
KINDS = (NUMBERED, STANDARD, EXTENDED, SIX)
_LINES = ("ace standard", "ace extended", "ace evaluate", "ace ipv6")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A numbered line."""

    number: int
    ace: Ace


@dataclass(frozen=True, kw_only=True)
class AccessList:
    """An access list in the form that compilers use. ``family``: 4 or 6."""

    name: str
    family: int
    standard: bool
    lines: tuple[Line, ...]


def find(config: Section, name: str, *, family: int = 4) -> AccessList | None:
    """Return the access list called ``name``, or ``None``.

    A list without lines (only remarks) permits everything when used as a filter.
    """
    entry = entry_of(config, name, family=family)
    return None if entry is None else read(entry)


def every(config: Section, *, family: int = 4) -> list[AccessList]:
    """Return all lists of a family: numbered ones first, then named ones."""
    kinds = KINDS[:3] if family == 4 else (SIX,)
    return [read(entry) for kind in kinds for entry in config.all(kind)]


def read(entry: Entry) -> AccessList:
    """Return the list whose section ``entry`` opens."""
    lines = tuple(Line(number=one["seq"], ace=ace(one.match)) for one in entry.body if one.name != "remark")
    return AccessList(
        name=entry["list"],
        family=6 if entry.name == SIX else 4,
        standard=entry.body.mode == "acl-standard",
        lines=lines,
    )


def entry_of(config: Section, name: str, *, family: int = 4) -> Entry | None:
    """Return the config line that opens the list called ``name``."""
    for kind in KINDS[:3] if family == 4 else (SIX,):
        found = config.get(kind, list=name)
        if found is not None:
            return found
    return None


# -- edits ----------------------------------------------------------------------------------------------------------


def open_named(edit: Edit, match: Match) -> str | None:
    """Open ``ip access-list standard|extended NAME``; a number opens the numbered list."""
    name = match["list"]
    known = entry_of(edit.config, name)
    if match.negated or match.reset:
        if known is not None:
            edit.config.remove(known)
        return None
    if known is not None and known.body.mode != match.command.opens:
        kind = "Standard" if known.body.mode == "acl-standard" else "Extended"
        return (
            f"Access-list type conflicts with prior definition\n% A named {kind} IP access list with this name already"
            " exists"
        )
    if known is None:
        known = edit.put(f"access-list {name}" if name.isdigit() else match.text, edit.config)
    edit.opened.append(known)
    return None


def numbered(edit: Edit, match: Match) -> str | None:
    """Store ``access-list N …``, typed in global config mode.

    ``no`` removes the whole list, whatever else the line says.
    """
    known = edit.config.get(NUMBERED, list=match["list"])
    if match.negated or match.reset:
        if known is not None:
            edit.config.remove(known)
        return None
    if match.name == NUMBERED:
        return "% Incomplete command."
    entry = known or edit.put(f"access-list {match['list']}", edit.config)
    text = f"remark {match['text']}" if "text" in match.args else ace(match).text
    return _add(edit, entry.body, text, None)


def line(edit: Edit, match: Match) -> str | None:
    """Store a line typed in the mode of a list."""
    number = match.get("seq")
    if match.negated or match.reset:
        _remove(edit, match, number)
        return None
    return _add(edit, edit.section, ace(match).text, number)


def remark(edit: Edit, match: Match) -> str | None:
    """Store a remark: it precedes the line that is typed next."""
    if match.negated or match.reset:
        wanted = match.get("text")
        edit.section.remove(*(e for e in edit.section if _is_remark(e) and wanted in {None, e["text"]}))
        return None
    return _add(edit, edit.section, f"remark {match['text']}", match.get("seq"))


def _remove(edit: Edit, match: Match, number: int | None) -> None:
    section = edit.section
    if number is not None:
        section.remove(*_numbered(section, number))
    elif match.whole:
        section.remove(*_saying(edit, section, ace(match).text))


def _numbered(section: Section, number: int) -> Iterator[Entry]:
    for name in _LINES:
        yield from (entry for entry in section.entries.among(name, [("seq", number)]) if entry["seq"] == number)


def _saying(edit: Edit, section: Section, text: str) -> Iterator[Entry]:
    """Return the stored lines with the same meaning as ``text``, found by their parsed arguments."""
    like = edit.entry(text, section)
    among = section.entries.among(like.name, like.match.args.items())
    return (entry for entry in among if ace(entry.match).text == text)


def _is_remark(entry: Entry) -> bool:
    return entry.name == "remark"


def _add(edit: Edit, section: Section, text: str, number: int | None) -> str | None:
    if not text.startswith("remark"):
        if any(_saying(edit, section, text)):
            return None  # the line exists already: IOS keeps its position
        if number is not None and any(_numbered(section, number)):
            return "% Duplicate sequence number"
    last = next((entry["seq"] for entry in reversed(section.entries) if not _is_remark(entry)), 0)
    if number is None:
        number = last // STEP * STEP + STEP
    if number > _LAST:
        return _TOO_HIGH
    if len(section.entries) >= MOST_LINES:  # lines of numbered lists are typed in global mode
        return FULL
    if not text.startswith("remark") and number > last:
        _take_along(edit, section, number)
    _put(edit, section, number, text)
    return None


def _take_along(edit: Edit, section: Section, number: int) -> None:
    """Assign the remarks at the end of the list to the line that follows them."""
    remarks = list(takewhile(_is_remark, reversed(section.entries)))
    section.remove(*remarks)
    for entry in reversed(remarks):
        _put(edit, section, number, f"remark {entry['text']}")


def _put(edit: Edit, section: Section, number: int, text: str) -> None:
    """Store a line after the lines of its number. The same remark twice is two lines."""
    entry = edit.entry(f"{'sequence ' if section.mode == 'acl-ipv6' else ''}{number} {text}", section)
    section.entries.insert(bisect_right(section.entries, _place(entry), key=_place), entry)


def _place(entry: Entry) -> tuple[int, bool]:
    """Return the position of a line: remarks precede the line of their number."""
    return entry["seq"], not _is_remark(entry)


def resequence(edit: Edit, match: Match) -> str | None:
    """Renumber the lines of a list."""
    if "list" not in match.args:
        return "% Incomplete command."
    if match.negated or match.reset:
        return None
    entry = entry_of(edit.config, match["list"])
    if entry is None:
        return "% Access list does not exist"
    start, step = match.get("start", STEP), match.get("step", STEP)
    section = entry.body
    renumbered: list[tuple[int, str]] = []
    at = 0
    for one in section:
        renumbered.append((start + at * step, _text(one)))
        at += one.name != "remark"
    if renumbered and renumbered[-1][0] > _LAST:
        return _TOO_HIGH
    section.entries.clear()
    for number, text in renumbered:
        _put(edit, section, number, text)
    return None


# -- printing ----------------------------------------------------------------------------------------------------------


def _text(entry: Entry) -> str:
    return f"remark {entry['text']}" if entry.name == "remark" else ace(entry.match).text


def render_numbered(entry: Entry) -> list[str]:
    """Return a numbered list as lines of global config mode."""
    kind = "standard" if entry.body.mode == "acl-standard" else "extended"
    if any(one.name == "ace evaluate" for one in entry.body):  # global mode has no form of this line
        return _section(entry, f"ip access-list {kind} {entry['list']}", "")
    return [f"{entry.text} {_text(one)}" for one in entry.body] or [f"ip access-list {kind} {entry['list']}"]


def render_named(entry: Entry) -> list[str]:
    """Return a named list with its lines, with sequence numbers only where a reload would give others."""
    return _section(entry, entry.text, "sequence " if entry.name == SIX else "")


def _section(entry: Entry, head: str, word: str) -> list[str]:
    numbers = [one["seq"] for one in entry.body if one.name != "remark"]
    usual = numbers == list(range(STEP, STEP * len(numbers) + 1, STEP))
    lines = [head]
    for one in entry.body:
        shown = not usual and one.name != "remark"
        lines.append(f" {word}{one['seq']} {_text(one)}" if shown else f" {_text(one)}")
    return lines
