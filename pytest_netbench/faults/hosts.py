"""Faults of a host: its address, a route, and what it believes of its gateway."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv4Network
from typing import Final, TypeVar

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

UNKNOWN_MACS: Final = ("02:1c:73:a9:04:5e", "06:50:56:3d:c1:17", "0a:25:90:e4:7b:62")
"""Hardware addresses that nobody has."""


class HostInLan(OnDevice):
    """A host, its interface, its address with the mask, and its default gateway."""

    interface: str
    address: str
    gateway: str


_MAC: Final = re.compile(r"^ip link set dev \S+ address (\S+)$", re.MULTILINE)

H = TypeVar("H", bound=HostInLan)


class HostFault(DeviceFault[H]):
    """What faults of hosts share. A subclass says in which ways a host can have it."""

    domain = "addressing"
    platforms = ("linux",)

    def _places(self, network: DrawnNetwork) -> Iterator[H]:
        for lan in network.lans:
            for one in lan.attachments:
                if one.node in network.hosts:
                    yield from self._ways(network, lan, one, _host(network, lan, one))

    @abstractmethod
    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[H]:
        """The parameters of a host."""

    def touches(self, parameters: H) -> frozenset[str]:
        # the address, the routes and the neighbors of a host depend on each other
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def symptoms(self, parameters: H, network: Observable) -> Iterator[Observation]:
        # the hosts of its LAN may be reached without a gateway
        target = network.partner(parameters.node, outside=parameters.address)
        yield from asking.unreached(network, parameters.node, target)


class HostAddressMissing(HostFault[HostInLan]):
    """A host has no address."""

    name = "host-address-missing"
    label = "HOST_NO_ADDRESS"
    parameters = HostInLan
    called = {"nika": "host_missing_ip"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[HostInLan]:  # noqa: ARG002  (there is one way)
        yield host

    def injection(self, parameters: HostInLan) -> tuple[str, ...]:
        return (f"ip address del {parameters.address} dev {parameters.interface}",)

    def repair(self, parameters: HostInLan) -> tuple[str, ...]:
        return (f"ip address add {parameters.address} dev {parameters.interface}", _default(parameters))

    def shown(self, parameters: HostInLan) -> tuple[str, ...]:  # noqa: ARG002  (an interface without any has no lines)
        return ()

    def remains(self, parameters: HostInLan, lab: Lab) -> Iterator[str]:
        config = lab.driver(parameters.node).running_config(lab.nodes[parameters.node])
        if (f"interface {parameters.interface}", f"address {parameters.address}") in config_paths(config):
            yield f"it still has the address {parameters.address}"

    def symptoms(self, parameters: HostInLan, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.interface} of {parameters.node} has no address."
        yield from asking.state(network, parameters.node, "no address", because, interface=parameters.interface)
        yield from super().symptoms(parameters, network)


class Renumbered(HostInLan):
    """A host, and the address that it has instead of its own."""

    instead: str


class HostAddressWrong(HostFault[Renumbered]):
    """A host has another address of its LAN than the one under which it is known."""

    name = "host-address-wrong"
    label = "HOST_ADDRESS"
    parameters = Renumbered
    called = {"nika": "host_incorrect_ip"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[Renumbered]:  # noqa: ARG002  (the LAN has all)
        prefix = IPv4Network(lan.prefix)
        taken = {lan.gateway, *(other.address for other in lan.attachments)}
        for number in (11, 50, 77, 101, 200):
            if number < prefix.num_addresses - 1 and str(prefix[number]) not in taken:
                instead = IPv4Interface((prefix[number], prefix.prefixlen))
                yield Renumbered(**dict(host), instead=str(instead))

    def injection(self, parameters: Renumbered) -> tuple[str, ...]:
        return renumbered(parameters, parameters.address, parameters.instead)

    def repair(self, parameters: Renumbered) -> tuple[str, ...]:
        return renumbered(parameters, parameters.instead, parameters.address)

    def shown(self, parameters: Renumbered) -> tuple[str, ...]:
        there, gone = f" address {parameters.instead}", f" no address {parameters.address}"
        return (f"interface {parameters.interface}", there, gone)

    def symptoms(self, parameters: Renumbered, network: Observable) -> Iterator[Observation]:
        return asking.missed(network, parameters.node)


class Discarding(HostInLan):
    """A host, and the prefix of another LAN to which it discards what it would send."""

    prefix: str


class HostRouteBlackhole(HostFault[Discarding]):
    """A route of a host discards what it would send to another LAN."""

    domain = "forwarding"
    name = "host-route-blackhole"
    label = "HOST_BLACKHOLE"
    parameters = Discarding
    called = {"nika": "host_static_blackhole"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[Discarding]:  # noqa: ARG002  (any host)
        for other in network.lans:
            if other != lan and any(network.reaches(host.node, far.node) for far in _hosts(network, other)):
                yield Discarding(**dict(host), prefix=other.prefix)

    def injection(self, parameters: Discarding) -> tuple[str, ...]:
        return (f"ip route add blackhole {parameters.prefix}",)

    def repair(self, parameters: Discarding) -> tuple[str, ...]:
        return (f"ip route del blackhole {parameters.prefix}",)

    def shown(self, parameters: Discarding) -> tuple[str, ...]:
        return ("routes main", f" blackhole {parameters.prefix}")

    def symptoms(self, parameters: Discarding, network: Observable) -> Iterator[Observation]:
        target = str(IPv4Network(parameters.prefix)[1])
        because = f"{parameters.node} discards what it would send to {parameters.prefix}."
        yield from asking.state(network, parameters.node, "discards", because, address=target)


class WrongNeighbor(HostInLan):
    """A host, and the hardware address that it has for its gateway."""

    mac: str


class HostNeighborWrong(HostFault[WrongNeighbor]):
    """A host has a permanent entry in its neighbor table that gives its gateway a hardware address of nobody."""

    domain = "forwarding"
    name = "host-neighbor-wrong"
    label = "HOST_NEIGHBOR"
    parameters = WrongNeighbor
    called = {"nika": "arp_cache_poisoning"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[WrongNeighbor]:  # noqa: ARG002  (any host)
        for mac in UNKNOWN_MACS:
            yield WrongNeighbor(**dict(host), mac=mac)

    def injection(self, parameters: WrongNeighbor) -> tuple[str, ...]:
        entry = f"{parameters.gateway} lladdr {parameters.mac} dev {parameters.interface}"
        return (f"ip neighbor replace {entry} nud permanent",)

    def repair(self, parameters: WrongNeighbor) -> tuple[str, ...]:
        return (f"ip neighbor del {parameters.gateway} dev {parameters.interface}",)

    def shown(self, parameters: WrongNeighbor) -> tuple[str, ...]:  # noqa: ARG002  (no config has neighbors)
        return ()

    def remains(self, parameters: WrongNeighbor, lab: Lab) -> Iterator[str]:
        done = lab.nodes[parameters.node].run(["ip", "-j", "neighbor", "show", parameters.gateway])
        found = json.loads(done.stdout or "[]")
        if parameters.mac not in {one.get("lladdr") for one in found if "PERMANENT" in one["state"]}:
            yield f"the gateway {parameters.gateway} is not known as {parameters.mac}"

    def symptoms(self, parameters: WrongNeighbor, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has a permanent entry for its gateway {p.gateway}."
        yield from asking.state(network, p.node, "permanent neighbor", because, address=p.gateway, mac=p.mac)
        yield from super().symptoms(p, network)


def configured_mac(network: DrawnNetwork, node: str) -> str | None:
    """The hardware address that the startup config of a host sets; ``None`` if it leaves that to the kernel."""
    found = _MAC.search(network.startup_configs[node])
    return None if found is None else found[1]


def _hosts(network: DrawnNetwork, lan: Subnet) -> Iterator[Attachment]:
    return (one for one in lan.attachments if one.node in network.hosts)


def _host(network: DrawnNetwork, lan: Subnet, one: Attachment) -> HostInLan:
    return HostInLan(
        node=one.node,
        platform=network.platform_of(one.node),
        interface=one.interface,
        address=str(IPv4Interface((one.address, IPv4Network(lan.prefix).prefixlen))),
        gateway=str(lan.gateway),
    )


def _default(host: HostInLan) -> str:
    return f"ip route replace default via {host.gateway}"


def renumbered(host: Renumbered, old: str, new: str) -> tuple[str, ...]:
    """Commands that give a host another address in the place of one, and its default route."""
    # the kernel forgets the routes of an interface with its last address
    where = f"dev {host.interface}"
    return (f"ip address del {old} {where}", f"ip address add {new} {where}", _default(host))
