"""EOS config lines for comparison: canonical form, and the names that a person may choose freely. Pure."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, ip_network
from typing import Final

from pytest_netbench.dialects.arista_eos import interfaces

_SILENT: Final = {"end", "exit", "no aaa root", "no enable password"}
# notes for people, and what is as without the line
_WITHOUT_EFFECT: Final = re.compile(r"(?:comment|(?:\d+ )?remark|default)(?: |$)")
_IP: Final = r"\d+\.\d+\.\d+\.\d+"
_MASKED: Final = re.compile(rf"((?:ip address|ip route(?: vrf \S+)?|aggregate-address|network) )({_IP}) ({_IP})(?= |$)")
_ENTRY: Final = re.compile(r"(?:\d+ )?(?:permit|deny) ")
_WILDCARD: Final = re.compile(rf"(?<=[a-z0-9] )({_IP}) ({_IP})(?= |$)")
_AREA: Final = re.compile(r"^((?:.* )?area )(\d+)(?= |$)")
_INTERFACE: Final = re.compile(r"interface (\S.*)")
# what later versions show for the same thing
_NEWER: Final = (
    (re.compile(r"^(neighbor \S+) peer-group(?= |$)"), r"\1 peer group"),
    (re.compile(r"^vrf definition "), "vrf instance "),
    (re.compile(r"^vrf forwarding "), "vrf "),
    (re.compile(r" min_rx "), " min-rx "),
)

FREE_NAMES: Final[tuple[tuple[str, str], ...]] = (
    ("access-list sequence", r"^(?:no )?(\d+) (?:permit|deny|remark)\b"),
    ("list sequence", r"^(?:no )?seq (\d+)\b"),
    ("list sequence", r"\b(?:prefix|community|access)-list (?:regexp |standard |expanded )?\S+ seq (\d+)"),
    ("prefix-list", r"\bprefix-list (?!seq\b)(\S+)"),
    ("as-path list", r"\bas-path access-list (\S+)"),
    ("as-path list", r"^(?:no )?match as-path (?!length\b)(\S+)$"),
    ("access-list", r"(?<!as-path )\baccess-list (?:standard )?(\S+)"),
    ("access-list", r"\b(?:access-group|access-class) (?!name\b)(\S+)"),
    ("access-list", r"^(?:no )?match ip(?:v6)? (?:address|next-hop) (?!prefix-list\b|dynamic\b|access-list\b)(\S+)"),
    ("route-map", r"^(?:no )?route-map (\S+)"),
    ("route-map", r"\s(?:route-map|in-route-map|out-route-map|attribute-map) (\S+)"),
    ("route-map", r"^(?:no )?sub-route-map (\S+)"),
    ("route-map sequence", r"^(?:no )?route-map \S+ (?:permit|deny) (\d+)"),
    ("community-list", r"\bcommunity-list (?:regexp |standard |expanded )?(\S+)"),
    ("community-list", r"^(?:no )?match (?:ext|large-)?community (?!instances\b)(\S+)"),
    ("peer-filter", r"\bpeer-filter (\S+)"),
    ("peer group", r"\bpeer[- ]group (\S+)"),
    ("peer group", rf"^(?:no )?neighbor (?!default\b|interface\b)(?!{_IP})([A-Za-z][^\s:]*) "),
    ("class-map", r"^(?:no )?class-map (?:type \S+ (?:\S+ )?)?match-any (\S+)$"),
    ("class-map", r"^(?:no )?class (?!class-default\b|built-in\b)(\S+)$"),
    ("policy-map", r"^(?:no )?policy-map (?:type (?:pbr|pdp|quality-of-service|qos|copp) )?(?!type\b)(\S+)$"),
    ("policy-map", r"^(?:no )?service-policy type \S+ (?:input|output) (\S+)$"),
    ("traffic-policy", r"^(?:no )?traffic-policy (?:input |output )?(?!input\b|output\b)(\S+)"),
    ("vrf", r"^(?:no )?vrf(?: instance)? (?!instance\b)(\S+)$"),
    ("vrf", r"(?<=\s)vrf (?!instance\b|default\b)(\S+)"),
    ("vlan name", r"^(?:no )?name (.+)$"),
    ("trunk group", r"\btrunk group (\S+)"),
    ("key chain", r"\bkey[- ]chain (\S+)"),
    ("track", r"^(?:no )?track (\S+)"),
    ("nat pool", r"\bip nat pool (\S+)"),
    ("nat pool", r"\bip nat \S+ dynamic .*\bpool (\S+)"),
    ("isis process", r"\b(?:router isis|isis enable) (\S+)"),
    ("ospf process", r"\brouter ospf (\d+)"),
    ("description", r"^(?:no )?(?:neighbor \S+ )?description (.+)$"),
)


def normalise(line: str) -> str | None:
    """Return a line in canonical form, or ``None`` for a line without an effect: comments, ``end``."""
    text = " ".join(line.split())
    if not text or text[0] == "!" or text in _SILENT or _WITHOUT_EFFECT.match(text):
        return None
    for pattern, newer in _NEWER:
        text = pattern.sub(newer, text)
    text = _MASKED.sub(_prefix, text)
    if _ENTRY.match(text):
        text = _WILDCARD.sub(_wildcard, text)
    text = _AREA.sub(lambda found: f"{found[1]}{IPv4Address(int(found[2]))}", text)
    return _INTERFACE.sub(_full_name, text) if text.startswith("interface ") else text


def _prefix(found: re.Match[str]) -> str:
    """Return an address with a mask as one with a length; as it is if the second word is no mask."""
    length = _length(found[3], is_wildcard=False)
    return found[0] if length is None else f"{found[1]}{found[2]}/{length}"


def _wildcard(found: re.Match[str]) -> str:
    length = _length(found[2], is_wildcard=True)
    if length is None:
        return found[0]
    return f"host {found[1]}" if length == 32 else str(ip_network(f"{found[1]}/{length}", strict=False))


def _length(word: str, *, is_wildcard: bool) -> int | None:
    """Return the length of a contiguous mask or wildcard."""
    try:
        bits = int(IPv4Address(word))
    except ValueError:
        return None
    ones = bits if not is_wildcard else bits ^ 0xFFFFFFFF
    inverted = ones ^ 0xFFFFFFFF
    return None if inverted & (inverted + 1) else ones.bit_count()


def _full_name(found: re.Match[str]) -> str:
    try:
        return f"interface {interfaces.canonical(found[1])}"
    except ValueError:
        return found[0]
