"""Junos lines for comparison: canonical form, names a person may choose freely, ordered lists. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.dialects.juniper_junos.statements import TAGS
from pytest_netbench.dialects.juniper_junos.words import joined, words
from pytest_netbench.dialects.syntax import Tree

_COMMENT: Final = ("#", "/*")
_AREA: Final = re.compile(r"\barea (\d+)$")
_BELOW_A_NAME: Final = {
    "routing-instances": "instance",
    "vlans": "vlan",
    "bridge-domains": "vlan",
    "groups": "apply-group",
}
"""By the line above them, what is put before lines that are nothing but a name."""
_LISTS_OF_PREFIXES: Final = frozenset({"prefix-list", "source-prefix-list", "destination-prefix-list"})
_WORD: Final = r"[A-Za-z][^\s:/]*"
"""A name that is neither an address nor a number nor the value of a community."""

_NAMES: Final = (
    ("policy", r"policy-statement (\S+)$"),
    ("policy", r"(?:vrf-|instance-)?(?:import|export) (\S+)$"),
    ("policy", rf"(?:policy|import-policy|export-policy|ike-policy|ipsec-policy) ({_WORD})$"),
    ("term", r"term (\S+)$"),
    ("prefix-list", r"(?:source-|destination-)?prefix-list(?:-filter)? (\S+)"),
    ("route-filter-list", r"route-filter-list (\S+)"),
    ("community", rf"community (?:add |delete |set |[+=-] )?(?!no-)({_WORD})$"),
    ("as-path", rf"as-path ({_WORD})"),
    ("as-path-group", r"as-path-group (\S+)"),
    ("condition", r"condition (\S+)$"),
    ("filter", rf"filter ({_WORD})$"),
    ("filter", rf"(?:input|output|input-list|output-list) ({_WORD})$"),
    ("policer", r"policer (\S+)$"),
    ("counter", r"count (\S+)$"),
    ("group", r"group (\S+)$"),
    ("instance", r"(?:routing-)?instance (\S+)$"),
    ("vlan", rf"vlan ({_WORD})$"),
    ("vlan", rf"members (?!all$|no-export|no-advertise|internet$)({_WORD})$"),
    ("zone", r"(?:security-)?zone (?!any$|junos-host$)(\S+)$"),
    ("zone", r"from-zone (?!any |junos-host )(\S+) to-zone "),
    ("zone", r"from-zone \S+ to-zone (?!any$|junos-host$)(\S+)$"),
    ("address", rf"(?:address|address-set) ({_WORD})$"),
    ("address", rf"(?:source|destination)-address (?!any)({_WORD})$"),
    ("application", rf"(?:application|application-set) (?!any$|junos-)({_WORD})$"),
    ("nat pool", rf"pool ({_WORD})$"),
    ("rule-set", r"rule-set (\S+)$"),
    ("rule", r"rule (\S+)$"),
    ("proposal", rf"proposals? ({_WORD})$"),
    ("gateway", rf"gateway ({_WORD})$"),
    ("vpn", r"(?:ipsec-)?vpn (\S+)$"),
    ("label-switched path", r"label-switched-path (\S+)$"),
    ("key chain", r"(?:authentication-)?key-chain (\S+)$"),
    ("interface range", r"interface-range (\S+)$"),
    ("group of statements", r"apply-groups? (\S+)$"),
    ("description", r"description (.+)$"),
)
FREE_NAMES: Final[tuple[tuple[str, str], ...]] = tuple((kind, f"^{pattern}") for kind, pattern in _NAMES)

_CHAINS: Final = frozenset(
    {"apply-groups", "authentication-order", "export", "import", "input-list", "name-server", "output-list"}
    | {"proposals", "vrf-export", "vrf-import"}
)
"""Statements of which several stand in an order that counts."""
_SERVERS: Final = frozenset({"name-server", "radius-server", "tacplus-server"})


def normalise(line: str) -> str | None:
    """Return a line with single spaces, and quotes only where they are needed; ``None`` for a comment.

    A number of an area becomes an address: ``area 0`` is ``area 0.0.0.0``.
    """
    if not line.strip() or line.lstrip().startswith(_COMMENT):
        return None
    return _AREA.sub(_dotted, joined(words(line)))


def _dotted(found: re.Match[str]) -> str:
    number = int(found[1])
    return f"area {IPv4Address(number)}" if number < 2**32 else found[0]


def rearrange(tree: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return lines that say of what kind a name is: ``instance RED`` below ``routing-instances``.

    A community of SNMP, which is a password and no name, is ``snmp-community``. The prefix lists of a firewall term are
    lines of their own, as the communities of a policy term are.
    """
    return _marked(tree, "")


def _marked(tree: Sequence[Tree], above: str) -> tuple[Tree, ...]:
    out: list[Tree] = []
    for line, children in tree:
        if line in _LISTS_OF_PREFIXES and children and not any(child in TAGS for child, _ in children):
            out += [(f"{line} {child}", below) for child, below in children]
            continue
        kind = _BELOW_A_NAME.get(above)
        shown = line
        if kind is not None and " " not in line and line not in TAGS:
            shown = f"{kind} {line}"
        elif above == "snmp" and line.startswith("community "):
            shown = f"snmp-{line}"
        out.append((shown, _marked(children, line)))
    return tuple(out)


def ordered_block(parents: tuple[str, ...], line: str) -> str | None:
    """Return the ordered list that a line belongs to, or ``None`` if its position does not matter."""
    above = parents[-1] if parents else ""
    word, _, rest = line.partition(" ")
    if word == "term" or (word in _CHAINS and rest):
        return word
    if word == "policy" and (above.startswith("from-zone ") or above == "global"):
        return word
    if word == "rule" and above.startswith("rule-set "):
        return word
    if word == "community" and above == "then":
        return word
    if line in TAGS:
        return None
    return "servers" if above in _SERVERS else "hops" if above.startswith("path ") else None
