"""Loading a startup config into daemons over their own sockets, with every line that is refused.

A line goes to every daemon that knows the section that contains it. A daemon reports a line that it does not know.
A line is refused if no daemon knows it, or if a daemon that knows it does not accept it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import answers, identity
from pytest_netbench.platforms.frr.sections import Line, Section, sections

_Answer = tuple[str, int]

# FRR's lib/command.h
_WARNING, _NO_MATCH, _AMBIGUOUS, _INCOMPLETE, _CONFIG_FAILED, _NOT_MY_INSTANCE = 1, 2, 3, 4, 13, 14
_NOT_UNDERSTOOD = frozenset({_NO_MATCH, _AMBIGUOUS, _INCOMPLETE, _NOT_MY_INSTANCE})
_AGAIN = ("end", "configure terminal")
_TAG = re.compile(r"(?<=^% )\[\w+\] ", re.MULTILINE)
_LONGER = {
    name: re.compile(rf"(no )?((router|debug) {word}( |$)|ip (?!prefix-list|access-list|forwarding))", re.IGNORECASE)
    for name, word in (("ospf6d", "ospf"), ("ripngd", "rip"), ("pim6d", "(pim|igmp|msdp)"))
}
_HEADLESS = "not entered: the line above that opens its section was refused"


def load(node: HostedNode, lines: Iterable[str], daemons: Collection[str]) -> list[RefusedLine]:
    """Load ``lines`` into ``daemons``, which have heard of the interfaces; return the lines that were refused."""
    found = sections(lines)
    if not found:
        return []
    names = sorted(daemons)
    _tell(node, names, ("configure terminal",))
    # Sessions of BGP begin as soon as they are configured, and a policy that comes later acts after seconds only.
    found.sort(key=lambda section: section.head.text.lower().startswith("router bgp"))
    refused = []
    for is_plain, several in groupby(enumerate(found), key=lambda one: not one[1].body):
        if is_plain:  # in one request: a device may have hundreds of such lines
            refused += _load_plain(node, [section.head for _, section in several], names)
        else:
            for place, section in several:
                refused += _load(node, section, names, found[:place])
    _tell(node, names, ("end",))
    return [
        RefusedLine(node=node.name, line_number=line.number, line=line.text, message=words)
        for line, words in sorted(refused, key=lambda one: one[0].number)
    ]


def _load_plain(node: HostedNode, lines: Sequence[Line], names: Sequence[str]) -> list[tuple[Line, str]]:
    """Lines that nothing stands below."""
    answered = _tell_each(node, names, lines)
    return [(line, words) for line in lines if (words := complaint(answered[line.number])) is not None]


def _load(
    node: HostedNode, section: Section, names: Sequence[str], before: Sequence[Section]
) -> list[tuple[Line, str]]:
    names = [name for name in names if not _misread(section.head.text, name)]
    heads = _tell(node, names, (section.head.text,))
    words = complaint([given for (given,) in heads.values()])
    refused = [] if words is None else [(section.head, words)]
    owners = [name for name, (given,) in heads.items() if _entered(given)]
    if "ospfd" in owners and (pins := identity.pins(node, section, before)):
        _tell(node, ["ospfd"], pins)
    answered = _tell_each(node, owners, section.body)
    strayed = []
    for line in section.body:
        words = complaint(answered[line.number]) if owners else _HEADLESS
        if words is None:
            continue
        known = any(status not in _NOT_UNDERSTOOD for _, status in answered[line.number])
        if line.inside or known:
            refused.append((line, words))
        else:
            strayed.append((line, words))
    _tell(node, owners, _AGAIN)
    others = [name for name in names if name not in owners]
    return refused + _load_strayed(node, strayed, others)


def _load_strayed(
    node: HostedNode, strayed: Sequence[tuple[Line, str]], others: Sequence[str]
) -> list[tuple[Line, str]]:
    """Lines that nothing indents, unknown in the section before them: they may be commands of other daemons."""
    if not strayed:
        return []
    answered = _tell_each(node, others, [line for line, _ in strayed])
    refused = []
    for line, unknown in strayed:
        words = complaint(answered[line.number]) if others else unknown
        if words is not None:
            refused.append((line, words))
    _tell(node, others, _AGAIN)
    return refused


def _tell(node: HostedNode, names: Sequence[str], commands: Sequence[str]) -> dict[str, list[_Answer]]:
    """What each daemon answers to each command."""
    given = node.vty([(name, command) for name in names for command in commands])
    size = len(commands)
    return {name: given[position * size : (position + 1) * size] for position, name in enumerate(names)}


def _tell_each(node: HostedNode, names: Sequence[str], lines: Sequence[Line]) -> dict[int, list[_Answer]]:
    """What the daemons answer to each line, by its number."""
    asked = [(name, line) for name in names for line in lines if not _misread(line.text, name)]
    given = node.vty([(name, line.text) for name, line in asked])
    found: dict[int, list[_Answer]] = {line.number: [] for line in lines}
    for (_, line), answer in zip(asked, given, strict=True):
        found[line.number].append(answer)
    return found


def _misread(text: str, daemon: str) -> bool:
    """Whether a daemon would read an IPv4 command as an abbreviation: ``router ospf`` of ``router ospf6``."""
    taken = _LONGER.get(daemon)
    return taken is not None and taken.match(text) is not None


def complaint(given: Sequence[_Answer]) -> str | None:
    """Return why a line was refused, in a daemon's words, from all daemons' answers; ``None`` if it was accepted."""
    understood = [(text, status) for text, status in given if status not in _NOT_UNDERSTOOD]
    for text, status in understood:
        # A refusal by a route map's command comes with the status of success, but is marked by the daemon's name.
        if status == _CONFIG_FAILED or _TAG.search(text) or (status == _WARNING and answers.is_error(text)):
            return _joined(text) or "% Configuration failed."
    if understood:
        return None
    unknown = sorted(given, key=lambda one: one[1] == _NO_MATCH)
    return _TAG.sub("", _joined(unknown[0][0]) if unknown else "") or "% Unknown command"


def _entered(given: _Answer) -> bool:
    text, status = given
    return status not in _NOT_UNDERSTOOD and complaint([(text, status)]) is None


def _joined(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())
