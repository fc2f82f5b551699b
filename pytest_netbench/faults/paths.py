"""Which subnets of a network on paper are reached through which neighbor, and which are announced by BGP."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.syntax import announcing
from pytest_netbench.model.network import DrawnNetwork, Subnet

_Links = Mapping[str, Mapping[str, None]]


def only_behind(network: DrawnNetwork, node: str, neighbor: str) -> tuple[Subnet, ...]:
    """Return the LANs that ``node`` reaches through ``neighbor`` and through no other router, in network order."""
    links = _links(network)
    others: set[str] = set()
    for other in links.get(node, ()):
        if other != neighbor and other not in others:  # all that it reaches is known then
            others |= _reached(links, other, without=node)
    behind = _reached(links, neighbor, without=node) - others
    return tuple(lan for lan in network.lans if (routers := {*routers_of(network, lan)}) and routers <= behind)


def connects(network: DrawnNetwork, without: Collection[str]) -> bool:
    """Whether all hosts are connected to each other without the subnets that have the given prefixes."""
    links: dict[str, dict[str, None]] = {}
    for subnet in network.subnets:
        if subnet.prefix not in without:
            _join(links, subnet)
    return _all_hosts(network, links)


def connects_unplugged(network: DrawnNetwork, node: str, interface: str) -> bool:
    """Whether all hosts are connected to each other without the cable at an interface."""
    links: dict[str, dict[str, None]] = {}
    for link in network.topology.links:
        nodes = [end.node for end in link.endpoints if (end.node, end.interface) != (node, interface)]
        _connect(links, nodes)
    return _all_hosts(network, links)


def announced(network: DrawnNetwork, node: str) -> tuple[str, ...]:
    """The subnets that a router announces by BGP, by statements of its own."""
    lines = {path[-1] for path in config_paths(network.startup_configs[node])}
    platform = network.platform_of(node)
    return tuple(subnet.prefix for subnet in network.subnets if announcing(platform, subnet.prefix) in lines)


def routers_of(network: DrawnNetwork, subnet: Subnet) -> tuple[str, ...]:
    """The routers of a subnet."""
    return tuple(one.node for one in subnet.attachments if one.node in network.routers)


def _all_hosts(network: DrawnNetwork, links: _Links) -> bool:
    first = next(iter(network.hosts), None)
    return first is None or set(network.hosts) <= _reached(links, first, without="")


def _links(network: DrawnNetwork) -> _Links:
    links: dict[str, dict[str, None]] = {}
    for subnet in network.transits:
        _join(links, subnet)
    return links


def _join(links: dict[str, dict[str, None]], subnet: Subnet) -> None:
    _connect(links, [one.node for one in subnet.attachments])


def _connect(links: dict[str, dict[str, None]], nodes: Sequence[str]) -> None:
    for node in nodes:
        links.setdefault(node, {}).update(dict.fromkeys(other for other in nodes if other != node))


def _reached(links: _Links, start: str, *, without: str) -> set[str]:
    found, waiting = {start}, deque([start])
    while waiting:
        for other in links.get(waiting.popleft(), ()):
            if other != without and other not in found:
                found.add(other)
                waiting.append(other)
    return found
