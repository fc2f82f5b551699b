"""Commands that configure translation."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas.acl import types as acl
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
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


COMMANDS = (
    Command(pattern="ip nat inside", mode="if", help="Inside interface for address translation"),
    Command(pattern="ip nat outside", mode="if", help="Outside interface for address translation"),
    Command(
        pattern=(
            "ip nat pool {pool!:name} ^ {first:ipv4} {last:ipv4} ( netmask {mask:mask} | prefix-length {length:1-32} ) "
            "[ type ( rotary | match-host ) ]"
        ),
        check=_check_pool,
        edit=_pool,
        name="ip nat pool",
        help="Define pool of addresses",
    ),
    Command(
        pattern=f"{_SOURCE} list {{list!:list}} ( pool {{pool:name}} | interface {{out:interface}} ) [ overload ]",
        edit=_canonical_overload,
        name="nat dynamic",
    ),
    Command(
        pattern=f"{_SOURCE} route-map {{map!:word}} ( pool {{pool:name}} | interface {{out:interface}} ) [ overload ]",
        edit=_canonical_overload,
        name="nat dynamic",
    ),
    Command(
        pattern=(
            f"{_SOURCE} static {{local!:ipv4}} "
            f"( {{global!:ipv4}} {_OPTIONS} | interface {{out!:interface}} {_TO_INTERFACE} )"
        ),
        check=_check_static,
        name="nat static",
        help="Specify static local->global mapping",
    ),
    *(
        Command(
            pattern=(
                f"{_SOURCE} static {protocol} {{local!:ipv4}} {{lport!:1-65535}} "
                f"( {{global!:ipv4}} {{gport!:1-65535}} {_OPTIONS} "
                f"| interface {{out!:interface}} {{gport!:1-65535}} {_TO_INTERFACE} )"
            ),
            check=_check_static,
            name=f"nat {protocol}",
            help="Specify static local->global mapping",
        )
        for protocol in ("tcp", "udp")
    ),
    Command(
        pattern=(
            f"{_SOURCE} static network {{local!:ipv4}} {{global!:ipv4}} ( {{mask:mask}} | {{slash:slash}} ) {_OPTIONS}"
        ),
        check=_check_network,
        name="nat network",
    ),
    Command(
        pattern="ip nat outside source static {global!:ipv4} {local!:ipv4} < add-route | extendable | no-alias >",
        name="nat outside static",
    ),
    Command(
        pattern=(
            "ip nat outside source static network {global!:ipv4} {local!:ipv4} ( {mask:mask} | {slash:slash} ) "
            "< add-route | extendable | no-alias >"
        ),
        check=_check_network,
        name="nat outside network",
    ),
    Command(pattern="ip nat inside destination list {list!:list} pool {pool:name}", name="nat destination"),
    *(
        Command(
            pattern=f"ip nat translation {word} ( {{seconds:0-2147483}} | never )",
            name=f"ip nat translation {word}",
            default=(f"ip nat translation {word} {seconds}",),
            help="Specify timeout for NAT",
        )
        for word, seconds in TIMEOUTS.items()
    ),
    Command(
        pattern="ip nat translation max-entries {count:1-2147483647}",
        name="ip nat translation max-entries",
        help="Specify maximum number of NAT entries",
    ),
    Command(pattern="ip nat log translations syslog", marked="translations are not logged"),
)
