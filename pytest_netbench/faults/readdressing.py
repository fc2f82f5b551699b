"""Faults by which an interface of a managed node has another address or mask than its network needs."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Final

from pytest_netbench.faults.addresses import too_long
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.state import has_route
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

_ANY_PLATFORM: Final = ("frr", "cisco_ios", "linux")
_LONGEST: Final = 30
"""Length of the longest mask with which a LAN makes sense."""
_SHORTER: Final = (8, 12, 16, 20, 22, 23, 24)
_ANSWERS_FOR_OTHERS: Final = "cisco_ios"
"""The platform that answers ARP for addresses behind it, so that a short mask of a host does no harm."""


AMONG_OTHERS: Final = "a host among those of another LAN"
"""What a host with an address of another LAN and one in another VLAN touch: their neighbors would mistake them."""


class Readdressed(OnDevice):
    """An interface, the address with its mask that it must have, and the one that it has instead."""

    interface: str
    address: str
    instead: str


class _Readdressing(DeviceFault[Readdressed]):
    """What faults share by which one address replaces another."""

    domain = "addressing"
    parameters = Readdressed
    found_at = "interface"
    platforms: tuple[str, ...] = _ANY_PLATFORM

    def touches(self, parameters: Readdressed) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def injection(self, parameters: Readdressed) -> tuple[str, ...]:
        return _replaced(parameters, parameters.address, parameters.instead)

    def repair(self, parameters: Readdressed) -> tuple[str, ...]:
        return _replaced(parameters, parameters.instead, parameters.address)

    def shown(self, parameters: Readdressed) -> tuple[str, ...]:
        if parameters.platform != "linux":
            return self.injection(parameters)
        there, gone = f" address {parameters.instead}", f" no address {parameters.address}"
        return (f"interface {parameters.interface}", there, gone)

    def remains(self, parameters: Readdressed, lab: Lab) -> Iterator[str]:
        right, wrong = (IPv4Interface(text).network for text in (parameters.address, parameters.instead))
        return has_route(lab, parameters.node, str(right), "connected") if right != wrong else iter(())


class MaskWrong(_Readdressing):
    """The mask of a router in a LAN is so long that hosts are outside."""

    name = "mask-wrong"
    label = "MASK"

    def _places(self, network: DrawnNetwork) -> Iterator[Readdressed]:
        for lan in network.lans:
            hosts = [IPv4Address(one.address) for one in lan.attachments if one.node in network.hosts]
            for gateway in _only_gateway(network, lan):
                for wrong in too_long(_address(lan, gateway), hosts, longest=_LONGEST):
                    yield _readdressed(network, lan, gateway, wrong)

    def symptoms(self, parameters: Readdressed, network: Observable) -> Iterator[Observation]:
        lan, known = (IPv4Interface(text).network for text in (parameters.address, parameters.instead))
        for name, address in network.addresses.items():
            if IPv4Address(address) in lan and IPv4Address(address) not in known:
                yield from asking.unreached(network, name, network.partner(name, outside=parameters.address))


class HostMaskWrong(_Readdressing):
    """The mask of a host is so short that it looks for hosts of other LANs in its own."""

    name = "host-mask-wrong"
    label = "HOST_MASK"
    platforms = ("linux",)

    def _places(self, network: DrawnNetwork) -> Iterator[Readdressed]:
        for lan, host in _hosts(network):
            if any(network.platform_of(one.node) == _ANSWERS_FOR_OTHERS for one in lan.attachments):
                continue
            others = [IPv4Address(one.address) for other, one in _hosts(network) if other != lan]
            for length in _SHORTER:
                wrong = IPv4Interface((host.address, length))
                if length < IPv4Network(lan.prefix).prefixlen and any(other in wrong.network for other in others):
                    yield _readdressed(network, lan, host, wrong)

    def symptoms(self, parameters: Readdressed, network: Observable) -> Iterator[Observation]:
        p = parameters
        target = network.partner(p.node, inside=p.instead, outside=p.address)
        if target is not None:
            because = f"{p.node} looks for {target} in its own LAN."
            yield from asking.state(network, p.node, "sends by itself", because, address=network.addresses[target])
        yield from asking.unreached(network, p.node, target)


class AddressDuplicate(_Readdressing):
    """A router has the address of another router: of its neighbor on a link, or of the gateway of another LAN."""

    name = "address-duplicate"
    label = "DUPLICATE"

    def is_mutual(self, parameters: Readdressed) -> bool:
        return IPv4Interface(parameters.address).network == IPv4Interface(parameters.instead).network

    def cuts(self, parameters: Readdressed) -> frozenset[str]:
        return frozenset({str(IPv4Interface(parameters.address).network)})

    def _places(self, network: DrawnNetwork) -> Iterator[Readdressed]:
        # OSPF finds a repaired neighbor at once; sessions of BGP and static routes can take minutes to come back
        for link in (link for link in network.transits if link.area is not None):
            for one in link.attachments:
                for other in link.attachments:
                    if other.node != one.node:
                        yield _readdressed(network, link, one, _address(link, other))
        gateways = [(lan, one) for lan in network.lans for one in _only_gateway(network, lan)]
        for lan, one in gateways:
            for other_lan, other in gateways:
                if other.node != one.node:
                    yield _readdressed(network, lan, one, _address(other_lan, other))

    def symptoms(self, parameters: Readdressed, network: Observable) -> Iterator[Observation]:
        p = parameters
        right, wrong = (IPv4Interface(text) for text in (p.address, p.instead))
        if right.network == wrong.network:
            because = f"{p.node} has no OSPF neighbor at {wrong.ip}, which is its own address now."
            yield from asking.state(network, p.node, "no OSPF neighbor", because, address=wrong.ip)
        else:
            because, words = f"{p.node} is not in {right.network} any more.", asking.routed(str(right.network))
            yield from asking.state(network, p.node, "no route", because, protocol="connected", **words)


class HostAddressDuplicate(_Readdressing):
    """A host has the address of a host of another LAN."""

    name = "host-address-duplicate"
    label = "HOST_DUPLICATE"
    platforms = ("linux",)

    def touches(self, parameters: Readdressed) -> frozenset[str]:
        return super().touches(parameters) | {AMONG_OTHERS}

    def _places(self, network: DrawnNetwork) -> Iterator[Readdressed]:
        for lan, host in _hosts(network):
            for other_lan, other in _hosts(network):
                if other_lan != lan:
                    yield _readdressed(network, lan, host, _address(other_lan, other))

    def symptoms(self, parameters: Readdressed, network: Observable) -> Iterator[Observation]:
        return asking.missed(network, parameters.node)


def _hosts(network: DrawnNetwork) -> Iterator[tuple[Subnet, Attachment]]:
    """Each host in its LAN."""
    for lan in network.lans:
        for one in lan.attachments:
            if one.node in network.hosts:
                yield lan, one


def _only_gateway(network: DrawnNetwork, lan: Subnet) -> Iterator[Attachment]:
    """The router of a LAN. Of several none: they share an address, which is bound to the mask of each."""
    routers = [one for one in lan.attachments if one.node in network.routers]
    if len(routers) == 1:
        yield routers[0]


def _address(subnet: Subnet, one: Attachment) -> IPv4Interface:
    return IPv4Interface((one.address, IPv4Network(subnet.prefix).prefixlen))


def _readdressed(network: DrawnNetwork, subnet: Subnet, one: Attachment, wrong: IPv4Interface) -> Readdressed:
    return Readdressed(
        node=one.node,
        platform=network.platform_of(one.node),
        interface=one.interface,
        address=str(_address(subnet, one)),
        instead=str(wrong),
    )


def _replaced(place: Readdressed, old: str, new: str) -> tuple[str, ...]:
    """Commands by which ``new`` replaces ``old``."""
    if place.platform == "cisco_ios":
        address = IPv4Interface(new)
        return (f"interface {place.interface}", f" ip address {address.ip} {address.netmask}")
    if place.platform == "frr":
        # FRR's OSPF loses the subnet if an interface has the same address with two masks for a moment
        return (f"interface {place.interface}", f" no ip address {old}", f" ip address {new}")
    commands = (f"ip address add {new} dev {place.interface}", f"ip address del {old} dev {place.interface}")
    # the first address of a subnet takes those with it that are added later
    same = IPv4Interface(old).network == IPv4Interface(new).network
    return commands[::-1] if same else commands
