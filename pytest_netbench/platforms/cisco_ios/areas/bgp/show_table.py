"""``show ip bgp``: the whole table, parts of it, or one route."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import instances
from pytest_netbench.platforms.cisco_ios.areas.bgp.show_summary import NOT_ACTIVE, where
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.policy import communities, frrnames
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

_CODES = (
    "Status codes: s suppressed, d damped, h history, * valid, > best, i - internal, \n"
    "              r RIB-failure, S Stale, m multipath, b backup-path, f RT-Filter, \n"
    "              x best-external, a additional-path, c RIB-compressed, \n"
    "              t secondary path, L long-lived-stale,\n"
    "Origin codes: i - IGP, e - EGP, ? - incomplete\n"
    "RPKI validation codes: V valid, I invalid, N Not found"
)
_COLUMNS = "     Network          Next Hop            Metric LocPrf Weight Path"
_HOP_AT, _WIDTH = 22, 16
"""The column of next hops, and the width of networks and next hops."""
_ORIGINS = {"IGP": "i", "EGP": "e", "incomplete": "?"}
NONE = UNSPECIFIED  # IOS's word for a route of its own


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
    family = family_of(match)
    answer = at.ask_json("bgpd", f"show bgp {where(vrf)}{family} unicast{_filter(match)} json")
    return listing(answer, list(_rows(answer, _failed(at, vrf, family))))


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


def _failed(at: Exec, vrf: str, family: str) -> frozenset[str]:
    """Return the prefixes for which the routing table prefers a route of another protocol."""
    answer = at.ask_json("zebra", f"show {'ipv6' if family == 'ipv6' else 'ip'} route {where(vrf)}json")
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
    text = str(sent_hop(path).get("ip", NONE)).upper()
    return NONE if text == "::" and ":" not in str(path.get("network", "")) else text


def sent_hop(path: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the next hop that the path names: of IPv6 the global address, though packets go by the link-local one."""
    hops: list[Mapping[str, Any]] = path.get("nexthops") or [{}]
    used = next((hop for hop in hops if hop.get("used")), hops[0])
    return next((hop for hop in hops if hop.get("scope") == "global"), used)


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
    router_id = answer.get("routerId", answer.get("bgpLocalRouterId", NONE))
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
    if str(network.network_address) == NONE:
        return NONE if network.prefixlen == 0 else prefix
    return str(network.network_address) if igp.classful(str(network.network_address)) == network else prefix


def _lines(row: Row, name: str) -> list[str]:
    """Return a path in one to three lines. A network or a next hop without room ends its line.

    The columns of what follows are one further to the right, as in captures of IOS 15.
    """
    path = f"{row.path} {row.origin}".strip()
    rest = f"{row.metric!s:>10}{row.preference!s:>7}{row.weight!s:>7} {path}"
    head = f" {row.status} {name}"
    lines = []
    if len(name) > _WIDTH:
        lines.append(head)
        head = " " * (_HOP_AT + 1)
    if len(row.next_hop) > _WIDTH:
        return [*lines, f"{head:<{_HOP_AT}}{row.next_hop}", f"{'':<{_HOP_AT + 1 + _WIDTH}}{rest}"]
    return [*lines, f"{head:<{_HOP_AT}}{row.next_hop:<{_WIDTH}}{rest}"]


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
        rows = list(_rows(answer, _failed(at, vrf, family)))
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
    return _rows({"routes": best}, _failed(at, vrf, family))


def _received(entry: Mapping[str, Any]) -> Row:
    return Row(
        network=entry["network"],
        status="*  ",
        next_hop=str(entry.get("nextHop") or entry.get("nextHopGlobal") or NONE).upper(),
        metric=entry.get("metric", ""),
        preference=entry.get("locPrf", ""),
        weight=entry.get("weight", 0),
        path=str(entry.get("path", "")),
        origin=str(entry.get("bgpOriginCode", "?")),
    )
