"""The structure of a startup config: which lines stand below which, as indentation and ``exit`` say. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from pytest_netbench.platforms.frr import vtysh

_OPENS_SECTION = re.compile(
    r"(interface|router|route-map|vrf|pbr-map|bfd$|key chain \S|nexthop-group|segment-routing|mpls ldp|rpki|l2vpn|line"
    r" vty)",
    re.IGNORECASE,
)
_OPENS_NESTED = re.compile(
    r"(address-family|key \d|peer \S+|profile \S|vni \d|interface|pw|link-params$)", re.IGNORECASE
)
# Commands of no section that daemons share or that open one: they end a section even where nothing is indented.
_GLOBAL = re.compile(
    r"(no )?(ip (route|prefix-list|access-list|as-path|community-list|forwarding|protocol|nht|import-table)|ipv6"
    r" (route|prefix-list"
    r"|access-list|forwarding|protocol|nht)|access-list|bgp"
    r" (as-path|community-list|extcommunity-list|large-community-list)"
    r"|hostname|log (file|syslog|stdout|timestamp)|debug|service|frr (version|defaults)|interface \S|router \S|vrf"
    r" \S|route-map \S)",
    re.IGNORECASE,
)
# Words that a person types around a config and a device would not keep.
_FRAMING = ("end", "enable", "configure terminal", "write memory", "write")
# Settings of vtysh itself.
_OF_VTYSH = re.compile(r"(no )?(service integrated-vtysh-config|username )", re.IGNORECASE)


@dataclass(frozen=True)
class Line:
    """One line; ``number`` is 1-based. ``inside``: it certainly belongs to the section it stands in."""

    number: int
    text: str
    inside: bool = True


@dataclass
class Section:
    """A line of no section, with the lines below it if it opens a section."""

    head: Line
    body: list[Line] = field(default_factory=list)


def sections(lines: Iterable[str]) -> list[Section]:
    """The sections of a config, in order. Comments, and lines that only frame it, are left out."""
    found: list[Section] = []
    indent: int | None = None  # of the head of the section that is open
    depth = 0
    for number, raw in enumerate(lines, start=1):
        text = raw.strip()
        if not text or text[0] in "!#" or _frames(text) or _OF_VTYSH.match(text):
            continue
        present = len(raw) - len(raw.lstrip())
        if _leaves(text):
            if indent is not None and (depth or present > indent):
                found[-1].body.append(Line(number, text))
                depth = max(0, depth - 1)
            else:
                indent, depth = None, 0
        elif indent is not None and (present > indent or not (_GLOBAL.match(text) or _OPENS_SECTION.match(text))):
            found[-1].body.append(Line(number, text, inside=present > indent))
            depth += bool(_OPENS_NESTED.match(text))
        else:
            found.append(Section(Line(number, text)))
            indent, depth = (present, 0) if _OPENS_SECTION.match(text) else (None, 0)
    return found


def _leaves(text: str) -> bool:
    word = text.split(maxsplit=1)[0].lower()
    return word in {"exit", "quit"} or word.startswith("exit-")


def _frames(text: str) -> bool:
    return any(vtysh.abbreviates(text, framing, least=3) for framing in _FRAMING)
