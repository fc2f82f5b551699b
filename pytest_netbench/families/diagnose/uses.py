"""What hosts use of the services of a network, and what they get when it is healthy. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import MarkedFlows
from pytest_netbench.model.hosting import DhcpServer, DnsServer, LoadBalancer, RpkiCache, VpnEnd, WebServer
from pytest_netbench.model.topology import Node, Topology

SLOW_S: Final = 1.0
"""Wall seconds that a lookup, or a request for a page, takes at most."""


@dataclass(frozen=True, kw_only=True)
class NameService:
    """A DNS server. ``records`` are the full names that it knows, with their addresses."""

    node: str
    address: str
    domain: str
    records: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class PageService:
    """A web server, or a load balancer of web servers, and the page that it has.

    Attributes:
        servers: Nodes of the web servers of a load balancer.
    """

    node: str
    address: str
    url: str
    page_bytes: int
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AddressService:
    """A DHCP server: what it is configured with, and the addresses of its clients, by name where it is known."""

    node: str
    config: DhcpServer
    clients: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Tunnel:
    """A WireGuard tunnel: its two nodes, and their addresses in it."""

    nodes: tuple[str, str]
    addresses: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Uses:
    """What hosts use of a network: servers, tunnels, and the DSCP of their packets; all empty without services.

    Attributes:
        rpki: Node and address of the RPKI cache that routers use.
    """

    clients: tuple[str, ...] = ()
    dns: NameService | None = None
    pages: tuple[PageService, ...] = ()
    tunnels: tuple[Tunnel, ...] = ()
    marked: tuple[MarkedFlows, ...] = ()
    rpki: tuple[str, str] | None = None

    @property
    def count(self) -> int:
        """How many requests there are.

        Each host for each page, one for each name, a ping each way of a tunnel, and each marked flow.
        """
        names = len(self.dns.records) if self.dns else 0
        return (
            len(self.clients) * len(self.pages) + names + 2 * len(self.tunnels) + sum(one.count for one in self.marked)
        )


def uses_of(payload: Diagnose) -> Uses:
    """Return the servers of a network, the hosts that use them, its tunnels, and the flows that it marks."""
    topology = payload.topology
    addresses = {name: address for group in payload.flows for name, address in group.targets.items()}
    served = [(node, one) for node in topology.nodes if node.name in addresses for one in node.services]
    dns = next((_names(node, one, addresses) for node, one in served if isinstance(one, DnsServer)), None)
    pages = tuple(
        _page(node, addresses[node.name], _full(node, dns), one.page_bytes)
        for node, one in served
        if isinstance(one, WebServer)
    )
    pages += tuple(
        _page(node, addresses[node.name], one.name, _page_bytes(one, topology), tuple(one.servers))
        for node, one in served
        if isinstance(one, LoadBalancer)
    )
    tunnels = tuple(_tunnels(topology))
    caches = ((node.name, addresses[node.name]) for node, one in served if isinstance(one, RpkiCache))
    rpki = next(caches, None)
    if dns is None and not pages:
        return Uses(tunnels=tunnels, marked=payload.marked, rpki=rpki)
    clients = (node.name for node in topology.nodes if node.name in addresses and _is_client(payload, node, dns))
    return Uses(clients=tuple(clients), dns=dns, pages=pages, tunnels=tunnels, marked=payload.marked, rpki=rpki)


def _tunnels(topology: Topology) -> Iterator[Tunnel]:
    """The tunnels of a network, each once."""
    ends = {node.name: one for node in topology.nodes for one in node.services if isinstance(one, VpnEnd)}
    order = list(ends)
    for name, end in ends.items():
        for other in end.peers:
            if other in ends and order.index(name) < order.index(other):
                yield Tunnel(nodes=(name, other), addresses=(end.ip, ends[other].ip))


def leases_of(payload: Diagnose) -> tuple[AddressService, ...]:
    """Return the DHCP servers of a network."""
    names = {address: name for group in payload.flows for name, address in group.targets.items()}
    return tuple(
        AddressService(
            node=node.name,
            config=one,
            clients={names.get(address, address): address for address in one.leases.values()},
        )
        for node in payload.topology.nodes
        for one in node.services
        if isinstance(one, DhcpServer)
    )


def _page(node: Node, address: str, name: str | None, page_bytes: int, servers: tuple[str, ...] = ()) -> PageService:
    url = f"http://{name or address}/"
    return PageService(node=node.name, address=address, url=url, page_bytes=page_bytes, servers=servers)


def _page_bytes(balancer: LoadBalancer, topology: Topology) -> int:
    """The size of the page that all servers of a load balancer have."""
    pages = (one for name in balancer.servers for one in topology.node(name).services if isinstance(one, WebServer))
    return next(page.page_bytes for page in pages)


def _names(node: Node, server: DnsServer, addresses: dict[str, str]) -> NameService:
    return NameService(
        node=node.name,
        address=addresses[node.name],
        domain=server.domain,
        records={f"{name}.{server.domain}": address for name, address in server.records.items()},
    )


def _full(node: Node, dns: NameService | None) -> str | None:
    return None if dns is None else f"{node.name}.{dns.domain}"


def _is_client(payload: Diagnose, node: Node, dns: NameService | None) -> bool:
    if dns is not None:
        return any(one.kind == "resolver" for one in node.services)
    is_asked = node.control != "foreign" or node.name in payload.test_hosts
    return payload.platform_of(node.name) == "linux" and node.role == "host" and is_asked
