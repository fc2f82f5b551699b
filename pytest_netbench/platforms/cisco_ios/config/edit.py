"""Apply one parsed line to the config."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_netbench import deadline
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.grammar import Grammar
from pytest_netbench.platforms.cisco_ios.grammar.pattern import Argument
from pytest_netbench.platforms.cisco_ios.grammar.reader import Refusal

MOST_LINES = 20000
"""The maximum number of lines in a section, or in the config outside sections."""
FULL = "%Configuration buffer full, can't add command"


class Running(Protocol):
    """The running node of a config."""

    def ask(self, daemon: str, question: str) -> str:
        """Return a daemon's answer to a ``show`` command; "" if the daemon does not run."""
        ...

    def chosen(self, process: str) -> str | None:
        """Return the router ID of a running routing process, e.g. ``ospf 1``."""
        ...

    def forget(self, process: str) -> None:
        """Let a routing process choose its router ID again."""
        ...


class Edit:
    """The operations that storing a line may use.

    Args:
        config: The whole config.
        section: The section in which the line was typed.
        grammar: The grammar, for lines that an area adds itself.
        role: The node's role, e.g. ``switch``; "" for a router.
        booting: The startup config is being read: whatever it leaves out is reset to its default.
        running: What the running node says, for lines that have an effect later or print a warning.
    """

    def __init__(
        self,
        *,
        config: Section,
        section: Section,
        grammar: Grammar,
        role: str = "",
        booting: bool = False,
        running: Running | None = None,
    ) -> None:
        self.config, self.section, self.role, self.booting, self.running = config, section, role, booting, running
        self._grammar = grammar
        self.opened: list[Entry] = []
        """The sections that the line entered."""
        self.remarks: list[str] = []
        """The device's warnings about an accepted line."""

    def store(self, match: Match) -> str | None:
        """Apply a line to the config; return the device's message if it refuses the line."""
        deadline.check()
        command = match.command
        if len(self.section.entries) >= MOST_LINES and not match.negated and not match.reset:
            return FULL
        if command.check is not None and not match.negated and not match.reset:
            words = command.check(self, match)
            if words is not None:
                return words
        if command.edit is not None:
            return command.edit(self, match)
        return self.keep(match)

    def keep(self, match: Match) -> str | None:
        """Store or remove one line as its command's fields say; the default for an area's own ``edit``."""
        if match.reset:
            self._reset(match)
        elif match.negated:
            self._negate(match)
        else:
            self._assert(match)
        return None

    def read(self, text: str, *, like: Match) -> Match:
        """Read the canonical line ``text`` in the current section, with the ``no`` or ``default`` of ``like``.

        Raises:
            ValueError: The grammar does not know it.
        """
        found = self._grammar.reader(self.section.mode, self.role).read(text, partial=like.negated or like.reset)
        if not isinstance(found, Refusal):
            return Match(found.known, found.parts, negated=like.negated, reset=like.reset, whole=found.whole)
        raise ValueError(f"{self.section.mode}: {text!r} is {found.kind}")

    def put(self, text: str, section: Section | None = None) -> Entry:
        """Store the canonical line ``text`` in ``section`` (default: where the line was typed); return its entry.

        Raises:
            ValueError: The grammar does not know it.
        """
        section = self.section if section is None else section
        entry = self.entry(text, section)
        self._place(entry, section)
        return entry

    def entry(self, text: str, section: Section) -> Entry:
        """Return an entry for the canonical line ``text`` of ``section``, without storing it.

        Raises:
            ValueError: The grammar does not know it.
        """
        negated = text.startswith("no ")
        found = self._grammar.reader(section.mode, self.role).read(text, skip=int(negated), partial=negated)
        if not isinstance(found, Refusal):
            match = Match(found.known, found.parts, negated=negated, whole=found.whole)
            return Entry(match, section, negated=negated)
        raise ValueError(f"{section.mode}: {text!r} is {found.kind}")

    def _assert(self, match: Match) -> None:
        command = match.command
        if match.text in command.default:
            self._drop_same(match)
            return
        for entry in self.section.like(match):
            if entry.same_line(match) and not entry.negated:
                if entry.children is not None:
                    entry.match = match
                    self._renew(entry)
                    self.opened.append(entry)
                elif self.booting and entry.factory:
                    self.section.remove(entry)
                    self.section.insert(Entry(match, self.section))
                elif entry.text != match.text:
                    self.section.entries.replace(entry, Entry(match, self.section))
                return
        entry = Entry(match, self.section)
        self._place(entry, self.section)
        if entry.children is not None:
            self.opened.append(entry)

    def _renew(self, entry: Entry) -> None:
        """Reset a section of the startup config to its defaults: a saved config leaves out default lines."""
        if self.booting and entry.factory:
            entry.factory = False
            entry.body.entries.clear()
            self.seed(entry)

    def _place(self, entry: Entry, section: Section) -> None:
        alike = {*section.like(entry.match), *section.entries.without_keys(entry.name)}
        section.remove(*(old for old in alike if old.match.known is entry.match.known and _displaces(entry, old)))
        section.insert(entry)
        if entry.children is not None:
            self.seed(entry)

    def seed(self, entry: Entry) -> None:
        """Add the initial lines to a new section."""
        mode = self._grammar.mode(entry.body.mode)
        for text in mode.seeds(entry, self.role) if mode.seeds is not None else ():
            self.put(text, entry.body)

    def _negate(self, match: Match) -> None:
        self._drop(match)
        if match.command.keeps_no:
            self._drop_same(match)
            negated = Match(match.known, match.parts, negated=True, whole=match.whole)
            self.section.insert(Entry(_bare(negated), self.section, negated=True))

    def _reset(self, match: Match) -> None:
        self._drop(match)
        self._drop_same(_bare(match))
        for text in self._at_first():
            found = self._grammar.reader(self.section.mode, self.role).read(
                text, skip=int(text.startswith("no ")), partial=True
            )
            if isinstance(found, Match) and found.known is match.known and found.keys == match.keys:
                self.put(text)

    def _at_first(self) -> Sequence[str]:
        """Return the initial lines of the current section."""
        parent = self.section.parent
        if parent is None:
            return [line for area in self._grammar.areas for line in area.factory if not line.startswith(" ")]
        seeds = self._grammar.mode(self.section.mode).seeds
        return seeds(parent, self.role) if seeds is not None else ()

    def _drop(self, match: Match) -> None:
        self.section.remove(*(entry for entry in self.section.like(match) if entry.covers(match)))

    def _drop_same(self, match: Match) -> None:
        self.section.remove(*(entry for entry in self.section.like(match) if entry.same_line(match)))


def ignore(_edit: Edit, _match: Match) -> str | None:
    """Accept a line without storing it: devices print it, but it is not configuration."""
    return None


def _displaces(new: Entry, old: Entry) -> bool:
    """Whether a line replaces another: one with the same keys, or the ``no`` line of its command."""
    if new.negated or old.negated:
        return new.match.keys == old.match.keys or not old.match.keys or not new.match.keys
    return new.match.keys == old.match.keys


def _bare(match: Match) -> Match:
    """Return the line with only its keywords outside brackets and its keys, as a stored ``no`` line."""
    root: set[int] = set()
    for item in match.known.pattern.root.items:
        if isinstance(item, Argument) and not item.key:
            break  # the words after an omitted value would have nothing to refer to
        root.add(id(item))
    kept = tuple(
        part for part in match.parts if (part[0].key if isinstance(part[0], Argument) else id(part[0]) in root)
    )
    return Match(match.known, kept, negated=match.negated, whole=match.whole)
