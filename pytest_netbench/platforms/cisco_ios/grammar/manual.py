"""Generates the command reference of the dialect from the grammar: a section for each command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.book import CONFIG, EXEC, Book
from pytest_netbench.platforms.cisco_ios.grammar.command import Known
from pytest_netbench.platforms.cisco_ios.grammar.coverage import readable

_NOTATION = "[ ] may be left out, ( | ) one of several, < | > each at most once in any order, + once or more"
_LONGEST_HEAD = 60
_SIGNS = ("[", "(", "<", "+")


def sections(book: Book) -> tuple[ManualSection, ...]:
    """Return the whole reference. A command of several modes is one section."""
    words = {word: text for area in book.areas for word, text in area.help.items()}
    openers = _openers(book)
    found: dict[str, ManualSection] = {}
    for known in book.commands():
        section = _section(book, known, words, openers)
        found.setdefault(section.title + section.text, section)
    return tuple(found.values())


def _section(book: Book, known: Known, words: Mapping[str, str], openers: Mapping[str, str]) -> ManualSection:
    command = known.command
    syntax = _syntax(known)
    modes = ", ".join(_mode(book, mode, openers) for mode in command.modes)
    lines = [syntax, "", f"Mode: {modes}"]
    if command.roles:
        lines.append(f"Known to: {', '.join(command.roles)}")
    lines += [f"  {name:<20} {meaning}".rstrip() for name, meaning in _parts(known, words)]
    if command.opens:
        lines.append(f"Enters: {_name(book, command.opens)}")
    if EXEC not in command.modes:
        lines.append(f"Undone by: no {known.pattern.name or '…'}")
    if command.default:
        lines.append(f"Default: {', '.join(command.default)}")
    if command.marked:
        lines.append(f"Accepted without effect: {command.marked}")
    if any(sign in syntax.split() for sign in _SIGNS):
        lines.append(f"Notation: {_NOTATION}")
    about = f": {command.help}" if command.help else ""
    head = known.pattern.name or syntax[:_LONGEST_HEAD]
    return ManualSection(title=f"{head} ({known.area.name}){about}", text="\n".join(lines))


def _syntax(known: Known) -> str:
    return readable(known.command.pattern, {name: kind.shown for name, kind in known.area.types.items()})


def _parts(known: Known, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Return the keywords and arguments of a command with their descriptions, each once."""
    last = known.pattern.name.split()[-1:]
    seen = set[str]()
    for element in _elements(known.pattern.root):
        if isinstance(element, pattern.Keyword):
            name = element.word
            own = known.command.help if [name] == last else ""
            meaning = own or known.area.help.get(name) or words.get(name, "")
        else:
            name = element.type.shown
            meaning = "; ".join(part for part in (element.name.replace("_", " "), element.type.help) if part)
        if (name + meaning) not in seen and meaning:
            seen.add(name + meaning)
            yield name, meaning


def _elements(node: pattern.Node) -> Iterator[pattern.Element]:
    if isinstance(node, pattern.Keyword | pattern.Argument):
        yield node
    elif isinstance(node, pattern.Sequence):
        for item in node.items:
            yield from _elements(item)
    elif isinstance(node, pattern.Choice | pattern.AnyOrder):
        for option in node.options:
            yield from _elements(option)
    elif isinstance(node, pattern.Maybe | pattern.Repeat):
        yield from _elements(node.inner)


def _openers(book: Book) -> dict[str, str]:
    """Return the first command that enters each mode, as it is typed."""
    found: dict[str, str] = {CONFIG: "configure terminal"}
    for known in book.commands():
        if known.command.opens:
            found.setdefault(known.command.opens, _syntax(known))
    return found


def _mode(book: Book, mode: str, openers: Mapping[str, str]) -> str:
    opener = openers.get(mode)
    return _name(book, mode) + (f" (after: {opener})" if opener else "")


def _name(book: Book, mode: str) -> str:
    return book.mode(mode).help or mode
