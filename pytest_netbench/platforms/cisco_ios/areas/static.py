"""Static routes."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Address, IPv6Interface

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_HOP = ("out", "via")


def _check(_edit: Edit, match: Match) -> str | None:
    try:
        IPv4Network(f"{match['prefix']}/{match['mask']}")
    except ValueError:
        return "%Inconsistent address and mask"
    return None


def _check_hop(edit: Edit, match: Match) -> str | None:
    words = _check(edit, match)
    if words is None and "via" in match.args and not match.get("vrf"):
        for _, body in edit.config.sections("interface"):
            if any(entry.get("address") == match["via"] for entry in body.all("ip address")):
                return "%Invalid next hop address (it's this router)"
    return words


def _check_six(_edit: Edit, match: Match) -> str | None:
    network = IPv6Interface(match["prefix"]).network
    if str(IPv6Interface(match["prefix"]).ip) != str(network.network_address):
        return "% Incomplete prefix: it has bits behind its length"
    if "via" in match.args and "out" not in match.args and IPv6Address(match["via"]).is_link_local:
        return "% Interface has to be specified for a link-local nexthop"
    return None


def _keep(edit: Edit, match: Match) -> str | None:
    """Store or remove a route. ``no`` with a next hop removes the route with exactly this next hop.

    A route by an interface and a next hop is another one than the route by the same next hop alone. Distance, tag,
    name and track may be left out, and the whole next hop: then all routes to the network are removed.
    """
    if not match.negated and not match.reset:
        return edit.keep(match)
    for entry in [entry for entry in edit.section.like(match) if entry.covers(match)]:
        hop = [entry.get(name) for name in _HOP]
        typed = [match.get(name) for name in _HOP]
        if entry.get("vrf") == match.get("vrf") and typed in (hop, [None, None]):
            edit.section.remove(entry)
    return None


COMMANDS = table(
    setting(
        (
            "ip route [ vrf {vrf!:word} ] {prefix!:ipv4} {mask!:mask} ^ ( {out!:interface} [ {via!:ipv4} ] |"
            " {via!:ipv4} ) [ {distance:1-255} ] < name {label:word} | tag {tag:1-4294967295} | permanent | track"
            " {track:1-1000} >"
        ),
        "Establish static routes",
        check=_check_hop,
        edit=_keep,
    ),
    setting(
        (
            "ipv6 route [ vrf {vrf!:word} ] {prefix!:ipv6prefix} ^ ( {out!:interface} [ {via!:ipv6} ] | {via!:ipv6} ) "
            "[ {distance:1-254} ] < name {label:word} | tag {tag:1-4294967295} >"
        ),
        "Configure static routes",
        check=_check_six,
        edit=_keep,
    ),
)


def compile_static(context: Context) -> None:
    """Add the static routes of the config."""
    for entry in context.config.all("ip route"):
        if entry.get("vrf") is None and entry.get("track") is None:
            context.state.frr.add("staticd", frr_line(entry))
            if entry.has("permanent"):
                context.unsupported(entry, "the route is removed when its interface goes down")
    for entry in context.config.all("ipv6 route"):
        if entry.get("vrf") is None:
            context.state.frr.add("staticd", frr_line_six(entry))


def frr_line_six(entry: Entry) -> str:
    """Return a static route of IPv6 in FRR's words."""
    return " ".join(["ipv6 route", str(IPv6Interface(entry["prefix"]).network), *_hop(entry), *_options(entry)])


def frr_line(entry: Entry) -> str:
    """Return a static route in FRR's words, which has the next hop before the interface."""
    network = IPv4Network(f"{entry['prefix']}/{entry['mask']}")
    return " ".join(["ip route", str(network), *_hop(entry), *_options(entry)])


def _hop(entry: Entry) -> list[str]:
    out = entry.get("out")
    hop = [str(entry["via"]).lower()] if "via" in entry.match.args else []
    if out is not None:
        hop.append("Null0" if out == "Null0" else interfaces.kernel_name(out))
    return hop


def _options(entry: Entry) -> list[str]:
    options = [f"tag {entry['tag']}"] if "tag" in entry.match.args else []
    return options + ([str(entry["distance"])] if "distance" in entry.match.args else [])


AREA = Area(
    name="static",
    commands=COMMANDS,
    compile=compile_static,
    help={"route": "Establish static routes"},
    scope=(
        ("static routes: next hop, interface, Null0, distance, tag, name, IPv6", "yes"),
        ("static routes: permanent", "accepted, without effect"),
    ),
)
