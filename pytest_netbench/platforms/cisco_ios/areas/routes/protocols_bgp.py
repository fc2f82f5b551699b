"""The block of BGP in ``show ip protocols``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_netbench.platforms.cisco_ios.areas.routes import protocol_lines as lines
from pytest_netbench.platforms.cisco_ios.areas.routes.table import Row
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec

_ACTIVATE = "neighbor activate"
_COLUMNS = (
    ("neighbor filter-list", "list", "in"),
    ("neighbor filter-list", "list", "out"),
    ("neighbor distribute-list", "list", "in"),
    ("neighbor distribute-list", "list", "out"),
    ("neighbor weight", "weight", None),
    ("neighbor route-map", "map", "in"),
)


def block(at: Exec, entry: Entry, rows: Sequence[Row]) -> Iterator[str]:
    """Return the lines of the block."""
    section = entry.body
    family = _family(section, "ipv4")
    yield f'Routing Protocol is "{entry.text.removeprefix("router ")}"'
    yield "  Outgoing update filter list for all interfaces is not set"
    yield "  Incoming update filter list for all interfaces is not set"
    yield from _reflecting(section)
    for what, word in (("IGP synchronization", "synchronization"), ("Automatic route summarization", "auto-summary")):
        yield f"  {what} is {'enabled' if family.has(word) else 'disabled'}"
    neighbors = list(_neighbors(section, family))
    if neighbors:
        yield "  Neighbor(s):"
        yield "    Address          FiltIn FiltOut DistIn DistOut Weight RouteMap"
        yield from neighbors
    paths = family.get("maximum-paths")
    yield f"  Maximum path: {paths['paths'] if paths else 1}"
    yield from lines.gateways(_senders(at, rows))
    distance = family.get("distance bgp")
    values = (distance["external"], distance["internal"], distance["local"]) if distance else (20, 200, 200)
    yield "  Distance: external {} internal {} local {}".format(*values)


def _family(section: Section, name: str) -> Section:
    return next((e.body for e in section.all("address-family") if e.has(name) and not e.get("vrf")), section)


def _groups(section: Section) -> Mapping[str, str]:
    return {str(e["peer"]): str(e["group"]) for e in section.all("neighbor member")}


def _peers(section: Section, *, dots: int) -> list[str]:
    peers = [str(e["peer"]) for e in section.all("neighbor remote-as", "neighbor member")]
    return [peer for peer in dict.fromkeys(peers) if peer.count(".") == dots]


def _reflecting(section: Section) -> Iterator[str]:
    """Return a line for each family with clients of this route reflector."""
    cluster = section.get("bgp cluster-id")
    with_id = f" with the cluster-id {cluster['id']}" if cluster is not None else ""
    groups = _groups(section)
    for name, long, dots in (("ipv4", "IPv4", 3), ("ipv6", "IPv6", 0)):
        family = _family(section, name)
        if family is section and name == "ipv6":
            continue
        named = {str(line["peer"]) for line in family.all("neighbor route-reflector-client") if not line.negated}
        clients = sum(bool({peer, groups.get(peer)} & named) for peer in _peers(section, dots=dots))
        if clients:
            count = f"{clients} client{'s' if clients > 1 else ''}"
            yield f"  Route Reflector for address family {long} Unicast{with_id}, {count}"


def _neighbors(section: Section, family: Section) -> Iterator[str]:
    """Return a line for each IPv4 neighbor, with the policies of its own or of its peer group."""
    groups = _groups(section)
    for peer in _peers(section, dots=3):
        if any(e.negated and e["peer"] == peer for e in family if e.name == _ACTIVATE):
            continue
        lists = [_policy(family, (peer, groups.get(peer, "")), *column) for column in _COLUMNS]
        yield "    {:<16} {:>6} {:>7} {:>6} {:>7} {:>6} {}".format(peer, *lists).rstrip()


def _policy(family: Section, peers: Iterable[str], name: str, argument: str, way: str | None) -> str:
    for peer in peers:
        entry = family.get(name, peer=peer, way=way) if way else family.get(name, peer=peer)
        if entry is not None:
            return str(entry[argument])
    return ""


def _senders(at: Exec, rows: Sequence[Row]) -> Iterator[tuple[str, int, str]]:
    """Yield the neighbors that sent the routes, which a next hop need not be."""
    routes = at.ask_json("bgpd", "show bgp ipv4 unicast json").get("routes", {})
    for row in rows:
        if row.protocol == "bgp":
            for path in routes.get(str(row.network), ()):
                peer = str(path.get("peerId", ""))
                if path.get("bestpath") and peer.count(".") == 3:
                    yield peer, row.distance, row.uptime
