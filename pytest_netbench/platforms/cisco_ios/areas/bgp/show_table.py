"""``show ip bgp``: the whole table, parts of it, or one route."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import instances
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_summary import NOT_ACTIVE, where
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.policy import communities, frrnames
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

_CODES = """\
Status codes: s suppressed, d damped, h history, * valid, > best, i - internal, 
              r RIB-failure, S Stale, m multipath, b backup-path, f RT-Filter, 
              x best-external, a additional-path, c RIB-compressed, 
              t secondary path, L long-lived-stale,
Origin codes: i - IGP, e - EGP, ? - incomplete
RPKI validation codes: V valid, I invalid, N Not found"""  # noqa: W291 - as IOS prints it
_COLUMNS = "     Network          Next Hop            Metric LocPrf Weight Path"
_ORIGINS = {"IGP": "i", "EGP": "e", "incomplete": "?"}
_NONE = "0.0.0.0"  # noqa: S104 - IOS's word for a route of its own


@dataclass(frozen=True, kw_only=True)
class Row:
    """A path as a line of the table."""

    network: str
    status: str
    next_hop: str
    metric: Any = ""
    preference: Any = ""
    weight: Any = 0
    path: str = ""
    origin: str = "i"


def family_of(match: Match) -> str:
    """Return the address family that a command refers to."""
    return "ipv6" if match.has("ipv6") else "ipv4"


def table(at: Exec, match: Match) -> str:
    """Show the whole table, or the part that a filter selects."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    vrf = str(match.get("vrf", ""))
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family_of(match)} unicast{_filter(match)} json")
    return listing(answer, list(_rows(answer, _failed(at, vrf))))


def _filter(match: Match) -> str:
    if "regex" in match.args:
        return f" regexp {match['regex']}"
    if match.has("community"):
        exact = " exact-match" if match.has("exact-match") else ""
        return " community " + " ".join(communities.frr_community(one) for one in match.many("community")) + exact
    if "list" in match.args:
        word = next(w for w in ("prefix-list", "filter-list", "community-list") if match.has(w))
        name = {"filter-list": frrnames.as_path, "community-list": frrnames.community_list}.get(word, str)(
            match["list"]
        )
        return f" {word} {name}"
    return ""


def _failed(at: Exec, vrf: str) -> frozenset[str]:
    """Return the prefixes for which the routing table prefers a route of another protocol."""
    answer = at.ask_json("zebra", f"show ip route {where(vrf)}json")
    return frozenset(
        prefix
        for prefix, entries in answer.items()
        if any(entry.get("selected") and entry.get("protocol") != "bgp" for entry in entries)
    )


def _rows(answer: Mapping[str, Any], failed: frozenset[str]) -> Iterator[Row]:
    for prefix, paths in sorted(answer.get("routes", {}).items(), key=lambda item: _order(item[0])):
        for path in paths:
            if path.get("peerId") == "(unspec)" and not path.get("valid"):
                continue  # IOS does not list a network statement that has no route
            yield Row(
                network=prefix,
                status=_status(path, lost=prefix in failed),
                next_hop=_next_hop(path),
                metric=path.get("metric", ""),
                preference=path.get("locPrf", ""),
                weight=path.get("weight", 0),
                path=str(path.get("path", "")),
                origin=_ORIGINS.get(str(path.get("origin")), "?"),
            )


def _order(prefix: str) -> tuple[int, int, int]:
    network = ip_network(prefix)
    return network.version, int(network.network_address), network.prefixlen


def _next_hop(path: Mapping[str, Any]) -> str:
    hops = path.get("nexthops") or [{}]
    used = next((hop for hop in hops if hop.get("used")), hops[0])
    text = str(used.get("ip", _NONE)).upper()
    return _NONE if text == "::" and ":" not in str(path.get("network", "")) else text


def _status(path: Mapping[str, Any], *, lost: bool) -> str:
    """Return the three status characters: kind of path, best, learned from the own AS."""
    own = path.get("peerId") == "(unspec)"
    if path.get("suppressed"):
        first = "s"
    elif path.get("damped"):
        first = "d"
    elif path.get("history"):
        first = "h"
    elif path.get("stale"):
        first = "S"
    elif lost and path.get("bestpath") and not own:
        first = "r"
    else:
        first = "*"  # also with an unreachable next hop
    second = ">" if path.get("bestpath") else "m" if path.get("multipath") else " "
    return f"{first}{second}{'i' if path.get('pathFrom') == 'internal' and not own else ' '}"


def listing(answer: Mapping[str, Any], rows: Sequence[Row], *, originated: str = "") -> str:
    """Return heading and rows; nothing if there are no rows.

    Args:
        answer: What bgpd says of the table.
        rows: The paths.
        originated: The default route that a neighbor gets by ``default-originate``.
    """
    if not rows and not originated:
        return ""
    version = answer.get("tableVersion", answer.get("bgpTableVersion", 1))
    router_id = answer.get("routerId", answer.get("bgpLocalRouterId", _NONE))
    lines = [f"BGP table version is {version}, local router ID is {router_id}", _CODES, ""]
    if originated:
        lines += [f"Originating default network {originated.removesuffix('/0')}", ""]
    lines.append(_COLUMNS)
    before = ""
    for row in rows:
        lines += _lines(row, "" if row.network == before else _name(row.network))
        before = row.network
    return "\n".join([*lines, ""])


def _name(prefix: str) -> str:
    """Return a network as printed: with its length only if it differs from the class."""
    if ":" in prefix:
        return prefix.upper()
    network = ip_network(prefix)
    if str(network.network_address) == _NONE:
        return _NONE if network.prefixlen == 0 else prefix
    return str(network.network_address) if igp.classful(str(network.network_address)) == network else prefix


def _lines(row: Row, name: str) -> list[str]:
    path = f"{row.path} {row.origin}".strip()
    rest = f"{row.next_hop:<15} {row.metric!s:>10} {row.preference!s:>6} {row.weight!s:>6} {path}"
    head = f" {row.status} {name}"
    if len(name) > 16:
        return [head, f"{'':<22}{rest}"]
    return [f"{head:<21} {rest}"]


# -- one route -------------------------------------------------------------------------------------------------------


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
    local_id = router_id(at, vrf)
    preference = _default_preference(at)
    for path in paths:
        path.setdefault("locPrf", preference)
        lines += _path(path, local_id=local_id, new_format=at.config.has("ip bgp-community new-format"))
    return "\n".join([*lines, ""])


def _default_preference(at: Exec) -> int:
    """Return the local preference of paths that came without one."""
    for _, body in at.config.sections("router bgp"):
        entry = body.get("bgp default local-preference")
        if entry is not None:
            return int(entry["preference"])
    return 100


def router_id(at: Exec, vrf: str) -> str:
    """Return the router ID of bgpd."""
    return str(at.ask_json("bgpd", f"show bgp {where(vrf)}ipv4 unicast summary json").get("routerId", ""))


def _is_own(path: Mapping[str, Any]) -> bool:
    return str((path.get("peer") or {}).get("peerId")) in {"0.0.0.0", "::"}  # noqa: S104 - FRR's words for itself


def _is_best(path: Mapping[str, Any]) -> bool:
    return bool((path.get("bestpath") or {}).get("overall"))


def _advertised(answer: Mapping[str, Any]) -> list[str]:
    if not answer.get("advertisedTo"):
        return ["  Not advertised to any peer"]
    return ["  Advertised to update-groups:", "     1         "]


def _path(path: Mapping[str, Any], *, local_id: str, new_format: bool) -> Iterator[str]:
    yield "  Refresh Epoch 1"
    aspath = str((path.get("aspath") or {}).get("string", ""))
    peer = path.get("peer") or {}
    own = _is_own(path)
    aggregated = f", (aggregated by {path['aggregatorAs']} {path['aggregatorId']})" if path.get("aggregatorId") else ""
    client = ", (Received from a RR-client)" if peer.get("routeReflectorClient") else ""
    yield f"  {'Local' if aspath in {'', 'Local'} else aspath}{aggregated}{client}"
    hop = (path.get("nexthops") or [{}])[0]
    address = _NONE if own and str(hop.get("ip")) == "::" else str(hop.get("ip", _NONE)).upper()
    source = _NONE if own else str(peer.get("peerId")).upper()
    distance = f" (metric {hop['metric']})" if hop.get("metric") and not own else ""
    reached = "" if hop.get("accessible", True) else " (inaccessible)"
    yield f"    {address}{distance}{reached} from {source} ({local_id if own else peer.get('routerId', _NONE)})"
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


# -- routes of a neighbor -------------------------------------------------------------------------------


def of_neighbor(at: Exec, match: Match) -> str:
    """``show ip bgp neighbors A advertised-routes|received-routes|routes``."""
    if not at.config.has("router bgp"):
        return NOT_ACTIVE
    vrf, peer = str(match.get("vrf", "")), str(match["peer"])
    instance = next((one for one in instances(at.config) if one.vrf == vrf), None)
    known = next((one for one in (instance.peers if instance else ()) if one.address == peer.lower()), None)
    if known is None:
        return "% No such neighbor or address family\n"
    family = family_of(match) if ":" not in peer else "ipv6"
    word = next(w for w in ("advertised-routes", "received-routes", "routes") if match.has(w))
    if word == "received-routes" and ("neighbor soft-reconfiguration", "") not in known.families.get(family, {}):
        return f"% Inbound soft reconfiguration not enabled on {peer}\n"
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family} unicast neighbors {peer.lower()} {word} json")
    originated = ""
    if word == "routes":
        rows = list(_rows(answer, _failed(at, vrf)))
    elif word == "received-routes":
        found = answer.get("receivedRoutes", {})
        rows = [_received(entry) for _, entry in sorted(found.items(), key=lambda item: _order(item[0]))]
    else:
        sent = set(answer.get("advertisedRoutes", {}))
        rows = [row for row in _best(at, vrf, family) if row.network in sent]
        originated = str(answer.get("bgpOriginatingDefaultNetwork", ""))
    text = listing(answer, rows, originated=originated)
    return f"{text}\nTotal number of prefixes {len(rows)} \n"


def _best(at: Exec, vrf: str, family: str) -> Iterator[Row]:
    """Return the best paths of the table: IOS lists what it advertises as it is before the outbound policy."""
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family} unicast json")
    best = {
        prefix: [path for path in paths if path.get("bestpath")] for prefix, paths in answer.get("routes", {}).items()
    }
    return _rows({"routes": best}, _failed(at, vrf))


def _received(entry: Mapping[str, Any]) -> Row:
    return Row(
        network=entry["network"],
        status="*  ",
        next_hop=str(entry.get("nextHop") or entry.get("nextHopGlobal") or _NONE).upper(),
        metric=entry.get("metric", ""),
        preference=entry.get("locPrf", ""),
        weight=entry.get("weight", 0),
        path=str(entry.get("path", "")),
        origin=str(entry.get("bgpOriginCode", "?")),
    )
