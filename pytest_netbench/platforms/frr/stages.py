"""The stages of readiness: each finds what one protocol still waits for, absent sessions or phrases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import bfd, bgp, igps, ospf, processes, rib
from pytest_netbench.platforms.frr.lookout import Lookout, as_list, as_object, config
from pytest_netbench.platforms.sessions import Absence, Session, SessionEnd

Found = Absence | str
Stage = Callable[[Lookout], Iterable[Found]]

_OSPF = (("ospfd", "show ip ospf interface json"), ("ospfd", "show ip ospf neighbor json"))
_OSPF6 = (
    ("ospf6d", "show ipv6 ospf6 interface json"),
    ("ospf6d", "show ipv6 ospf6 neighbor json"),
    ("ospf6d", "show ipv6 ospf6 json"),
    ("ospf6d", "show ipv6 ospf6 database"),
)
_RIP = (("ripd", "show ip rip status"), ("ripd", "show ip rip"), ("zebra", "show ip route rip"))
_ISIS = tuple(("isisd", f"show isis {what}") for what in ("interface json", "neighbor", "topology", "database"))
_BGP = ("bgpd", "show bgp summary json")
_RPKI = (("bgpd", "show rpki cache-server"), ("bgpd", "show rpki cache-connection"))
_CACHE = re.compile(r"^(?:host: )?(\S+) port: \d+", re.MULTILINE)
_IS_SYNCED = re.compile(r"^Connected to group", re.MULTILINE)
_JUDGED = "routes judged by RPKI"
_BFD = ("bfdd", "show bfd peers json")


def links(lookout: Lookout) -> Iterator[Found]:
    """Interfaces that the kernel says are up and zebra does not yet know to be."""
    for node in lookout.nodes.values():
        down = set(node.interfaces) - lookout.up(node.name)
        for name in lookout.carrying(node, down):
            yield f"{node.name}: zebra has not yet seen {name} come up"


def ospf_adjacencies(lookout: Lookout) -> Iterator[Found]:
    """Adjacencies of OSPF. Leaves those that are up in ``lookout.adjacencies``."""
    sides: list[ospf.OspfInterface] = []
    states = {}
    for node in lookout.running("ospfd"):
        interfaces, neighbours = (as_object(text) for text, _ in node.vty(_OSPF))
        sides += ospf.interfaces(node.name, interfaces, lookout.owned(node.name))
        states[node.name] = ospf.neighbours(neighbours)
        for name in lookout.carrying(node, ospf.late(interfaces, lookout.up(node.name))):
            yield f"{node.name}: OSPF has not yet seen {name} come up"
    pairs = ospf.expected(sides, lookout.cables)
    lacking = list(ospf.missing(pairs, states))
    down = {id(pair) for pair, _ in lacking}
    lookout.adjacencies = [pair for pair in pairs if id(pair) not in down]
    if not lacking:
        return
    touched = {side.node for pair, _ in lacking for side in (pair.one, pair.other)}
    configs = {name: ospf.parse_config(config(lookout.nodes[name], "ospfd")) for name in sorted(touched)}
    for pair, phrase in ospf.missing([pair for pair in pairs if id(pair) in down], states, configs):
        one, other = (
            SessionEnd(node=side.node, interface=side.name, address=str(side.address.ip))
            for side in (pair.one, pair.other)
        )
        yield Absence(session=Session(protocol="ospf", one=one, other=other), phrase=phrase)


def ospf_databases(lookout: Lookout) -> Iterator[Found]:
    """Link-state databases of OSPF that differ between neighbors, and routes that are about to be computed."""
    names = sorted({side.node for pair in lookout.adjacencies for side in (pair.one, pair.other)})
    processes = {name: as_object(lookout.nodes[name].vty([("ospfd", "show ip ospf json")])[0][0]) for name in names}
    yield from ospf.unsynchronised(lookout.adjacencies, processes)


def ospf6(lookout: Lookout) -> Iterator[Found]:
    """Adjacencies of OSPFv3, then their databases."""
    sides: list[igps.Side] = []
    databases: dict[str, igps.Databases] = {}
    computing = []
    for node in lookout.running("ospf6d"):
        interfaces, neighbours, process, database = (text for text, _ in node.vty(_OSPF6))
        sides += igps.ospf6_sides(node.name, as_object(interfaces), as_object(neighbours), config(node, "ospf6d"))
        databases[node.name] = igps.ospf6_databases(database)
        if as_object(process).get("spfTimerActive"):
            computing.append(f"{node.name}: OSPFv3 is about to compute its routes")
    absent = list(igps.missing("OSPFv3", sides, igps.alike, lookout.cables))
    yield from _absences("ospf6", absent)
    down = {pair for pair, _ in absent}
    for one, other in igps.pairs(sides, igps.alike, lookout.cables):
        if (one, other) not in down:
            area = str(one.traits[0])
            if databases[one.node].get(area) != databases[other.node].get(area):
                yield f"{one.node}: OSPFv3 database of area {area} differs from that of {other.node}"
    yield from computing


def rip(lookout: Lookout) -> Iterator[Found]:
    """Neighbors of RIP, and routes of RIP and RIPng that others may not have heard of."""
    sides: list[igps.Side] = []
    for node in lookout.running("ripd"):
        status, table, routes = (text for text, _ in node.vty(_RIP))
        sides += igps.rip_sides(node.name, status, table, lookout.owned4(node.name), config(node, "ripd"))
        if igps.rip_is_moving(routes):
            yield f"{node.name}: RIP routes still change"
    for node in lookout.running("ripngd"):
        if igps.rip_is_moving(node.vty([("zebra", "show ipv6 route ripng")])[0][0]):
            yield f"{node.name}: RIP routes of IPv6 still change"
    yield from _absences("rip", igps.missing("RIP", sides, igps.rip_fits))


def isis(lookout: Lookout) -> Iterator[Found]:
    """Adjacencies of IS-IS, then their databases."""
    sides: list[igps.Side] = []
    databases: dict[str, frozenset[tuple[str, ...]]] = {}
    for node in lookout.running("isisd"):
        interfaces, neighbours, topology, database = (text for text, _ in node.vty(_ISIS))
        answers = (as_object(interfaces), neighbours, topology)
        sides += igps.isis_sides(node.name, answers, lookout.owned4(node.name), config(node, "isisd"))
        databases[node.name] = igps.database_lines(database, igps.ISIS_ROW)
    absent = list(igps.missing("IS-IS", sides, igps.isis_fits, lookout.cables))
    yield from _absences("isis", absent)
    down = {pair for pair, _ in absent}
    for one, other in igps.pairs(sides, igps.isis_fits, lookout.cables):
        # with one level and one area they have one database
        same = len({side.traits[:2] for side in sides if side.node in {one.node, other.node}}) == 1
        if (one, other) not in down and same and databases[one.node] != databases[other.node]:
            yield f"{one.node}: IS-IS database differs from that of {other.node}"


def bgp_sessions(lookout: Lookout) -> Iterator[Found]:
    """Sessions of BGP, then routes that established ones still have to send."""
    speakers = {}
    for node in lookout.running("bgpd"):
        peers = bgp.peers(as_object(node.vty([_BGP])[0][0]))
        speakers[node.name] = bgp.Speaker(
            node=node.name, peers=peers, addresses=lookout.owned(node.name), links=lookout.links[node.name]
        )
    sessions = bgp.expected(speakers.values())
    lacking = list(bgp.missing(sessions))
    if lacking:
        touched = {speaker.node for session, _ in lacking for speaker in (session.one, session.other)}
        informed = [
            replace(speakers[name], settings=bgp.parse_settings(config(lookout.nodes[name], "bgpd")))
            for name in sorted(touched)
        ]
        absences = [
            Absence(session=_bgp_session(session), phrase=phrase)
            for session, phrase in bgp.missing(bgp.expected(informed))
            if bgp.possible(session) and _reachable(lookout, session)
        ]
        yield from absences
        if not all(lookout.excused(absence.session) for absence in absences):
            return
    down = {id(session) for session, _ in lacking}
    yield from _unfinished(lookout, [session for session in sessions if id(session) not in down])


def rpki(lookout: Lookout) -> Iterator[Found]:
    """RPKI caches that have told nothing yet, of routers with a route to one; and routes that came before they did.

    FRR judges these only when they come again, so it is told to take them once more.
    """
    for node in lookout.running("bgpd"):
        if "bgpd" not in processes.noted_options(node):
            continue
        caches, connection = (text for text, _ in node.vty(_RPKI))
        reachable = [one for one in _CACHE.findall(caches) if _has_route(node, one)]
        if _IS_SYNCED.search(connection) is None:
            if reachable:
                yield f"{node.name}: the RPKI cache {reachable[0]} has not told anything yet"
        elif processes.is_first_time(node, "bgpd", _JUDGED):
            node.vty([("bgpd", "enable"), ("bgpd", "clear bgp * soft in")])
            yield f"{node.name}: BGP judges again the routes that came before the RPKI cache answered"


def bfd_sessions(lookout: Lookout) -> Iterator[Found]:
    """Sessions of BFD, of all VRFs."""
    known = [peer for node in lookout.running("bfdd") for peer in bfd.peers(node.name, as_list(node.vty([_BFD])[0][0]))]
    if not known:
        return
    owned = {
        name: frozenset(str(address.ip) for addresses in lookout.owned(name).values() for address in addresses)
        for name in lookout.nodes
    }
    for (one, other), phrase in bfd.missing(known, owned):
        ends = [
            SessionEnd(node=here.node, interface=here.interface, address=there.peer)
            for here, there in ((one, other), (other, one))
        ]
        yield Absence(session=Session(protocol="bfd", one=ends[0], other=ends[1]), phrase=phrase)


ALL: tuple[Stage, ...] = (links, ospf_adjacencies, ospf_databases, ospf6, rip, isis, bgp_sessions, rpki, bfd_sessions)


def _absences(protocol: str, missing: Iterable[tuple[igps.Pair, str]]) -> Iterator[Absence]:
    for (one, other), phrase in missing:
        ends = [
            SessionEnd(
                node=side.node, interface=side.interface, address=str(side.addresses[0].ip) if side.addresses else ""
            )
            for side in (one, other)
        ]
        yield Absence(session=Session(protocol=protocol, one=ends[0], other=ends[1]), phrase=phrase)


def _bgp_session(session: bgp.Session) -> Session:
    if session.unnumbered:
        one = SessionEnd(node=session.one.node, interface=session.there)
        other = SessionEnd(node=session.other.node, interface=session.here)
    else:
        one = SessionEnd(node=session.one.node, address=session.here)
        other = SessionEnd(node=session.other.node, address=session.there)
    return Session(protocol="bgp", one=one, other=other)


def _unfinished(lookout: Lookout, sessions: list[bgp.Session]) -> list[str]:
    names = sorted({speaker.node for session in sessions for speaker in (session.one, session.other)})
    answers = {name: as_object(lookout.nodes[name].vty([("bgpd", "show bgp neighbors json")])[0][0]) for name in names}
    return [phrase for session in sessions for phrase in bgp.unfinished(session, answers)]


def _reachable(lookout: Lookout, session: bgp.Session) -> bool:
    if session.unnumbered:
        return True
    ways = ((session.one.node, session.there), (session.other.node, session.here))
    return all(_has_route(lookout.nodes[name], address) for name, address in ways)


def _has_route(node: HostedNode, address: str) -> bool:
    return rib.is_reachable(node.vty([("zebra", rib.lookup(address))])[0][0])
