"""Prefix lists, AS path lists and community lists: their lines, in order, and their compilation for FRR."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.areas.policy.communities import frr_community
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_STEP = 5
_LAST = 4294967294
PREFIX, PREFIX6 = "ip prefix-list", "ipv6 prefix-list"
AS_PATH, COMMUNITY = "ip as-path access-list", "ip community-list"
_ACTION = "( permit | deny )"


def gather(section: Section, names: Iterable[str], within: Callable[[Entry], Hashable]) -> None:
    """Group the lines of the commands ``names`` by list, ordered by each list's first line."""
    wanted = set(names)
    slots = [at for at, entry in enumerate(section.entries) if entry.name in wanted]
    entries = [section.entries[at] for at in slots]
    lists = list(dict.fromkeys(entry.match.keys[0][1] for entry in entries))
    entries.sort(key=lambda entry: (lists.index(entry.match.keys[0][1]), within(entry)))
    for at, entry in zip(slots, entries, strict=True):
        section.entries[at] = entry


_OF_AS_PATHS = re.compile(r"[0-9_^|\[,{}() \]$*+.?\\-]{1,254}")
_NO_EXPRESSION = "% Invalid regular expression: an AS path has digits alone"
_MALFORMED = "% Malformed community-list value"


def _check_as_path(_edit: Edit, match: Match) -> str | None:
    """Refuse expressions with characters that FRR does not accept; they would match no path."""
    if not _OF_AS_PATHS.fullmatch(match["regex"]):
        return _NO_EXPRESSION
    return None if _is_expression(match["regex"]) else _NO_EXPRESSION


def _check_community(_edit: Edit, match: Match) -> str | None:
    """Refuse expressions that are not well formed."""
    return None if _is_expression(match["regex"]) else _MALFORMED


def _is_expression(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


# -- prefix lists ----------------------------------------------------------------------------------------------------


def _check_prefix(edit: Edit, match: Match) -> str | None:
    network = _network(match)
    least, most = match.get("ge"), match.get("le")
    low = network.prefixlen if least is None else least
    if (least is not None and least <= network.prefixlen) or (
        most is not None and (most < low or most <= network.prefixlen)
    ):
        return f"% Invalid prefix range for {_text(network)}, make sure: len < ge-value <= le-value"
    number = match.get("seq")
    for entry in edit.section.all(match.name):
        if (
            entry["list"] == match["list"]
            and entry.get("seq") == number is not None
            and _body(entry.match) != _body(match)
        ):
            return f"%Insertion failed - seq # exists with different policy: {number}"
    return None


def _network(match: Match) -> IPv4Network | IPv6Network:
    return ip_network(match["prefix"], strict=False)


def _text(network: IPv4Network | IPv6Network) -> str:
    return str(network).upper()


def _body(match: Match) -> str:
    words = [f"{'permit' if match.has('permit') else 'deny'} {_text(_network(match))}"]
    return " ".join([*words, *(f"{word} {match[word]}" for word in ("ge", "le") if word in match.args)])


def _prefix_line(edit: Edit, match: Match) -> str | None:
    """Store a prefix list line; without a number it gets the next one."""
    same = [entry for entry in edit.section.all(match.name) if entry["list"] == match["list"]]
    if match.negated or match.reset:
        whole = "prefix" not in match.args and "seq" not in match.args
        for entry in same:
            if whole or (_fits(entry, match)):
                edit.section.remove(entry)
        if whole or len(edit.section.all(match.name)) == 0:
            edit.section.remove(
                *(e for e in edit.section.all(f"{match.name} description") if e["list"] == match["list"])
            )
        return None
    if match.get("seq") is None and any(_body(entry.match) == _body(match) for entry in same):
        return None
    number = match.get("seq") or max((entry["seq"] for entry in same), default=0) // _STEP * _STEP + _STEP
    if number > _LAST:
        return f"%Insertion failed - seq # out of range: {number}"
    edit.put(f"{match.name} {match['list']} seq {number} {_body(match)}")
    gather(edit.section, (match.name, f"{match.name} description"), lambda entry: entry.get("seq", 0))
    return None


def _fits(entry: Entry, match: Match) -> bool:
    if "seq" in match.args and entry["seq"] != match["seq"]:
        return False
    return "prefix" not in match.args or _body(entry.match) == _body(match)


# -- AS paths and communities ----------------------------------------------------------------------------------------


def _line(edit: Edit, match: Match) -> str | None:
    edit.keep(match)
    gather(edit.section, (match.name,), lambda _: 0)
    return None


def _community_line(edit: Edit, match: Match) -> str | None:
    """Store or remove a line, but refuse one of the other kind than its list has."""
    same = [entry for entry in edit.section.all(COMMUNITY) if str(entry["list"]) == str(match["list"])]
    if not match.negated and not match.reset and any(_kind(entry.match) != _kind(match) for entry in same):
        return f"% Community name conflict, previously defined as {_kind(same[0].match)} community"
    return _line(edit, match)


def _kind(match: Match) -> str:
    return "standard" if "community" in match.args else "expanded"


COMMANDS = table(
    setting(
        (
            f"ip prefix-list {{list!:listname}} ^ [ seq {{seq!:1-4294967294}} ] {_ACTION} {{prefix!:prefix}} [ ge"
            " {ge:1-32} ] [ le {le:1-32} ]"
        ),
        "Build a prefix list",
        name=PREFIX,
        check=_check_prefix,
        edit=_prefix_line,
    ),
    setting("ip prefix-list {list!:listname} description {text:line}", name=f"{PREFIX} description"),
    setting(
        (
            f"ipv6 prefix-list {{list!:listname}} ^ [ seq {{seq!:1-4294967294}} ] {_ACTION} {{prefix!:ipv6prefix}} [ ge"
            " {ge:1-128} ] [ le {le:1-128} ]"
        ),
        "Build a prefix list",
        name=PREFIX6,
        check=_check_prefix,
        edit=_prefix_line,
    ),
    setting("ipv6 prefix-list {list!:listname} description {text:line}", name=f"{PREFIX6} description"),
    setting("ip prefix-list sequence-number", on=True),
    setting(
        f"ip as-path access-list {{list!:1-500}} ^ {_ACTION} {{regex!:line}}",
        "Specify an access list number",
        name=AS_PATH,
        check=_check_as_path,
        edit=_line,
    ),
    setting(
        f"ip community-list {{list!:1-99}} ^ {_ACTION} {{community!:commword}}+",
        "Add a community list entry",
        name=COMMUNITY,
        edit=_community_line,
    ),
    setting(
        f"ip community-list {{list!:100-500}} ^ {_ACTION} {{regex!:line}}",
        name=COMMUNITY,
        check=_check_community,
        edit=_community_line,
    ),
    setting(
        f"ip community-list standard {{list!:name}} ^ {_ACTION} {{community!:commword}}+",
        name=COMMUNITY,
        edit=_community_line,
    ),
    setting(
        f"ip community-list expanded {{list!:name}} ^ {_ACTION} {{regex!:line}}",
        name=COMMUNITY,
        check=_check_community,
        edit=_community_line,
    ),
    ("ip bgp-community new-format", "Select aa:nn format for BGP community"),
)


def compile_lists(context: Context) -> None:
    """Add all lists, for every daemon that may use them."""
    policy = context.state.frr.policy
    for name in (PREFIX, PREFIX6):
        for entry in context.config.all(name):
            start = f"{name} {entry['list']} seq {entry['seq']}"
            policy(f"{start} {_body(entry.match).lower()}", key=start)
        for entry in context.config.all(f"{name} description"):
            policy(f"{name} {entry['list']} description {entry['text']}", undo=f"no {name} {entry['list']} description")
    for entry in context.config.all(AS_PATH):
        policy(
            f"bgp as-path access-list {frrnames.as_path(entry['list'])} {action(entry)} {entry['regex']}",
            only=("bgpd",),
        )
    for entry in context.config.all(COMMUNITY):
        kind = _kind(entry.match)
        words = [frr_community(one) for one in entry.many("community")] or [entry["regex"]]
        name = frrnames.community_list(str(entry["list"]))
        policy(f"bgp community-list {kind} {name} {action(entry)} {' '.join(words)}", only=("bgpd",))


def action(entry: Entry) -> str:
    """Return ``permit`` or ``deny``."""
    return "permit" if entry.has("permit") else "deny"
