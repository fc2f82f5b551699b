"""Drawing decoys, of healthy networks and faulty ones alike, at places that no fault that was drawn has a part in."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from typing import Final, Literal

from pytest_netbench.faults.router_links import bgp_sessions, ospf_links
from pytest_netbench.generators.brownfield.ground import retired_blocks
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.decoys import Decoy
from pytest_netbench.model.faulty import FlowGroup, InjectedFault
from pytest_netbench.model.network import DrawnNetwork

DecoysName = Literal["none", "drawn"]
_SHARE: Final = 0.6
_FEWEST_HOSTS: Final = 4
_LENGTH: Final = 24


def draw_decoys(
    network: DrawnNetwork, faults: Sequence[InjectedFault], source: random.Random, *, has_logins: bool = True
) -> tuple[Decoy, ...]:
    """Draw decoys, one of a kind at most.

    Args:
        network: As it was drawn.
        faults: Those that were drawn, also of a network that will be healthy.
        source: Of the choices.
        has_logins: Whether an agent can log in anywhere. Elsewhere nobody sees what a colleague has configured.
    """
    part = {node for cause in causes_of(faults, network.topology) for node in cause.nodes}
    text = " ".join(one.model_dump_json() for one in faults)
    of_kinds = (_changes(network, source), _flaps(network, part), _off(network, part, text))
    found = []
    for places in of_kinds:
        several = list(places)
        is_drawn = source.random() < _SHARE
        if several and is_drawn:
            found.append(source.choice(several))
    return tuple(one for one in found if has_logins or one.kind != "change")


def darkened(network: DrawnNetwork, decoys: Sequence[Decoy]) -> DrawnNetwork:
    """Return the network with hosts switched off."""
    off = tuple(one.node for one in decoys if one.kind == "off")
    configs = dict(network.startup_configs)
    for node in off:
        (interface,) = network.topology.interfaces(node)
        configs[node] += f"ip link set dev {interface} down\n"
    hosts = tuple(name for name in network.hosts if name not in off)
    return network.model_copy(update={"hosts": hosts, "switched_off": off, "startup_configs": configs})


def dark_flows(network: DrawnNetwork) -> Iterator[FlowGroup]:
    """Pings to hosts that are switched off: no one gets through."""
    for node in network.switched_off:
        targets = {node: network.addresses[node]}
        yield FlowGroup(sources=network.hosts, targets=targets, protocol="icmp", allowed=False)


def _changes(network: DrawnNetwork, source: random.Random) -> Iterator[Decoy]:
    """A discarding route on each router, to a block that nothing in the network has."""
    (block, *_) = retired_blocks(network, source)
    net = IPv4Network((int(block.network_address) + (source.randrange(1 << (_LENGTH - block.prefixlen)) << 8), _LENGTH))
    for node in network.routers:
        if network.is_managed(node) and (line := _discarding(network.platform_of(node), net)):
            yield Decoy(kind="change", node=node, lines=(line,))


def _discarding(platform: str, net: IPv4Network) -> str | None:
    known = {
        "frr": f"ip route {net} blackhole 200",
        "cisco_ios": f"ip route {net.network_address} {net.netmask} Null0 200",
    }
    return known.get(platform)


def _flaps(network: DrawnNetwork, part: set[str]) -> Iterator[Decoy]:
    """Cables with a session of a routing protocol, between routers that no fault has a part in."""
    links = [*(("ospf", one) for one in ospf_links(network)), *(("bgp", one.link) for one in bgp_sessions(network))]
    known = {(link.node, link.interface, link.peer): (protocol, link) for protocol, link in reversed(links)}
    for node, interface, peer in dict.fromkeys((link.node, link.interface, link.peer) for _, link in links):
        if not {node, peer} & part and network.is_managed(node) and network.is_managed(peer):
            protocol, link = known[node, interface, peer]
            session = {"protocol": protocol, "addresses": (link.address, link.neighbor)}
            yield Decoy.model_validate({"kind": "flap", "node": node, "interface": interface, "peer": peer, **session})


def _off(network: DrawnNetwork, part: set[str], text: str) -> Iterator[Decoy]:
    """Hosts without servers, of LANs with others, where no server depends on all hosts."""
    if network.topology.servers or len(network.hosts) < _FEWEST_HOSTS:
        return
    named = f"{text} {network.access_lists}"
    for node in network.hosts:
        lan = [one.node for one in network.lan_of(node).attachments if one.node in network.hosts]
        is_own = network.topology.controls[node] != "foreign"
        if len(lan) > 1 and is_own and node not in part and network.addresses[node] not in named:
            yield Decoy(kind="off", node=node)
