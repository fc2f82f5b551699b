"""FRR config lines for comparison: canonical form, names a person may choose freely, ordered lists."""

from __future__ import annotations

import re

_SILENT = {"!", "end", "exit", "exit-address-family", "exit-vrf", "exit-vni", "exit-ldp-if"}
_PREAMBLE = ("Building configuration", "Current configuration", "frr version", "frr defaults", "! loaded from")

FREE_NAMES: tuple[tuple[str, str], ...] = (
    ("route-map", r"^(?:no )?route-map (\S+) (?:permit|deny) \d+$"),
    ("route-map", r"\broute-map (\S+)(?: (?:in|out|import|export))?$"),
    ("route-map sequence", r"^(?:no )?route-map \S+ (?:permit|deny) (\d+)$"),
    ("prefix-list", r"\bprefix-list (\S+)"),
    ("prefix-list sequence", r"\bprefix-list \S+ seq (\d+)"),
    ("access-list", r"(?<!as-path )\baccess-list (\S+)(?: seq| permit| deny| remark)"),
    (
        "access-list",
        r"\b(?:distribute-list|access-class|filter-list|match ip address|match ipv6 address) (?!prefix-list)(\S+)",
    ),
    ("access-list sequence", r"(?<!as-path )\baccess-list \S+ seq (\d+)"),
    ("as-path list", r"\bas-path access-list (\S+)"),
    ("as-path list", r"\bmatch as-path (\S+)"),
    ("community-list", r"\bcommunity-list (?:standard |expanded )?(\S+)"),
    ("community-list", r"\bmatch (?:large-|ext)?community (\S+)"),
    ("list sequence", r"\b(?:as-path access|community)-list (?:standard |expanded )?\S+ seq (\d+)"),
    ("peer-group", r"^neighbor ((?![\d.]+\b)[A-Za-z][^\s:]*) "),
    ("peer-group", r"^neighbor \S+ peer-group (\S+)$"),
    ("pbr-map", r"^pbr-(?:map|policy) (\S+)"),
    ("nexthop-group", r"\bnexthop-group (\S+)"),
    ("key-chain", r"\bkey[- ]chain (\S+)"),
    ("description", r"^(?:neighbor \S+ )?description (.+)$"),
)

_ORDERED = (
    re.compile(r"^((?:ip |ipv6 )?prefix-list \S+) (?:seq|permit|deny)"),
    re.compile(r"^((?:ip |ipv6 |mac )?access-list \S+) (?:seq|permit|deny)"),
    re.compile(r"^(bgp as-path access-list \S+) (?:seq|permit|deny)"),
    re.compile(r"^(bgp (?:large-|ext)?community-list (?:standard |expanded )?\S+) (?:seq|permit|deny)"),
    re.compile(r"^(route-map \S+) (?:permit|deny) \d+$"),
)


def normalise(line: str) -> str | None:
    """``line`` with single spaces and no indentation; ``None`` if it says nothing about the network."""
    words = " ".join(line.split())
    if not words or words[0] in "!#" or words in _SILENT or words.startswith(_PREAMBLE):
        return None
    return words


def ordered_block(parents: tuple[str, ...], line: str) -> str | None:
    """The ordered list a line belongs to (``ip prefix-list X``), or ``None`` if its place does not matter."""
    if parents:
        return None
    for pattern in _ORDERED:
        if (match := pattern.match(line)) is not None:
            return match[1]
    return None
