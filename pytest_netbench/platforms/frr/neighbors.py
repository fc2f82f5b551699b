"""The neighbors of a router's OSPF and BGP, asked over its daemons' own sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import bgp, ospf, processes
from pytest_netbench.platforms.frr.snapshot import as_object
from pytest_netbench.platforms.sessions import Neighbor

_OSPF = ("ospfd", "show ip ospf neighbor json")
_BGP = ("bgpd", "show bgp summary json")


def neighbors(node: HostedNode) -> list[Neighbor]:
    """Return the neighbors of a router that FRR knows."""
    running = processes.running(node)
    return [one for daemon, read in _READERS.items() if daemon in running for one in _of_daemon(node, daemon, read)]


def _of_daemon(node: HostedNode, daemon: str, read: _Reader) -> list[Neighbor]:
    """The neighbors that a daemon knows; none if it ends while it is asked."""
    try:
        return list(read(node))
    except LabError:
        if daemon in processes.running(node):
            raise
        return []


def _of_ospf(node: HostedNode) -> Iterator[Neighbor]:
    for (_, address), state in ospf.neighbors(as_object(node.vty([_OSPF])[0][0])).items():
        yield Neighbor(protocol="ospf", address=address, state=state, is_up=state.startswith("Full"))


def _of_bgp(node: HostedNode) -> Iterator[Neighbor]:
    for peer in bgp.peers(as_object(node.vty([_BGP])[0][0])).values():
        yield Neighbor(protocol="bgp", address=peer.address, state=peer.state, is_up=peer.state == "Established")


_Reader = Callable[[HostedNode], Iterator[Neighbor]]
_READERS: Final[Mapping[str, _Reader]] = {"ospfd": _of_ospf, "bgpd": _of_bgp}
