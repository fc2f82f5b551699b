"""``show ip bgp A.B.C.D``: the paths of one route in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.bgp.show_summary import NOT_ACTIVE, where
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_table import NONE, family_of, sent_hop
from pytest_netbench.platforms.cisco_ios.areas.policy import communities
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match


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
