"""The neighbors of a router's OSPF and BGP, asked over its daemons' own sockets."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import bgp, ospf, processes
from pytest_netbench.platforms.frr.lookout import as_object
from pytest_netbench.platforms.sessions import Neighbor

_OSPF = ("ospfd", "show ip ospf neighbor json")
_BGP = ("bgpd", "show bgp summary json")


def neighbors(node: HostedNode) -> list[Neighbor]:
    """Return the neighbors of a router that FRR knows."""
    running = processes.running(node)
    return [*(_of_ospf(node) if "ospfd" in running else ()), *(_of_bgp(node) if "bgpd" in running else ())]


def _of_ospf(node: HostedNode) -> Iterator[Neighbor]:
    for (_, address), state in ospf.neighbours(as_object(node.vty([_OSPF])[0][0])).items():
        yield Neighbor(protocol="ospf", address=address, state=state, is_up=state.startswith("Full"))


def _of_bgp(node: HostedNode) -> Iterator[Neighbor]:
    for peer in bgp.peers(as_object(node.vty([_BGP])[0][0])).values():
        yield Neighbor(protocol="bgp", address=peer.address, state=peer.state, is_up=peer.state == "Established")
