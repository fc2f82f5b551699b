"""The ``show`` and ``clear`` commands of BGP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.bgp import show_neighbors, show_route, show_summary, show_table
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import instances
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_summary import NOT_ACTIVE, where
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

_FOUR = (
    "ip bgp",
    "bgp",
    "bgp ipv4 unicast",
    "ip bgp ipv4 unicast",
    "ip bgp vpnv4 vrf {vrf:name}",
    "bgp vpnv4 unicast vrf {vrf:name}",
)
_SIX = ("bgp ipv6 unicast",)


def _shows(tail: str, run: Callable[[Exec, Match], Any], *, prefixes: tuple[str, ...], help: str = "") -> list[Command]:
    return [show(f"{start} {tail}".strip(), run, help) for start in prefixes]


def _clear(at: Exec, match: Match) -> str | None:
    """Run ``clear ip bgp``: reset the sessions, or refresh routes (soft)."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    vrf = str(match.get("vrf", ""))
    peer = str(match.get("peer", "*")).lower()
    if peer != "*" and not any(peer == one.address for i in instances(at.config) if i.vrf == vrf for one in i.peers):
        return '%BGP: Unknown neighbor - "' + peer.upper() + '"'
    whom = str(match["as"]) if "as" in match.args else peer
    ways = [way for way in ("in", "out") if match.has(way)]
    soft = " soft" if match.has("soft") or ways else ""
    at.ask(
        "bgpd",
        "clear bgp"
        f" {where(vrf)}{'' if whom == '*' else 'ipv4 ' if soft else ''}{whom}{soft}{' ' + ways[0] if ways else ''}",
    )
    return None


COMMANDS = (
    *_shows("summary", show_summary.summary, prefixes=_FOUR, help="Summary of BGP neighbor status"),
    *_shows("summary", show_summary.six_summary, prefixes=_SIX),
    *_shows("all summary", show_summary.all_summary, prefixes=("bgp", "ip bgp")),
    *_shows("", show_table.table, prefixes=(*_FOUR, *_SIX), help="BGP information"),
    *_shows("regexp {regex:line}", show_table.table, prefixes=_FOUR[:4]),
    *_shows("community {community:commword}+ [ exact-match ]", show_table.table, prefixes=_FOUR[:4]),
    *_shows("( prefix-list | filter-list | community-list ) {list:name}", show_table.table, prefixes=_FOUR[:4]),
    *_shows("{prefix:ipv4} [ {mask:mask} ]", show_route.route, prefixes=_FOUR),
    *_shows("{prefix:prefix}", show_route.route, prefixes=_FOUR),
    *_shows("{prefix:ipv6prefix}", show_route.route, prefixes=_SIX),
    *_shows(
        "neighbors [ {peer:address} ]",
        show_neighbors.neighbors,
        prefixes=(*_FOUR, *_SIX, "bgp all", "ip bgp all"),
        help="Detailed information on TCP and BGP neighbor connections",
    ),
    *_shows("neighbors", show_neighbors.neighbors, prefixes=("bgp vpnv4 unicast all", "ip bgp vpnv4 all")),
    *_shows(
        "neighbors {peer:address} ( advertised-routes | received-routes | routes )",
        show_table.of_neighbor,
        prefixes=(*_FOUR, *_SIX),
    ),
    *(
        action(
            f"{start} ( * | {{peer:address}} | {{as:asn}} ) [ soft ] [ ( in | out ) ]", _clear, "Clear BGP connections"
        )
        for start in ("clear ip bgp [ vrf {vrf:name} ]", "clear bgp ipv4 unicast", "clear bgp")
    ),
)
