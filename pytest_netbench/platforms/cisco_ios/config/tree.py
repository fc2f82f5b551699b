"""The tree of config lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from pytest_netbench import deadline
from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.config import neighbors
from pytest_netbench.platforms.cisco_ios.config.lines import Lines
from pytest_netbench.platforms.cisco_ios.config.order import rank
from pytest_netbench.platforms.cisco_ios.grammar.command import Match


class Entry:
    """One line of the config, with the lines of its section if it opens one.

    Args:
        match: The parsed line.
        section: The section that contains it.
        negated: Whether it is a ``no …`` line.
    """

    def __init__(self, match: Match, section: Section, *, negated: bool = False) -> None:
        self._match = match
        self.section = section
        self.negated = negated
        self.factory = False
        """Whether it is from before the startup config, which may still replace the lines of its section."""
        opens = match.command.opens
        self.children: Section | None = Section(mode=opens, parent=self) if opens and not negated else None

    @property
    def match(self) -> Match:
        """The parsed line."""
        return self._match

    @match.setter
    def match(self, match: Match) -> None:
        at = self.section.entries.index(self)
        del self.section.entries[at]  # the section indexes its lines by their content
        self._match = match
        self.section.entries.insert(at, self)

    @property
    def name(self) -> str:
        """The name of its command."""
        return self._match.name

    @property
    def text(self) -> str:
        """The line as printed, without indentation."""
        return f"no {self.match.text}" if self.negated else self.match.text

    @property
    def body(self) -> Section:
        """The lines of its section; empty for a line that opens none."""
        return self.children if self.children is not None else Section(mode="", parent=self)

    def __getitem__(self, name: str) -> Any:
        return self.match.args[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the argument called ``name``."""
        return self.match.get(name, default)

    def many(self, name: str) -> list[Any]:
        """Return all values of an argument that may occur several times."""
        return self.match.many(name)

    def has(self, word: str) -> bool:
        """Whether the line has the keyword."""
        return self.match.has(word)

    def same_line(self, match: Match) -> bool:
        """Whether ``match`` would replace this line."""
        return self.match.known is match.known and self.match.keys == match.keys

    def covers(self, match: Match) -> bool:
        """Whether ``no`` with ``match``, possibly incomplete, removes this line."""
        if self.match.known is not match.known:
            return False
        mine = self.match.args
        return match.words <= self.match.words and all(mine.get(name) == value for name, value in match.args.items())


class Section:
    """The lines of one mode: of the whole config, or below one line."""

    def __init__(self, *, mode: str, parent: Entry | None) -> None:
        self.mode = mode
        self.parent = parent
        self._entries: Lines[Entry] = Lines()

    @property
    def entries(self) -> Lines[Entry]:
        """The lines in order."""
        return self._entries

    @entries.setter
    def entries(self, entries: Iterable[Entry]) -> None:
        self._entries[:] = entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def all(self, *names: str) -> list[Entry]:
        """Return the lines of these commands, without ``no`` lines."""
        deadline.check()
        found = [self.entries.among(name) for name in names]
        wanted = found[0] if len(found) == 1 else frozenset(chain.from_iterable(found))
        looked_through = self.entries if len(wanted) > 1 else wanted
        return [entry for entry in looked_through if entry in wanted and not entry.negated]

    def get(self, name: str, /, **args: Any) -> Entry | None:
        """Return the first line of the command ``name`` with these arguments, ignoring ``no`` lines."""
        deadline.check()
        perhaps = self.entries.among(name, args.items())
        for entry in self.entries if len(perhaps) > 1 else perhaps:
            if entry in perhaps and not entry.negated and all(entry.get(k) == v for k, v in args.items()):
                return entry
        return None

    def has(self, name: str, /, **args: Any) -> bool:
        """Whether such a line exists."""
        return self.get(name, **args) is not None

    def says_no(self, name: str) -> bool:
        """Whether it has a ``no`` line of the command ``name``."""
        return any(entry.negated for entry in self.entries.among(name))

    def like(self, match: Match) -> list[Entry]:
        """Return the lines, also ``no`` lines, of ``match``'s command with its keys, and possibly others; unordered."""
        keys = {key: match.args[key] for key, _ in match.keys}
        return [entry for entry in self.entries.among(match.name, keys.items()) if entry.match.known is match.known]

    def sections(self, *names: str) -> list[tuple[Entry, Section]]:
        """Return lines of these commands that open sections, each with its section."""
        return [(entry, entry.body) for entry in self.all(*names)]

    def insert(self, entry: Entry) -> None:
        """Insert a line at its place in the order."""
        deadline.check()
        at = bisect_right(self.entries, _sort_key(self.mode, entry), key=lambda other: _sort_key(self.mode, other))
        self.entries.insert(at, entry)

    def remove(self, *entries: Entry) -> None:
        """Remove lines."""
        for entry in entries:
            self.entries.remove(entry)


_BY_NUMBER = frozenset(
    {"router ospf", "vlan", "track", "ip sla", "ip sla schedule", "time-range", "access-list", "line"}
)
_BY_NAME = frozenset({"ip access-list standard", "ip access-list extended", "ip prefix-list"})


_REDUNDANCY = (
    "description",
    "ip",
    "timers",
    "priority",
    "preempt",
    "authentication",
    "mac-address",
    "name",
    "track",
    "shutdown",
)


def _sort_key(mode: str, entry: Entry) -> tuple[Any, ...]:
    word, _, rest = entry.name.partition(" ")
    if mode == "if" and word in {"standby", "vrrp"} and rest.split()[0] in _REDUNDANCY:
        # ordered by group; "no" lines are sorted among the others
        return rank(mode, entry.match.text), (entry["group"], _REDUNDANCY.index(rest.split()[0]))
    if word == "neighbor" and mode.startswith("router-bgp"):
        return rank("router-bgp", "neighbor"), neighbors.place(entry["peer"], rest)
    if mode.startswith("router-bgp"):
        return rank("router-bgp", entry.text), ()
    place = rank(mode, entry.text)
    if mode == "config" and entry.name == "interface":
        return place, interfaces.parse(entry["name"]).sort_key
    if mode == "config" and entry.name in _BY_NUMBER:
        return place, (_number(entry), entry.name)
    return (place, ())


def _number(entry: Entry) -> Any:
    if entry.name == "line":
        return entry["first"]
    key = (entry.match.keys and entry.match.keys[0][1]) or 0
    return int(key) if entry.name == "access-list" else key
