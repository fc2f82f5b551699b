"""Commands that configure translation."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas.acl import types as acl
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

TIMEOUTS = {
    "timeout": 86400,
    "tcp-timeout": 86400,
    "udp-timeout": 300,
    "finrst-timeout": 60,
    "icmp-timeout": 60,
    "dns-timeout": 60,
    "syn-timeout": 60,
}
"""Default lifetimes of translations in IOS, in seconds."""
_TO_INTERFACE = "< extendable | no-alias | no-payload >"
_OPTIONS = "< route-map {map:word} | extendable | no-alias | no-payload >"
_SOURCE = "ip nat inside source"


def _check_pool(_edit: Edit, match: Match) -> str | None:
    first, last = IPv4Address(match["first"]), IPv4Address(match["last"])
    if last < first:
        return "%End address less than start address"
    length = match.get("length") or IPv4Network(f"0.0.0.0/{match['mask']}").prefixlen
    if last not in IPv4Network(f"{first}/{length}", strict=False):
        return "%Start and end addresses on different subnets"
    return None


def _pool(edit: Edit, match: Match) -> str | None:
    if (match.negated or match.reset) and any(
        entry.get("pool") == match["pool"] for entry in edit.config.all("nat dynamic", "nat destination")
    ):
        return f"%Pool {match['pool']} in use, cannot destroy"
    return edit.keep(match)


def _check_static(edit: Edit, match: Match) -> str | None:
    """Refuse a second static translation with the same global address and port."""
    for entry in edit.config.all(match.name):
        same_global = all(entry.get(key) == match.get(key) for key in ("global", "gport"))
        if same_global and entry.match.keys != match.keys and "global" in match.args:
            return f"% similar static entry ({entry['local']} -> {entry['global']}) already exists"
    return None


def _check_network(_edit: Edit, match: Match) -> str | None:
    mask = network_length(match.get("mask") or match["slash"])
    try:
        IPv4Network(f"{match['local']}/{mask}")
        IPv4Network(f"{match['global']}/{mask}")
    except ValueError:
        return "%Invalid network or mask"
    return None


TYPES = {"list": acl.TYPES["list"], "slash": matching("/nn", r"/([1-9]|[12]\d|3[0-2])")}


def network_length(entry_mask: str | int) -> int:
    """Return the prefix length of ``255.255.255.0``, ``/24`` or 24."""
    return IPv4Network(f"0.0.0.0/{str(entry_mask).removeprefix('/')}").prefixlen


def _canonical_overload(edit: Edit, match: Match) -> str | None:
    """Store ``overload`` for translation to an interface: an interface has only one address."""
    if match.negated or match.reset or match.has("overload") or "out" not in match.args:
        return edit.keep(match)
    edit.put(f"{match.text} overload", edit.config)
    return None


COMMANDS = table(
    setting("ip nat inside", "Inside interface for address translation", mode="if"),
    setting("ip nat outside", "Outside interface for address translation", mode="if"),
    setting(
        (
            "ip nat pool {pool!:name} ^ {first:ipv4} {last:ipv4} ( netmask {mask:mask} | prefix-length {length:1-32} ) "
            "[ type ( rotary | match-host ) ]"
        ),
        "Define pool of addresses",
        check=_check_pool,
        edit=_pool,
    ),
    setting(
        f"{_SOURCE} list {{list!:list}} ( pool {{pool:name}} | interface {{out:interface}} ) [ overload ]",
        name="nat dynamic",
        edit=_canonical_overload,
    ),
    setting(
        f"{_SOURCE} route-map {{map!:word}} ( pool {{pool:name}} | interface {{out:interface}} ) [ overload ]",
        name="nat dynamic",
        edit=_canonical_overload,
    ),
    setting(
        (
            f"{_SOURCE} static {{local!:ipv4}} "
            f"( {{global!:ipv4}} {_OPTIONS} | interface {{out!:interface}} {_TO_INTERFACE} )"
        ),
        "Specify static local->global mapping",
        name="nat static",
        check=_check_static,
    ),
    *(
        setting(
            (
                f"{_SOURCE} static {protocol} {{local!:ipv4}} {{lport!:1-65535}} "
                f"( {{global!:ipv4}} {{gport!:1-65535}} {_OPTIONS} "
                f"| interface {{out!:interface}} {{gport!:1-65535}} {_TO_INTERFACE} )"
            ),
            "Specify static local->global mapping",
            name=f"nat {protocol}",
            check=_check_static,
        )
        for protocol in ("tcp", "udp")
    ),
    setting(
        f"{_SOURCE} static network {{local!:ipv4}} {{global!:ipv4}} ( {{mask:mask}} | {{slash:slash}} ) {_OPTIONS}",
        name="nat network",
        check=_check_network,
    ),
    setting(
        "ip nat outside source static {global!:ipv4} {local!:ipv4} < add-route | extendable | no-alias >",
        name="nat outside static",
    ),
    setting(
        (
            "ip nat outside source static network {global!:ipv4} {local!:ipv4} ( {mask:mask} | {slash:slash} ) "
            "< add-route | extendable | no-alias >"
        ),
        name="nat outside network",
        check=_check_network,
    ),
    setting("ip nat inside destination list {list!:list} pool {pool:name}", name="nat destination"),
    *(
        setting(
            f"ip nat translation {word} ( {{seconds:0-2147483}} | never )",
            "Specify timeout for NAT",
            name=f"ip nat translation {word}",
            default=f"ip nat translation {word} {seconds}",
        )
        for word, seconds in TIMEOUTS.items()
    ),
    ("ip nat translation max-entries {count:1-2147483647}", "Specify maximum number of NAT entries"),
    setting("ip nat log translations syslog", marked="translations are not logged"),
)
