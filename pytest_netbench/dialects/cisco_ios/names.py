"""Properties of IOS lines for scoring: canonical form, user-defined names, ordered lists. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

Tree: TypeAlias = tuple[str, tuple["Tree", ...]]
"""A line and the lines below it."""

_HEAD = re.compile(r"^line vty (\d{1,4})(?: (\d{1,4}))?$")
_FIRST_OTHER = 5
"""The first line that a device does not have by default: no section crosses it."""


def sections(tree: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return a config in which each section of virtual terminal lines is as long as possible.

    ``line vty 0 15`` becomes ``line vty 0 4`` and ``line vty 5 15``; neighboring sections with the same lines become
    one. Later sections of a line add to earlier ones, as they do when they are typed.
    """
    below: dict[int, tuple[Tree, ...]] = {}
    others: list[Tree] = []
    place = None
    for line, children in tree:
        found = _HEAD.match(line)
        if found is None:
            others.append((line, children))
            continue
        place = len(others) if place is None else place
        for number in range(int(found[1]), int(found[2] or found[1]) + 1):
            below[number] = tuple(dict.fromkeys((*below.get(number, ()), *children)))
    if place is None:
        return tuple(others)
    return (*others[:place], *_shown(below), *others[place:])


def _shown(below: dict[int, tuple[Tree, ...]]) -> list[Tree]:
    numbered = enumerate(sorted(below))
    runs = groupby(numbered, key=lambda at: (at[1] - at[0], at[1] < _FIRST_OTHER, frozenset(below[at[1]])))
    numbers = [[number for _, number in run] for _, run in runs]
    return [(f"line vty {run[0]}" + (f" {run[-1]}" if len(run) > 1 else ""), below[run[0]]) for run in numbers]


_SILENT = {
    "!",
    "end",
    "exit",
    "exit-address-family",
    "exit-vrf",
    "boot-start-marker",
    "boot-end-marker",
    "ip cef",
    "no ip cef",
    "no ipv6 cef",
}
_PREAMBLE = (
    "Building configuration",
    "Current configuration",
    "Using ",
    "version ",
    "Last configuration change",
    "NVRAM config",
)
_ACE = re.compile(r"^(?:sequence )?\d+ (?=permit |deny |remark |evaluate )|^(permit|deny) ?(.*) sequence \d+$")
_NUMBERED = re.compile(r"^access-list (\d+) (permit|deny|remark)\b ?(.*)$")
_ACL = re.compile(r"^(?:ip access-list (?:standard|extended)|ipv6 access-list|access-list) (\S+)")
_OWN_NAME = r"(?!\d+\.\d+\.\d+\.\d+)[A-Za-z0-9_][^\s]*"

FREE_NAMES: tuple[tuple[str, str], ...] = (
    ("access-list", r"^(?:no )?(?:ip access-list (?:standard|extended)|ipv6 access-list) (\S+)"),
    ("access-list", r"^(?:no )?access-list (\d+)"),
    (
        "access-list",
        (
            r"\b(?:ip access-group|ipv6 traffic-filter|access-class|ipv6 access-class|match access-group name|match"
            r" access-group) (?!name )(\S+)"
        ),
    ),
    ("access-list", r"\bmatch ip (?:address|next-hop|route-source) (?!prefix-list)(\S+)"),
    ("access-list", r"\b(?:ip nat (?:inside|outside) (?:source|destination) list|rate-limit input access-group) (\S+)"),
    ("access-list", r"\bdistribute-list (?!prefix|route-map|gateway)(\S+)"),
    ("access-list", r"^neighbor \S+ distribute-list (\S+)"),
    ("access-list", r"^snmp-server community \S+ (?:RO|RW) (\S+)$"),
    ("prefix-list", r"^(?:no )?ip(?:v6)? prefix-list (\S+)"),
    ("prefix-list", r"\bprefix-list (\S+)(?: (?:in|out))?$"),
    ("prefix-list", r"\bdistribute-list prefix (\S+)"),
    ("prefix-list sequence", r"^(?:no )?ip(?:v6)? prefix-list \S+ seq (\d+)"),
    ("route-map", r"^(?:no )?route-map (\S+)"),
    ("route-map", r"(?<!^)\broute-map (\S+)"),
    ("route-map", r"\bip (?:local )?policy route-map (\S+)"),
    ("route-map sequence", r"^(?:no )?route-map \S+ (?:permit|deny) (\d+)$"),
    ("as-path list", r"\bas-path access-list (\d+)"),
    ("as-path list", r"\b(?:match as-path|filter-list) (\d+)"),
    ("community-list", r"\bcommunity-list (?:standard |expanded )?(\S+)"),
    ("community-list", r"\bmatch community (\S+)"),
    ("class-map", r"^(?:no )?class-map (?:type \S+ )?(?:match-any |match-all )?(\S+)$"),
    ("class-map", r"^(?:no )?(?:class(?: type \S+)?|match(?: not)? class-map) (?!class-default\b|type\b)(\S+)$"),
    ("policy-map", r"^(?:no )?policy-map (?:type \S+ )?(\S+)$"),
    ("policy-map", r"^(?:no )?service-policy (?:type \S+ )?(?:input |output )?(\S+)$"),
    ("object-group", r"\bobject-group (?:network |service )?(\S+)"),
    ("object-group", r"\bgroup-object (\S+)"),
    ("time-range", r"\btime-range (\S+)"),
    ("zone", r"^(?:no )?zone security (\S+)$"),
    ("zone", r"^zone-member security (\S+)$"),
    ("zone", r"^(?:no )?zone-pair security \S+ source (?!self\b)(\S+)"),
    ("zone", r"^(?:no )?zone-pair security \S+ .*destination (?!self\b)(\S+)"),
    ("zone-pair", r"^(?:no )?zone-pair security (\S+)"),
    ("nat pool", r"\bip nat pool (\S+)"),
    ("nat pool", r"\bip nat inside source list \S+ pool (\S+)"),
    ("dhcp pool", r"^(?:no )?ip dhcp pool (\S+)"),
    ("vrf", r"^(?:no )?(?:ip vrf|vrf definition) (\S+)$"),
    ("vrf", r"\bvrf(?: forwarding)? (?!definition|forwarding)(\S+)"),
    ("track", r"^(?:no )?track (\d+)"),
    ("track", r"\btrack (\d+)"),
    ("ip sla", r"^(?:no )?ip sla(?: schedule)? (\d+)"),
    ("ip sla", r"\btrack \d+ ip sla (\d+)"),
    ("ospf process", r"\brouter ospf(?:v3)? (\d+)"),
    ("ospf process", r"\b(?:ip ospf|ipv6 ospf|redistribute ospf|ospfv3) (\d+)(?= |$)"),
    ("key chain", r"\bkey[- ]chain (\S+)"),
    ("peer-group", rf"^(?:no )?neighbor ({_OWN_NAME}) (?!.*:)"),
    ("peer-group", r"^(?:no )?neighbor \S+ peer-group (\S+)$"),
    ("vlan name", r"^name (.+)$"),
    ("route name", r"^ip route .* name (\S+)"),
    ("description", r"^(?:neighbor \S+ )?description (.+)$"),
)

_ORDERED = (
    re.compile(r"^(ip(?:v6)? prefix-list \S+) "),
    re.compile(r"^(route-map \S+) (?:permit|deny) \d+$"),
    re.compile(r"^(ip as-path access-list \S+) "),
    re.compile(r"^(ip community-list (?:standard |expanded )?\S+) "),
)


_OSPFV3 = re.compile(r"^router ospfv3 (\d+)$")
_OSPFV3_LINE = re.compile(r"^ospfv3 (?:(\d+) )?(?:ipv6 )?(area )?")
_NORMAL_AREA = re.compile(r"^area \S+ normal$")

_LEARNED = re.compile(r"switchport port-security mac-address sticky \S")


def normalise(line: str) -> str | None:
    """Return a line in canonical form, or ``None`` for a line without an effect on the network."""
    text = " ".join(line.split())
    if not text or text[0] == "!" or text in _SILENT or text.startswith(_PREAMBLE) or _LEARNED.match(text):
        return None
    found = _ACE.match(text)
    if found is not None:
        text = f"{found[1]} {found[2]}".strip() if found[1] else text[found.end() :]
    return None if text.startswith("remark ") or text == "remark" else text


def rearrange(tree: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return equivalent configs in the same form.

    A numbered access list becomes a section like a named one. Consecutive lines of an access list with the same
    action (all permit, or all deny) are sorted, as their order has no effect. ``router ospfv3`` becomes ``ipv6
    router ospf``, and the lines of its interfaces are converted in the same way. Virtual terminal lines are in the
    sections in which IOS shows them.
    """
    gathered: dict[str, list[Tree]] = {}
    out: list[str | Tree] = []
    for line, children in sections(tree):
        numbered = _NUMBERED.match(line)
        if numbered is None:
            out.append((line, _sorted_runs(children)) if _ACL.match(line) else _classic_ospf(line, rearrange(children)))
            continue
        head = f"ip access-list {_kind(int(numbered[1]))} {numbered[1]}"
        if head not in gathered:
            gathered[head] = []
            out.append(head)
        if numbered[2] != "remark":
            gathered[head].append((f"{numbered[2]} {numbered[3]}".strip(), ()))
    return tuple((item, _sorted_runs(gathered[item])) if isinstance(item, str) else item for item in out)


def _classic_ospf(line: str, children: tuple[Tree, ...]) -> Tree:
    """Return a process or an interface with its OSPF for IPv6 lines in the classic form, without address families."""
    process = _OSPFV3.match(line)
    if process is not None:
        own = [child for child in children if not child[0].startswith("address-family ")]
        families = [inner for child in children if child[0].startswith("address-family ") for inner in child[1]]
        said = dict.fromkeys(child for child in (*own, *families) if not _NORMAL_AREA.match(child[0]))
        return f"ipv6 router ospf {process[1]}", tuple(said)
    if not line.startswith("interface "):
        return line, children
    return line, tuple(dict.fromkeys((_OSPFV3_LINE.sub(_classic_words, text), below) for text, below in children))


def _classic_words(found: re.Match[str]) -> str:
    number = f"{found[1]} " if found[1] and found[2] else ""
    return f"ipv6 ospf {number}{found[2] or ''}"


def _kind(number: int) -> str:
    return "standard" if number < 100 or 1300 <= number < 2000 else "extended"


def _sorted_runs(lines: Sequence[Tree]) -> tuple[Tree, ...]:
    return tuple(_runs(lines))


def _runs(lines: Sequence[Tree]) -> Iterator[Tree]:
    for _, run in groupby(lines, key=lambda line: line[0].split()[0]):
        yield from sorted(run)


def ordered_block(parents: tuple[str, ...], line: str) -> str | None:
    """Return the ordered list that a line belongs to, or ``None`` if its position does not matter."""
    if parents:
        if _ACL.match(parents[-1]):
            return "access list"
        return "classes" if parents[-1].startswith("policy-map ") and line.startswith("class ") else None
    for pattern in _ORDERED:
        if (match := pattern.match(line)) is not None:
            return match[1]
    return None
