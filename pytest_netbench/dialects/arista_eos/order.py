"""One form for EOS configs that mean the same, and the lists whose order counts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from pytest_netbench.dialects.syntax import Tree

_ACL: Final = re.compile(r"(?:ip|ipv6|mac) access-list (?:standard )?\S+$")
_LIST: Final = re.compile(r"((?:ip|ipv6) prefix-list \S+) (seq \d+ (?:permit|deny) .*)$")
_ENTRY: Final = re.compile(r"(?:\d+ )?((permit|deny)\b.*)")
_DEFAULTS: Final = frozenset({"no shutdown", "switchport", "switchport mode access", "switchport access vlan 1"})
"""Lines of an interface that a running config leaves out."""
_ORDERED: Final = (
    re.compile(r"(route-map \S+) (?:permit|deny) \d+"),
    re.compile(r"(ip as-path access-list \S+) "),
    re.compile(r"(ip (?:ext|large-)?community-list (?:regexp |standard |expanded )?\S+) "),
)
_ENTRIES: Final = (
    (re.compile(r"(?:ip|ipv6|mac) access-list "), re.compile(r"(?:\d+ )?(?:permit|deny)\b"), "access list"),
    (re.compile(r"(?:ip|ipv6) prefix-list "), re.compile(r"seq "), "prefix list"),
    (re.compile(r"peer-filter "), re.compile(r"\d+ match "), "peer filter"),
    (re.compile(r"policy-map "), re.compile(r"(?:class|\d+ class) "), "classes"),
    (re.compile(r"traffic-policy "), re.compile(r"match "), "matches"),
)


def rearrange(tree: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return equivalent configs in the same form.

    An entry of a prefix list in one line becomes a line of the list's section. Lines that an interface has by default
    are left out. Consecutive entries of an access list with the same action are sorted, as their order has no effect.
    """
    lists: dict[str, list[Tree]] = {}
    out: list[str | Tree] = []
    for line, children in tree:
        entry = _LIST.match(line)
        head = entry[1] if entry else line if re.fullmatch(r"(?:ip|ipv6) prefix-list \S+", line) else None
        if head is None:
            out.append((line, _below(line, children)))
            continue
        if head not in lists:
            lists[head] = []
            out.append(head)
        lists[head] += [(entry[2], ())] if entry else children
    return tuple((item, tuple(lists[item])) if isinstance(item, str) else item for item in out)


def _below(line: str, children: tuple[Tree, ...]) -> tuple[Tree, ...]:
    if _ACL.match(line):
        return tuple(_sorted_runs(children))
    if line.startswith("interface "):
        return tuple(child for child in children if child[0] not in _DEFAULTS)
    return children


def _sorted_runs(entries: Sequence[Tree]) -> Iterator[Tree]:
    """Yield the entries of an access list; what is no entry keeps its place."""
    for action, run in groupby(entries, key=_action):
        found = list(run)
        yield from found if action is None else sorted(found, key=_body)


def _action(entry: Tree) -> str | None:
    found = _ENTRY.match(entry[0])
    return found[2] if found else None


def _body(entry: Tree) -> str:
    found = _ENTRY.match(entry[0])
    return found[1] if found else entry[0]


def ordered_block(parents: tuple[str, ...], line: str) -> str | None:
    """Return the ordered list that a line belongs to, or ``None`` if its position does not matter."""
    if parents:
        above = parents[-1]
        return next((name for head, entry, name in _ENTRIES if head.match(above) and entry.match(line)), None)
    return next((found[1] for pattern in _ORDERED if (found := pattern.match(line))), None)
