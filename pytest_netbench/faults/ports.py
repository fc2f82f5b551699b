"""Faults of interfaces of managed nodes: another address or mask, another VLAN, and one that is shut down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from itertools import permutations
from typing import Any, Final

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.addresses import too_long
from pytest_netbench.faults.builders import NetworkValue, config_fault
from pytest_netbench.faults.change import Change, OnPort, Symptom, given, has_route, of_port, on_port, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import address_in, has_instead
from pytest_netbench.faults.paths import connects_unplugged, routers_of
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

_ANY_PLATFORM: Final = ("frr", "cisco_ios", "linux")
_LONGEST: Final = 30
"""Length of the longest mask with which a LAN makes sense."""
_SHORTER: Final = (8, 12, 16, 20, 22, 23, 24)
_ANSWERS_FOR_OTHERS: Final = "cisco_ios"
"""The platform that answers ARP for addresses behind it, so that a short mask of a host does no harm."""
_AMONG_OTHERS: Final = "a host among those of another LAN"
"""What a host with an address of another LAN and one in another VLAN touch: their neighbors would mistake them."""
_ACCESS: Final = "switchport access vlan "


class Readdressed(OnPort):
    """An interface, the address with its mask that it must have, and the one that it has instead."""

    address: str
    instead: str


def _replaced(p: Readdressed, old: str, new: str) -> tuple[str, ...]:
    """Commands by which ``new`` replaces ``old``."""
    if p.platform == "cisco_ios":
        address = IPv4Interface(new)
        return on_port(p, f"ip address {address.ip} {address.netmask}")
    if p.platform == "frr":
        # FRR's OSPF loses the subnet if an interface has the same address with two masks for a moment
        return on_port(p, *p.without(f"ip address {old}"), f"ip address {new}")
    commands = (f"ip address add {new} dev {p.interface}", f"ip address del {old} dev {p.interface}")
    # the first address of a subnet takes those with it that are added later
    same = IPv4Interface(old).network == IPv4Interface(new).network
    return commands[::-1] if same else commands


def _readdressing(
    name: str, symptom: Callable[[Observable, Readdressed], Iterable[Observation]], **fields: Any
) -> NetworkValue[Readdressed]:
    """A fault by which one address replaces another."""

    def change(p: Readdressed) -> Change:
        right, wrong = (IPv4Interface(text).network for text in (p.address, p.instead))
        return Change(
            inject=_replaced(p, p.address, p.instead),
            repair=_replaced(p, p.instead, p.address),
            shown=has_instead(p.interface, p.address, p.instead) if p.platform == "linux" else None,
            checks=() if right == wrong else (given(has_route, p.node, str(right), "connected"),),
            symptoms=(given(symptom, p),),
        )

    usual = {"platforms": _ANY_PLATFORM, "touches": of_port, "domain": "addressing", "found_at": "interface"}
    return config_fault(name, parameters=Readdressed, change=change, **{**usual, **fields})


def _readdressed(network: DrawnNetwork, subnet: Subnet, one: Attachment, wrong: IPv4Interface) -> Readdressed:
    own = str(address_in(subnet, one))
    return Readdressed.of(network, one.node, interface=one.interface, address=own, instead=str(wrong))


def _hosts(network: DrawnNetwork) -> Iterator[tuple[Subnet, Attachment]]:
    """Each host in its LAN."""
    return ((lan, one) for lan in network.lans for one in lan.attachments if one.node in network.hosts)


def _gateways(network: DrawnNetwork) -> Iterator[tuple[Subnet, Attachment]]:
    """The router of each LAN. Of several none: they share an address, which is bound to the mask of each."""
    for lan in network.lans:
        if len(routers := routers_of(network, lan)) == 1:
            yield lan, next(one for one in lan.attachments if one.node in routers)


def _with_long_masks(network: DrawnNetwork) -> Iterator[Readdressed]:
    for lan, gateway in _gateways(network):
        hosts = [IPv4Address(one.address) for one in lan.attachments if one.node in network.hosts]
        for wrong in too_long(address_in(lan, gateway), hosts, longest=_LONGEST):
            yield _readdressed(network, lan, gateway, wrong)


def _outside(network: Observable, p: Readdressed) -> Iterator[Observation]:
    lan, known = (IPv4Interface(text).network for text in (p.address, p.instead))
    for name, address in network.addresses.items():
        if IPv4Address(address) in lan and IPv4Address(address) not in known:
            yield from asking.unreached(network, name, network.partner(name, outside=p.address))


MASK_WRONG = _readdressing(
    "mask-wrong",
    about="The mask of a router in a LAN is so long that hosts are outside.",
    label="MASK",
    at=_with_long_masks,
    symptom=_outside,
)


def _with_short_masks(network: DrawnNetwork) -> Iterator[Readdressed]:
    for lan, host in _hosts(network):
        if any(network.platform_of(one.node) == _ANSWERS_FOR_OTHERS for one in lan.attachments):
            continue
        others = [IPv4Address(one.address) for other, one in _hosts(network) if other != lan]
        for length in _SHORTER:
            wrong = IPv4Interface((host.address, length))
            if length < IPv4Network(lan.prefix).prefixlen and any(other in wrong.network for other in others):
                yield _readdressed(network, lan, host, wrong)


def _looked_for(network: Observable, p: Readdressed) -> Iterator[Observation]:
    target = network.partner(p.node, inside=p.instead, outside=p.address)
    if target is not None:
        because = f"{p.node} looks for {target} in its own LAN."
        yield from asking.state(network, p.node, "sends by itself", because, address=network.addresses[target])
    yield from asking.unreached(network, p.node, target)


HOST_MASK_WRONG = _readdressing(
    "host-mask-wrong",
    about="The mask of a host is so short that it looks for hosts of other LANs in its own.",
    label="HOST_MASK",
    platforms=("linux",),
    at=_with_short_masks,
    symptom=_looked_for,
)


def _of_other_routers(network: DrawnNetwork) -> Iterator[Readdressed]:
    # OSPF finds a repaired neighbor at once; sessions of BGP and static routes can take minutes to come back
    for link in (link for link in network.transits if link.area is not None):
        for one, other in permutations(link.attachments, 2):
            if other.node != one.node:
                yield _readdressed(network, link, one, address_in(link, other))
    for (lan, one), (other_lan, other) in permutations(_gateways(network), 2):
        if other.node != one.node:
            yield _readdressed(network, lan, one, address_in(other_lan, other))


def _lost(network: Observable, p: Readdressed) -> Iterator[Observation]:
    right, wrong = (IPv4Interface(text) for text in (p.address, p.instead))
    if right.network == wrong.network:
        because = f"{p.node} has no OSPF neighbor at {wrong.ip}, which is its own address now."
        yield from asking.state(network, p.node, "no OSPF neighbor", because, address=wrong.ip)
    else:
        because, words = f"{p.node} is not in {right.network} any more.", asking.routed(str(right.network))
        yield from asking.state(network, p.node, "no route", because, protocol="connected", **words)


ADDRESS_DUPLICATE = _readdressing(
    "address-duplicate",
    about="A router has the address of another router: of its neighbor on a link, or of the gateway of another LAN.",
    label="DUPLICATE",
    at=_of_other_routers,
    symptom=_lost,
    cuts=lambda p: frozenset({str(IPv4Interface(p.address).network)}),
    is_mutual=lambda p: IPv4Interface(p.address).network == IPv4Interface(p.instead).network,
)
HOST_ADDRESS_DUPLICATE = _readdressing(
    "host-address-duplicate",
    about="A host has the address of a host of another LAN.",
    label="HOST_DUPLICATE",
    platforms=("linux",),
    at=lambda network: (
        _readdressed(network, lan, host, address_in(other_lan, other))
        for (lan, host), (other_lan, other) in permutations(_hosts(network), 2)
        if other_lan != lan
    ),
    symptom=lambda network, p: asking.missed(network, p.node),
    touches=lambda p: of_port(p) | {_AMONG_OTHERS},
)


class WrongVlan(OnPort):
    """An access port, its VLAN, and the VLAN that it is in instead. ``peer``: the other end of its cable."""

    peer: str
    vlan: int
    instead: int


def _in_other_vlans(network: DrawnNetwork) -> Iterator[WrongVlan]:
    for node, config in network.startup_configs.items():
        paths = list(config_paths(config))
        vlans = [int(path[0].split()[1]) for path in paths if len(path) == 1 and path[0].startswith("vlan ")]
        ports = {path[0].removeprefix("interface "): path[1] for path in paths if _is_access(path)}
        for interface, line in ports.items():
            right, peer = int(line.removeprefix(_ACCESS)), _peer(network, node, interface)
            for wrong in (vlan for vlan in vlans if vlan != right):
                yield WrongVlan.of(network, node, interface=interface, peer=peer, vlan=right, instead=wrong)


def _is_access(path: Sequence[str]) -> bool:
    """Whether a line of a config puts an interface into a VLAN."""
    return len(path) == 2 and path[1].startswith(_ACCESS)


def _peer(network: DrawnNetwork, node: str, interface: str) -> str:
    """The node and the interface at the other end of a cable."""
    for link in network.topology.links:
        ends = {(end.node, end.interface): end for end in link.endpoints}
        if ends.pop((node, interface), None) is not None:
            return " ".join(f"{end.node} {end.interface}" for end in ends.values())
    raise ValueError(f"{node}: interface {interface} has no cable")


def _cut_off(host: str) -> Symptom:
    return lambda network: asking.unreached(network, host, network.partner(host))


VLAN_WRONG = config_fault(
    "vlan-wrong",
    about="An access port is in another VLAN of its switch.",
    label="VLAN",
    domain="link",
    found_at="interface",
    parameters=WrongVlan,
    platforms=("cisco_ios",),
    at=_in_other_vlans,
    # with an address of the other VLAN, the node at the other end would work there
    touches=lambda p: of_port(p) | {p.peer, _AMONG_OTHERS},
    change=lambda p: Change(
        inject=on_port(p, f"{_ACCESS}{p.instead}"),
        repair=on_port(p, f"{_ACCESS}{p.vlan}"),
        symptoms=(_cut_off(p.peer.partition(" ")[0]),),
    ),
)


class ShutPort(OnPort):
    """An interface with a cable. ``prefix`` is that of its subnet, if it has one."""

    prefix: str | None = None


def _needed(network: DrawnNetwork) -> Iterator[ShutPort]:
    prefixes = {(one.node, one.interface): net.prefix for net in network.subnets for one in net.attachments}
    for node in (node.name for node in network.topology.nodes):
        for interface in network.topology.interfaces(node):
            if not connects_unplugged(network, node, interface):
                yield ShutPort.of(network, node, interface=interface, prefix=prefixes.get((node, interface)))


PORT_SHUTDOWN = config_fault(
    "port-shutdown",
    about="An interface of a router or a switch, without which hosts are cut off, is administratively down.",
    label="PORT",
    domain="link",
    found_at="interface",
    parameters=ShutPort,
    at=_needed,
    touches=of_port,
    change=lambda p: Change(
        inject=on_port(p, "shutdown"),
        repair=on_port(p, *p.without("shutdown")),
        checks=() if p.prefix is None else (given(has_route, p.node, p.prefix, "connected"),),
        symptoms=(
            shows(p.node, "shut down", f"{p.interface} of {p.node} is administratively down.", interface=p.interface),
        ),
    ),
)
