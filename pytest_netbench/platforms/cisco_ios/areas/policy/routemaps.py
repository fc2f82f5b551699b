"""Route maps: their entries and the lines of an entry."""

from __future__ import annotations

from ipaddress import ip_address

from pytest_netbench.platforms.cisco_ios.areas.policy.lists import gather
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.pattern import Argument
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

MODE = "route-map"


def _open(edit: Edit, match: Match) -> str | None:
    """Open an entry. Without action and number it is the first entry, with permit, or the only existing one."""
    same = [entry for entry in edit.config.all("route-map") if entry["map"] == match["map"]]
    number, denies = match.get("seq"), match.has("deny")
    if match.negated or match.reset:
        for entry in same:
            if number is None or entry["seq"] == number:
                edit.config.remove(entry)
        return None
    if number is None:
        if len(same) > 1:
            return "% Please specify the entry by its sequence"
        number = same[0]["seq"] if same else 10
    action = "deny" if denies else "permit"
    known = next((entry for entry in same if entry["seq"] == number), None)
    found = edit.read(f"route-map {match['map']} {action} {number}", like=match)
    if known is None:
        known = edit.put(found.text)
        gather(edit.config, ("route-map",), lambda entry: entry["seq"])
    else:
        known.match = found
    edit.opened.append(known)
    return None


def _values(match: Match) -> tuple[str, list[str]]:
    """Return the name of the repeatable argument, and the typed values."""
    for element, _, _ in match.parts:
        if isinstance(element, Argument):
            return element.name, [
                text for part, _, text in match.parts if isinstance(part, Argument) and part.name == element.name
            ]
    return "", []


def _several(edit: Edit, match: Match) -> str | None:
    """Store values in one line; ``no`` with values removes these values."""
    known = next((e for e in edit.section if e.match.known is match.known), None)
    name, typed = _values(match)
    if known is None and not match.negated and not match.reset and len({*typed}) < len(typed):
        edit.put(_text(match, name, list(dict.fromkeys(typed))))
        return None
    if known is None or (not match.negated and not match.reset and not typed):
        return edit.keep(match)
    _, before = _values(known.match)
    if match.negated or match.reset:
        left = [value for value in before if typed and value not in typed]
    else:
        left = list(dict.fromkeys((*before, *typed)))
    edit.section.remove(known)
    if left:
        source = known.match if match.negated else match
        edit.put(_text(source, name, left))
    return None


def _text(match: Match, name: str, values: list[str]) -> str:
    words: list[str] = []
    for element, _, text in match.parts:
        if not (isinstance(element, Argument) and element.name == name):
            words.append(text)
        elif values[0] not in words:
            words += values
    return " ".join(words)


_MATCH = (
    "match ip address {list:name}+",
    "match ip address prefix-list {list:name}+",
    "match ip next-hop {list:name}+",
    "match ip next-hop prefix-list {list:name}+",
    "match ip route-source {list:name}+",
    "match ipv6 address prefix-list {list:name}+",
    "match as-path {list:1-500}+",
    "match community {list:name}+ [ exact-match ]",
    "match interface {interface:interface}+",
    "match tag {tag:0-4294967295}+",
)
_SINGLE = (
    "match metric {metric:0-4294967295}",
    "match local-preference {preference:0-4294967295}",
    "match length {least:0-2147483647} {most:0-2147483647}",
    "match source-protocol {protocol:protocol}",
    "set local-preference {preference:0-4294967295}",
    "set weight {weight:0-65535}",
    "set metric {metric:signed}",
    "set metric-type ( type-1 | type-2 )",
    "set origin ( igp | incomplete )",
    "set as-path prepend {as:asn}+",
    "set as-path prepend last-as {count:1-10}",
    "set community {community:commword}+ [ additive ]",
    "set community none",
    "set comm-list {list:name} delete",
    "set tag {tag:0-4294967295}",
    "set ip next-hop {hop:ipv4}+",
    "set ip next-hop peer-address",
    "set ip default next-hop {hop:ipv4}+",
    "set interface {out:interface}+",
    "set default interface {out:interface}+",
    "set ip precedence {precedence:ipprecedence}",
    "set ip dscp {dscp:ipdscp}",
    "set ipv6 next-hop {hop6:ipv6}",
    "description {text:line}",
    "continue [ {target:1-65535} ]",
)


def _check_hops(_edit: Edit, match: Match) -> str | None:
    for hop in [*match.many("hop"), *match.many("hop6")]:
        address = ip_address(hop)
        if address.is_multicast or address.is_unspecified or address.is_loopback or int(address) == 2**32 - 1:
            return f"% Invalid next hop {hop}"
    return None


_NAMES = {
    "match ip address prefix-list {list:name}+": "match ip address prefix-list",
    "match ip next-hop prefix-list {list:name}+": "match ip next-hop prefix-list",
}
COMMANDS = table(
    setting(
        "route-map {map!:name} ^ [ ( permit | deny ) ] [ {seq!:0-65535} ]",
        "Create route-map or enter route-map command mode",
        opens=MODE,
        edit=_open,
    ),
    *(setting(text, edit=_several, mode=MODE) for text in _MATCH),
    *(setting(text, check=_check_hops if "next-hop" in text else None, mode=MODE) for text in _SINGLE),
    setting("set ip next-hop recursive {hop:ipv4}", check=_check_hops, mode=MODE),
    setting("set ip next-hop verify-availability", mode=MODE),
    setting(
        "set ip next-hop verify-availability {hop!:ipv4} {order!:1-65535} track {track:1-1000}",
        name="set ip next-hop tracked",
        mode=MODE,
    ),
)
MODES = (Mode(name=MODE, prompt="config-route-map", help="route map"),)
