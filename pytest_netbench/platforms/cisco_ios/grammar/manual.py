"""Generates the command reference of the dialect from the grammar: a section for each command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.command import ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.coverage import readable
from pytest_netbench.platforms.cisco_ios.grammar.grammar import CONFIG, EXEC, Grammar

_NOTATION = "[ ] may be left out, ( | ) one of several, < | > each at most once in any order, + once or more"
_LONGEST_HEAD = 60
_SIGNS = ("[", "(", "<", "+")


def sections(grammar: Grammar) -> tuple[ManualSection, ...]:
    """Return the whole reference. A command of several modes is one section."""
    words = {word: text for area in grammar.areas for word, text in area.help.items()}
    openers = _openers(grammar)
    found: dict[str, ManualSection] = {}
    for known in grammar.commands():
        section = _section(grammar, known, words, openers)
        found.setdefault(section.title + section.text, section)
    return tuple(found.values())


def _section(
    grammar: Grammar, known: ParsedCommand, words: Mapping[str, str], openers: Mapping[str, str]
) -> ManualSection:
    command = known.command
    syntax = _syntax(known)
    modes = ", ".join(_mode(grammar, mode, openers) for mode in command.modes)
    lines = [syntax, "", f"Mode: {modes}"]
    if command.roles:
        lines.append(f"Known to: {', '.join(command.roles)}")
    lines += [f"  {name:<20} {meaning}".rstrip() for name, meaning in _parts(known, words)]
    if command.opens:
        lines.append(f"Enters: {_name(grammar, command.opens)}")
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


def _syntax(known: ParsedCommand) -> str:
    return readable(known.command.pattern, {name: kind.shown for name, kind in known.area.types.items()})


def _parts(known: ParsedCommand, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
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


def _openers(grammar: Grammar) -> dict[str, str]:
    """Return the first command that enters each mode, as it is typed."""
    found: dict[str, str] = {CONFIG: "configure terminal"}
    for known in grammar.commands():
        if known.command.opens:
            found.setdefault(known.command.opens, _syntax(known))
    return found


def _mode(grammar: Grammar, mode: str, openers: Mapping[str, str]) -> str:
    opener = openers.get(mode)
    return _name(grammar, mode) + (f" (after: {opener})" if opener else "")


def _name(grammar: Grammar, mode: str) -> str:
    return grammar.mode(mode).help or mode
