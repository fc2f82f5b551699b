"""The ``show`` and ``clear`` commands of BGP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.bgp import show_neighbors, show_summary, show_table
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import instances
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_summary import NOT_ACTIVE, where
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_table import NONE, family_of, sent_hop
from pytest_netbench.platforms.cisco_ios.areas.policy import communities
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show


def route(at: Exec, match: Match) -> str:
    """``show ip bgp A.B.C.D[/n]``."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    vrf = str(match.get("vrf", ""))
    prefix = str(match["prefix"])
    if "mask" in match.args:
        prefix = str(ip_network(f"{prefix}/{match['mask']}", strict=False))
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family_of(match)} unicast {prefix.lower()} json")
    paths = [path for path in answer.get("paths") or [] if path.get("valid") or not _is_own(path)]
    if not paths:
        return "% Network not in table\n"
    best = next((number for number, path in enumerate(paths, start=1) if _is_best(path)), None)
    chosen = f"best #{best}, table {vrf or 'default'}" if best else "no best path"
    lines = [
        f"BGP routing table entry for {str(answer['prefix']).upper()}, version {answer.get('version', 1)}",
        f"Paths: ({len(paths)} available, {chosen})",
        *_advertised(answer),
    ]
    local_id = router_id(at, vrf, family_of(match))
    preference = _default_preference(at)
    for path in paths:
        path.setdefault("locPrf", preference)
        lines += _path(
            path, six=":" in prefix, local_id=local_id, new_format=at.config.has("ip bgp-community new-format")
        )
    return "\n".join([*lines, ""])


def _default_preference(at: Exec) -> int:
    """Return the local preference of paths that came without one."""
    for _, body in at.config.sections("router bgp"):
        entry = body.get("bgp default local-preference")
        if entry is not None:
            return int(entry["preference"])
    return 100


def router_id(at: Exec, vrf: str, family: str) -> str:
    """Return the router ID of bgpd."""
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family} unicast json")
    return str(answer.get("routerId", ""))


def _is_own(path: Mapping[str, Any]) -> bool:
    return str((path.get("peer") or {}).get("peerId")) in {NONE, "::"}  # FRR's words for itself


def _is_best(path: Mapping[str, Any]) -> bool:
    return bool((path.get("bestpath") or {}).get("overall"))


def _advertised(answer: Mapping[str, Any]) -> list[str]:
    if not answer.get("advertisedTo"):
        return ["  Not advertised to any peer"]
    return ["  Advertised to update-groups:", "     1         "]


def _path(path: Mapping[str, Any], *, six: bool, local_id: str, new_format: bool) -> Iterator[str]:
    yield "  Refresh Epoch 1"
    aspath = str((path.get("aspath") or {}).get("string", ""))
    peer = path.get("peer") or {}
    own = _is_own(path)
    aggregated = f", (aggregated by {path['aggregatorAs']} {path['aggregatorId']})" if path.get("aggregatorId") else ""
    client = ", (Received from a RR-client)" if peer.get("routeReflectorClient") else ""
    yield f"  {'Local' if aspath in {'', 'Local'} else aspath}{aggregated}{client}"
    hop = sent_hop(path)
    address = NONE if own and str(hop.get("ip")) == "::" and not six else str(hop.get("ip", NONE)).upper()
    local = next((one for one in path.get("nexthops") or () if one.get("scope") == "link-local"), None)
    local = local if peer.get("type") == "external" else None
    address += f" ({str(local['ip']).upper()})" if local is not None else ""
    source = NONE if own else str(peer.get("peerId")).upper()
    distance = f" (metric {hop['metric']})" if hop.get("metric") and not own else ""
    reached = "" if hop.get("accessible", True) else " (inaccessible)"
    yield f"    {address}{distance}{reached} from {source} ({local_id if own else peer.get('routerId', NONE)})"
    words = [f"Origin {path.get('origin', 'incomplete')}"]
    if "metric" in path:
        words.append(f"metric {path['metric']}")
    words.append(f"localpref {path['locPrf']}")
    if path.get("weight"):
        words.append(f"weight {path['weight']}")
    words.append("valid")
    kind = "aggregated" if path.get("aggregated") or aggregated else "sourced"
    words.append(f"{kind}, local" if own else str(peer.get("type", "external")))
    words += ["atomic-aggregate"] if path.get("atomicAggregate") else []
    words += ["multipath"] if path.get("multipath") else []
    words += ["best"] if _is_best(path) else []
    yield f"      {', '.join(words)}"
    community = str((path.get("community") or {}).get("string", ""))
    if community:
        yield "      Community: " + " ".join(communities.shown(one, new_format=new_format) for one in community.split())
    if path.get("originatorId"):
        clusters = ", ".join((path.get("clusterList") or {}).get("list", []))
        yield f"      Originator: {path['originatorId']}, Cluster list: {clusters}"
    yield f"      rx pathid: 0, tx pathid: {'0x0' if _is_best(path) else '0'}"


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
    *_shows("{prefix:ipv4} [ {mask:mask} ]", route, prefixes=_FOUR),
    *_shows("{prefix:prefix}", route, prefixes=_FOUR),
    *_shows("{prefix:ipv6prefix}", route, prefixes=_SIX),
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
