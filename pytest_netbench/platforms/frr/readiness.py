"""Whether the routers of a lab are up and agree with each other, asked over their daemons' own sockets.

Asked in stages, cheapest first; a stage is entered once the one before misses nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.frr import bgp, igps, ospf, rib

_TABLES = (("zebra", "show ip route"), ("zebra", "show ipv6 route"))
_BRIEF = ("zebra", "show interface brief json")
_OSPF = (("ospfd", "show ip ospf interface json"), ("ospfd", "show ip ospf neighbor json"))
_OSPF6 = (("ospf6d", "show ipv6 ospf6 interface json"), ("ospf6d", "show ipv6 ospf6 neighbor json"))
_RIP = (("ripd", "show ip rip status"), ("ripd", "show ip rip"), ("zebra", "show ip route rip"))
_ISIS = tuple(("isisd", f"show isis {what}") for what in ("interface json", "neighbor", "topology", "database"))
_BGP = ("bgpd", "show bgp summary json")


def pending(nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]]) -> Pending:
    """What is not yet up among ``nodes``; ``daemons`` are those that run on each."""
    briefs = {name: _json(node.vty([_BRIEF])[0][0]) for name, node in nodes.items()}
    missing = _link_stage(nodes, briefs)
    if missing:
        return Pending(missing=tuple(missing))
    missing, adjacencies = _ospf_stage(nodes, daemons, briefs)
    if missing:
        return Pending(missing=tuple(missing))
    missing = _database_stage(nodes, adjacencies)
    if missing:
        return Pending(missing=tuple(missing))
    missing = [*_ospf6_stage(nodes, daemons), *_rip_stage(nodes, daemons, briefs), *_isis_stage(nodes, daemons, briefs)]
    if missing:
        return Pending(missing=tuple(missing))
    missing = _bgp_stage(nodes, daemons, briefs)
    if missing:
        return Pending(missing=tuple(missing))
    tables = [text for node in nodes.values() for text, _ in node.vty(_TABLES)]
    return Pending(fingerprint=rib.fingerprint(tables))


def _running(nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]], name: str) -> list[HostedNode]:
    return [node for node in nodes.values() if name in daemons[node.name]]


def _carrying(node: HostedNode, names: list[str]) -> list[str]:
    """Those of ``names`` that the kernel says are in operation: the far end of the others may be shut."""
    if not names:
        return []
    links = json.loads(node.run(["ip", "-j", "link", "show"]).stdout or "[]")
    return [link["ifname"] for link in links if link["ifname"] in names and link.get("operstate") == "UP"]


def _link_stage(nodes: Mapping[str, HostedNode], briefs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Interfaces that the kernel says are up and zebra does not yet know to be.

    The kernel is asked only where zebra knows of an interface that is down, since that costs a process.
    """
    missing = []
    for node in nodes.values():
        down = set(node.interfaces) - set(_up(briefs[node.name]))
        if down:
            links = json.loads(node.run(["ip", "-j", "link", "show"]).stdout or "[]")
            missing += [
                f"{node.name}: zebra has not yet seen {link['ifname']} come up"
                for link in links
                if link["ifname"] in down and link.get("operstate") == "UP"
            ]
    return missing


def _ospf_stage(
    nodes: Mapping[str, HostedNode],
    daemons: Mapping[str, frozenset[str]],
    briefs: Mapping[str, Mapping[str, Any]],
) -> tuple[list[str], list[ospf.Adjacency]]:
    sides: list[ospf.OspfInterface] = []
    states = {}
    phrases: list[str] = []
    for node in _running(nodes, daemons, "ospfd"):
        interfaces, neighbours = (_json(text) for text, _ in node.vty(_OSPF))
        sides += ospf.interfaces(node.name, interfaces)
        states[node.name] = ospf.neighbours(neighbours)
        late = _carrying(node, ospf.late(interfaces, _up(briefs[node.name])))
        phrases += [f"{node.name}: OSPF has not yet seen {name} come up" for name in late]
    pairs = ospf.expected(sides)
    lacking = list(ospf.missing(pairs, states))
    if lacking:
        touched = {side.node for pair, _ in lacking for side in (pair.one, pair.other)}
        configs = {name: ospf.parse_config(_config(nodes[name], "ospfd")) for name in sorted(touched)}
        lacking = list(ospf.missing([pair for pair, _ in lacking], states, configs))
        down = {id(pair) for pair, _ in ospf.missing(pairs, states)}
        pairs = [pair for pair in pairs if id(pair) not in down]
    return [*phrases, *dict.fromkeys(phrase for _, phrase in lacking)], pairs


def _database_stage(nodes: Mapping[str, HostedNode], adjacencies: list[ospf.Adjacency]) -> list[str]:
    names = sorted({side.node for pair in adjacencies for side in (pair.one, pair.other)})
    processes = {name: _json(nodes[name].vty([("ospfd", "show ip ospf json")])[0][0]) for name in names}
    return list(dict.fromkeys(ospf.unsynchronised(adjacencies, processes)))


def _ospf6_stage(nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]]) -> list[str]:
    sides: list[igps.Side] = []
    for node in _running(nodes, daemons, "ospf6d"):
        answers = [_json(text) for text, _ in node.vty(_OSPF6)]
        sides += igps.ospf6_sides(node.name, answers[0], answers[1], _config(node, "ospf6d"))
    return list(dict.fromkeys(igps.missing("OSPFv3", sides, igps.alike)))


def _rip_stage(
    nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]], briefs: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    sides: list[igps.Side] = []
    moving = []
    for node in _running(nodes, daemons, "ripd"):
        status, table, routes = (text for text, _ in node.vty(_RIP))
        where = igps.addresses(briefs[node.name])
        sides += igps.rip_sides(node.name, status, table, where, _config(node, "ripd"))
        moving += [f"{node.name}: RIP routes still change"] if igps.rip_is_moving(routes) else []
    moving += [
        f"{node.name}: RIP routes of IPv6 still change"
        for node in _running(nodes, daemons, "ripngd")
        if igps.rip_is_moving(node.vty([("zebra", "show ipv6 route ripng")])[0][0])
    ]
    return [*dict.fromkeys(igps.missing("RIP", sides, igps.rip_fits)), *moving]


def _isis_stage(
    nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]], briefs: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    sides: list[igps.Side] = []
    databases: dict[str, frozenset[tuple[str, ...]]] = {}
    for node in _running(nodes, daemons, "isisd"):
        interfaces, neighbours, topology, database = (text for text, _ in node.vty(_ISIS))
        answers = (_json(interfaces), neighbours, topology)
        sides += igps.isis_sides(node.name, answers, igps.addresses(briefs[node.name]), _config(node, "isisd"))
        databases[node.name] = igps.database_lines(database, igps.ISIS_ROW)
    phrases = list(dict.fromkeys(igps.missing("IS-IS", sides, igps.isis_fits)))
    if not phrases:
        phrases = [
            f"{one.node}: IS-IS database differs from that of {other.node}"
            for one, other in igps.pairs(sides, igps.isis_fits)
            # with one level and one area they have one database
            if len({side.traits[:2] for side in sides if side.node in {one.node, other.node}}) == 1
            and databases[one.node] != databases[other.node]
        ]
    return phrases


def _bgp_stage(
    nodes: Mapping[str, HostedNode],
    daemons: Mapping[str, frozenset[str]],
    briefs: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    speakers = {}
    for node in _running(nodes, daemons, "bgpd"):
        peers = bgp.peers(_json(node.vty([_BGP])[0][0]))
        speakers[node.name] = bgp.Speaker(node=node.name, peers=peers, addresses=bgp.addresses(briefs[node.name]))
    sessions = bgp.expected(speakers.values())
    lacking = list(bgp.missing(sessions))
    if not lacking:
        return _unfinished(nodes, sessions)
    touched = {speaker.node for session, _ in lacking for speaker in (session.one, session.other)}
    informed = [
        replace(speakers[name], settings=bgp.parse_settings(_config(nodes[name], "bgpd"))) for name in sorted(touched)
    ]
    return list(
        dict.fromkeys(
            phrase
            for session, phrase in bgp.missing(bgp.expected(informed))
            if bgp.possible(session) and _reachable(nodes, session)
        )
    )


def _unfinished(nodes: Mapping[str, HostedNode], sessions: list[bgp.Session]) -> list[str]:
    names = sorted({speaker.node for session in sessions for speaker in (session.one, session.other)})
    answers = {name: _json(nodes[name].vty([("bgpd", "show bgp neighbors json")])[0][0]) for name in names}
    return [phrase for session in sessions for phrase in bgp.unfinished(session, answers)]


def _reachable(nodes: Mapping[str, HostedNode], session: bgp.Session) -> bool:
    ways = ((session.one.node, session.there), (session.other.node, session.here))
    return all(rib.is_reachable(nodes[name].vty([("zebra", rib.lookup(address))])[0][0]) for name, address in ways)


def _config(node: HostedNode, daemon: str) -> str:
    return node.vty([(daemon, "enable"), (daemon, "show running-config")])[-1][0]


def _up(brief: Mapping[str, Any]) -> set[str]:
    return {name for name, entry in brief.items() if isinstance(entry, Mapping) and entry.get("status") == "up"}


def _json(text: str) -> dict[str, Any]:
    """The object in an answer; daemons answer a plain sentence where a protocol is not configured."""
    start = text.find("{")
    if start < 0:
        return {}
    answer = json.loads(text[start:])
    return answer if isinstance(answer, dict) else {}
