"""The session ends of FRR routers, asked over their daemons' own sockets, protocol by protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.ends import Address, Database, End, Exchange, Part
from pytest_netbench.platforms.frr import bfd, bgp, eigrp, igps, ospf, rib
from pytest_netbench.platforms.frr.snapshot import Snapshot, as_list, as_object, config

_OSPF = tuple(("ospfd", f"show ip ospf {what} json") for what in ("interface", "neighbor", "neighbor detail"))
_OSPF_PROCESS = ("ospfd", "show ip ospf json")
_OSPF6 = (
    ("ospf6d", "show ipv6 ospf6 interface json"),
    ("ospf6d", "show ipv6 ospf6 neighbor json"),
    ("ospf6d", "show ipv6 ospf6 neighbor detail json"),
    ("ospf6d", "show ipv6 ospf6 json"),
    ("ospf6d", "show ipv6 ospf6 database"),
)
_RIP = (("ripd", "show ip rip status"), ("ripd", "show ip rip"), ("zebra", "show ip route rip"))
_RIPNG = ("zebra", "show ipv6 route ripng")
_ISIS = tuple(("isisd", f"show isis {what}") for what in ("interface json", "neighbor", "topology", "database"))
_EIGRP = (("eigrpd", "show ip eigrp interfaces"), ("eigrpd", "show ip eigrp neighbor"))
_BGP = ("bgpd", "show bgp summary json")
_BGP_NEIGHBORS = ("bgpd", "show bgp neighbors json")
_BFD = ("bfdd", "show bfd peers json")


class FrrLook:
    """One observation of all routers of a driver.

    Args:
        nodes: The routers, their interfaces by the kernel's names.
        daemons: By node: the daemons that run.
    """

    def __init__(self, nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]]) -> None:
        self.snapshot = Snapshot(nodes, daemons)
        self._ospf: dict[str, tuple[list[ospf.OspfInterface], dict[tuple[str, str], str]]] = {}
        self._databases: dict[str, dict[Database, object]] = {}
        self._computing: list[str] = []

    @cached_property
    def owned(self) -> Mapping[str, Mapping[str, tuple[Address, ...]]]:
        """By router: its addresses by interface."""
        return {name: self.snapshot.owned(name) for name in self.snapshot.nodes}

    def waiting(self) -> list[str]:
        """Interfaces that the kernel says are up and zebra does not yet know to be."""
        return [
            f"{node.name}: zebra has not yet seen {name} come up"
            for node in self.snapshot.nodes.values()
            for name in self.snapshot.carrying(node, set(node.interfaces) - self.snapshot.up(node.name))
        ]

    def part(self, protocol: str) -> Part:
        read = _READERS.get(protocol)
        return Part() if read is None else read(self)

    def closely(self, ends: Sequence[End]) -> Sequence[End]:
        closer = _CLOSER.get(ends[0].protocol)
        return ends if closer is None else list(closer(self, ends))

    def exchanged(self, ends: Sequence[End]) -> Exchange:
        protocol = ends[0].protocol
        if protocol == "ospf":
            return self._ospf_databases(ends)
        if protocol == "bgp":
            return Exchange(list(self._bgp_unfinished(ends)))
        return Exchange(self._computing if protocol == "ospf6" else (), self._databases.get(protocol, {}))

    # -- OSPF ----------------------------------------------------------------------------------------------------------

    def ospf(self) -> Part:
        """Interfaces of OSPF, and those that ospfd does not yet know to be up."""
        ends: list[End] = []
        waiting = []
        for node in self.snapshot.running("ospfd"):
            interfaces, neighbors, details = (as_object(text) for text, _ in node.vty(_OSPF))
            found = ospf.interfaces(node.name, interfaces, self.owned[node.name]), ospf.neighbors(neighbors)
            self._ospf[node.name] = found
            ends += ospf.ends(*found)
            late = self.snapshot.carrying(node, ospf.late(interfaces, self.snapshot.up(node.name)))
            waiting += [f"{node.name}: OSPF has not yet seen {name} come up" for name in late]
            waiting += ospf.waiting(node.name, interfaces, neighbors, details)
        return Part(ends, waiting)

    def ospf_closely(self, ends: Iterable[End]) -> Iterator[End]:
        """Interfaces of OSPF, with what the config says of their areas and keys."""
        for name, own in _by_node(ends).items():
            places = {(end.interface, end.address) for end in own}
            sides, states = self._ospf[name]
            wanted = [side for side in sides if (side.name, str(side.address.ip)) in places]
            yield from ospf.ends(wanted, states, ospf.parse_config(config(self.snapshot.nodes[name], "ospfd")))

    def _ospf_databases(self, ends: Sequence[End]) -> Exchange:
        """Link-state databases of OSPF, and routes that are about to be computed."""
        waiting = []
        databases: dict[Database, object] = {}
        for name, own in sorted(_by_node(ends).items()):
            answer = as_object(self.snapshot.nodes[name].vty([_OSPF_PROCESS])[0][0])
            if ospf.is_computing(answer):
                waiting.append(f"{name}: OSPF is about to compute its routes")
            for area in {end.database for end in own}:
                databases[name, "", area] = ospf.database(answer, area.removeprefix("area "))
        return Exchange(waiting, databases)

    # -- OSPFv3, RIP, IS-IS, EIGRP -------------------------------------------------------------------------------------

    def ospf6(self) -> Part:
        """Interfaces of OSPFv3, and those that wait before an election. Keeps the databases."""
        ends: list[End] = []
        waiting = []
        kept = self._databases.setdefault("ospf6", {})
        for node in self.snapshot.running("ospf6d"):
            interfaces, neighbors, details, process, database = (text for text, _ in node.vty(_OSPF6))
            shown = as_object(interfaces)
            ends += igps.ospf6_ends(node.name, shown, as_object(neighbors), config(node, "ospf6d"))
            waiting += igps.ospf6_waiting(node.name, shown, as_object(details))
            for area, rows in igps.ospf6_databases(database).items():
                kept[node.name, "", f"area {area}"] = rows
            if as_object(process).get("spfTimerActive"):
                self._computing.append(f"{node.name}: OSPFv3 is about to compute its routes")
        return Part(ends, waiting)

    def rip(self) -> Part:
        """Interfaces of RIP, and routes of RIP and RIPng that others may not have heard of."""
        ends: list[End] = []
        waiting = []
        for node in self.snapshot.running("ripd"):
            status, table, routes = (text for text, _ in node.vty(_RIP))
            owned = self.snapshot.owned4(node.name)
            ends += igps.rip_ends(node.name, status, table, owned, config(node, "ripd"))
            if igps.rip_is_moving(routes):
                waiting.append(f"{node.name}: RIP routes still change")
        moving = [one for one in self.snapshot.running("ripngd") if igps.rip_is_moving(one.vty([_RIPNG])[0][0])]
        waiting += [f"{node.name}: RIP routes of IPv6 still change" for node in moving]
        return Part(ends, waiting)

    def isis(self) -> Part:
        """Circuits of IS-IS. Keeps the databases."""
        ends: list[End] = []
        kept = self._databases.setdefault("isis", {})
        for node in self.snapshot.running("isisd"):
            interfaces, neighbors, topology, database = (text for text, _ in node.vty(_ISIS))
            answers = (as_object(interfaces), neighbors, topology)
            own = igps.isis_ends(node.name, answers, self.snapshot.owned4(node.name), config(node, "isisd"))
            ends += own
            for domain in {end.database for end in own if end.database}:
                kept[node.name, "", domain] = igps.database_lines(database, igps.ISIS_ROW)
        return Part(ends)

    def eigrp(self) -> Part:
        """Interfaces of EIGRP."""
        ends: list[End] = []
        for node in self.snapshot.running("eigrpd"):
            shown, neighbors = (text for text, _ in node.vty(_EIGRP))
            owned = self.snapshot.owned4(node.name)
            ends += eigrp.ends(node.name, shown, neighbors, owned, config(node, "eigrpd"))
        return Part(ends)

    # -- BGP, BFD ------------------------------------------------------------------------------------------------------

    def bgp(self) -> Part:
        """Peers of BGP that are not shut down."""
        return Part(
            [
                bgp.end(node.name, peer, self.owned[node.name])
                for node in self.snapshot.running("bgpd")
                for peer in bgp.peers(as_object(node.vty([_BGP])[0][0])).values()
                if not peer.shut
            ]
        )

    def bgp_closely(self, ends: Iterable[End]) -> Iterator[End]:
        """Peers of BGP that their settings and the routing table let come up."""
        for name, own in _by_node(ends).items():
            node = self.snapshot.nodes[name]
            settings = bgp.parse_settings(config(node, "bgpd"))
            for end in own:
                closer = bgp.closer(end, settings.get(end.peer, ()))
                if closer is not None and (not bgp.is_numbered(end) or has_route(node, end.peer)):
                    yield closer

    def _bgp_unfinished(self, ends: Sequence[End]) -> Iterator[str]:
        for name, own in sorted(_by_node(ends).items()):
            answers = as_object(self.snapshot.nodes[name].vty([_BGP_NEIGHBORS])[0][0])
            for end in own:
                for family in bgp.unfinished(answers.get(end.peer) or {}):
                    yield f"{name}: BGP neighbor {end.peer} has not yet sent all its {family} routes"

    def bfd(self) -> Part:
        """Peers of BFD, of all VRFs."""
        return Part(
            [
                bfd.end(peer, self.owned[node.name])
                for node in self.snapshot.running("bfdd")
                for peer in bfd.peers(node.name, as_list(node.vty([_BFD])[0][0]))
                if peer.status != "shutdown"
            ]
        )


def has_route(node: HostedNode, address: str) -> bool:
    """Whether a router has a route to ``address`` that is not the default route."""
    return rib.is_reachable(node.vty([("zebra", rib.lookup(address))])[0][0])


def _by_node(ends: Iterable[End]) -> dict[str, list[End]]:
    found: dict[str, list[End]] = {}
    for end in ends:
        found.setdefault(end.node, []).append(end)
    return found


_READERS: Final[Mapping[str, Callable[[FrrLook], Part]]] = {
    "ospf": FrrLook.ospf,
    "ospf6": FrrLook.ospf6,
    "rip": FrrLook.rip,
    "isis": FrrLook.isis,
    "eigrp": FrrLook.eigrp,
    "bgp": FrrLook.bgp,
    "bfd": FrrLook.bfd,
}
_CLOSER: Final[Mapping[str, Callable[[FrrLook, Iterable[End]], Iterator[End]]]] = {
    "ospf": FrrLook.ospf_closely,
    "bgp": FrrLook.bgp_closely,
}
