"""Faults of a host: its address, its routes, and what it believes of its gateway."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv4Network
from typing import Any, Final

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import NetworkValue, config_fault
from pytest_netbench.faults.change import Change, OnPort, Symptom, given, of_port, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet
from pytest_netbench.platforms.capabilities import EXEC

UNKNOWN_MACS: Final = ("02:1c:73:a9:04:5e", "06:50:56:3d:c1:17", "0a:25:90:e4:7b:62")
"""Hardware addresses that nobody has."""
ELSEWHERE: Final = "192.0.2.1"
"""An address that no LAN has, so that the default route is asked for."""
_MAC: Final = re.compile(r"^ip link set dev \S+ address (\S+)$", re.MULTILINE)
_NUMBERS: Final = (11, 50, 77, 101, 200)
_ANY_ADDRESS: Final = "p4"
"""The platform of switches that forward a packet for whatever hardware address it comes."""


class HostInLan(OnPort):
    """A host, its interface, its address with the mask, and its default gateway."""

    address: str
    gateway: str

    @property
    def default(self) -> str:
        """The command that gives it its default route."""
        return f"ip route replace default via {self.gateway}"


class Renumbered(HostInLan):
    """A host, and the address that it has instead of its own."""

    instead: str


def host_fault(name: str, **fields: Any) -> NetworkValue[Any]:
    """Return a fault of a host, whose address, routes and neighbors depend on each other."""
    return config_fault(name, **{"platforms": ("linux",), "domain": "addressing", "touches": of_port, **fields})


def hosts_in(network: DrawnNetwork) -> Iterator[tuple[Subnet, HostInLan]]:
    """Each host in its LAN."""
    for lan in network.lans:
        for one in lan.attachments:
            if one.node in network.hosts:
                where = {"interface": one.interface, "address": str(address_in(lan, one)), "gateway": str(lan.gateway)}
                yield lan, HostInLan.of(network, one.node, **where)


def address_in(subnet: Subnet, one: Attachment) -> IPv4Interface:
    """The address of a node in a subnet, with the mask."""
    return IPv4Interface((one.address, IPv4Network(subnet.prefix).prefixlen))


def free_addresses(lan: Subnet, numbers: tuple[int, ...]) -> Iterator[str]:
    """Addresses of a LAN by number that nobody has."""
    prefix, taken = IPv4Network(lan.prefix), {lan.gateway, *(one.address for one in lan.attachments)}
    free = (str(prefix[number]) for number in numbers if number < prefix.num_addresses - 1)
    return (address for address in free if address not in taken)


def configured_mac(network: DrawnNetwork, node: str) -> str | None:
    """The hardware address that the startup config of a host sets; ``None`` if it leaves that to the kernel."""
    found = _MAC.search(network.startup_configs[node])
    return None if found is None else found[1]


def alone(p: HostInLan) -> Symptom:
    """The symptom of a host that reaches no other LAN. Those of its own may be reached without a gateway."""
    return lambda network: asking.unreached(network, p.node, network.partner(p.node, outside=p.address))


def has_instead(interface: str, old: str, new: str) -> tuple[str, ...]:
    """What a host shows that has one address instead of another one."""
    return (f"interface {interface}", f" address {new}", f" no address {old}")


def renumbering(p: Renumbered, *symptoms: Symptom, **others: Any) -> Change:
    """A change by which a host has another address."""
    # the kernel forgets the routes of an interface with its last address
    own, other = (f"{address} dev {p.interface}" for address in (p.address, p.instead))
    return Change(
        inject=(f"ip address del {own}", f"ip address add {other}", p.default),
        repair=(f"ip address del {other}", f"ip address add {own}", p.default),
        shown=has_instead(p.interface, p.address, p.instead),
        symptoms=symptoms,
        **others,
    )


def dropping(table: str, *rules: str, quote: str = "", **others: Any) -> Change:
    """A change by which a packet filter in a table of its own drops what comes in."""
    chain = f"inet {table} input"
    return Change(
        inject=(
            f"nft add table inet {table}",
            f"nft 'add chain {chain} {{ type filter hook input priority filter; policy accept; }}'",
            *(f"nft {quote}add rule {chain} {rule}{quote}" for rule in rules),
        ),
        repair=(f"nft delete table inet {table}",),
        shown=(f"table inet {table}", " chain input", *(f"  {rule}" for rule in rules)),
        **others,
    )


def _has_address(lab: Lab, p: HostInLan) -> Iterator[str]:
    config = lab.driver(p.node).running_config(lab.nodes[p.node])
    if (f"interface {p.interface}", f"address {p.address}") in config_paths(config):
        yield f"it still has the address {p.address}"


HOST_ADDRESS_MISSING = host_fault(
    "host-address-missing",
    about="A host has no address.",
    label="HOST_NO_ADDRESS",
    parameters=HostInLan,
    called={"nika": "host_missing_ip"},
    at=lambda network: (host for _, host in hosts_in(network)),
    change=lambda p: Change(
        inject=(f"ip address del {p.address} dev {p.interface}",),
        repair=(f"ip address add {p.address} dev {p.interface}", p.default),
        shown=(),  # an interface without any has no lines
        checks=(given(_has_address, p),),
        symptoms=(
            shows(p.node, "no address", f"{p.interface} of {p.node} has no address.", interface=p.interface),
            alone(p),
        ),
    ),
)
HOST_ADDRESS_WRONG = host_fault(
    "host-address-wrong",
    about="A host has another address of its LAN than the one under which it is known.",
    label="HOST_ADDRESS",
    parameters=Renumbered,
    called={"nika": "host_incorrect_ip"},
    at=lambda network: (
        Renumbered(**dict(host), instead=f"{free}/{IPv4Network(lan.prefix).prefixlen}")
        for lan, host in hosts_in(network)
        for free in free_addresses(lan, _NUMBERS)
    ),
    change=lambda p: renumbering(p, given(asking.missed, p.node)),
)


class Discarding(HostInLan):
    """A host, and the prefix of another LAN to which it discards what it would send."""

    prefix: str


def _discarded(network: DrawnNetwork) -> Iterator[Discarding]:
    for lan, host in hosts_in(network):
        for other in network.lans:
            far = [one.node for one in other.attachments if one.node in network.hosts]
            if other != lan and any(network.reaches(host.node, node) for node in far):
                yield Discarding(**dict(host), prefix=other.prefix)


def _discarding(p: Discarding) -> Change:
    because = f"{p.node} discards what it would send to {p.prefix}."
    return Change(
        inject=(f"ip route add blackhole {p.prefix}",),
        repair=(f"ip route del blackhole {p.prefix}",),
        shown=("routes main", f" blackhole {p.prefix}"),
        symptoms=(shows(p.node, "discards", because, address=str(IPv4Network(p.prefix)[1])),),
    )


HOST_ROUTE_BLACKHOLE = host_fault(
    "host-route-blackhole",
    about="A route of a host discards what it would send to another LAN.",
    label="HOST_BLACKHOLE",
    domain="forwarding",
    parameters=Discarding,
    called={"nika": "host_static_blackhole"},
    at=_discarded,
    change=_discarding,
)


class WrongNeighbor(HostInLan):
    """A host, and the hardware address that it has for its gateway."""

    mac: str


def _knows(lab: Lab, p: WrongNeighbor) -> Iterator[str]:
    done = lab.nodes[p.node].capability(EXEC).run(["ip", "-j", "neighbor", "show", p.gateway])
    found = json.loads(done.stdout or "[]")
    if p.mac not in {one.get("lladdr") for one in found if "PERMANENT" in one["state"]}:
        yield f"the gateway {p.gateway} is not known as {p.mac}"


def _mistaken(p: WrongNeighbor) -> Change:
    because = f"{p.node} has a permanent entry for its gateway {p.gateway}."
    return Change(
        inject=(f"ip neighbor replace {p.gateway} lladdr {p.mac} dev {p.interface} nud permanent",),
        repair=(f"ip neighbor del {p.gateway} dev {p.interface}",),
        shown=(),  # no config has neighbors
        checks=(given(_knows, p),),
        symptoms=(shows(p.node, "permanent neighbor", because, address=p.gateway, mac=p.mac), alone(p)),
    )


def _neighbors(network: DrawnNetwork) -> Iterator[WrongNeighbor]:
    if network.platform != _ANY_ADDRESS:
        for _, host in hosts_in(network):
            yield from (WrongNeighbor(**dict(host), mac=mac) for mac in UNKNOWN_MACS)


HOST_NEIGHBOR_WRONG = host_fault(
    "host-neighbor-wrong",
    about="A host has a permanent entry in its neighbor table that gives its gateway a hardware address of nobody.",
    label="HOST_NEIGHBOR",
    domain="forwarding",
    parameters=WrongNeighbor,
    called={"nika": "arp_cache_poisoning"},
    at=_neighbors,
    change=_mistaken,
)


class WrongGateway(OnPort):
    """A host, the gateway that it must have, and the one that it has instead, both in the LAN of its interface."""

    gateway: str
    instead: str


def _gateways(network: DrawnNetwork) -> Iterator[WrongGateway]:
    for lan, host in hosts_in(network):
        others = [one.address for one in lan.attachments if one.node in network.hosts and one.node != host.node]
        if network.platform == _ANY_ADDRESS:  # the switch answers for them, too
            others = []
        # the first and the last address of a LAN, unless somebody has it
        for wrong in (*others, *free_addresses(lan, (1, IPv4Network(lan.prefix).num_addresses - 2))):
            yield WrongGateway(**host.model_dump(exclude={"address"}), instead=wrong)


def _misled(p: WrongGateway) -> Change:
    because = f"{p.node} sends to {p.instead} what is for other LANs."
    outside = f"{p.gateway}/24"
    return Change(
        inject=(f"ip route replace default via {p.instead}",),
        repair=(f"ip route replace default via {p.gateway}",),
        shown=("routes main", f" default via {p.instead} dev {p.interface}", f" no default via {p.gateway}"),
        symptoms=(
            shows(p.node, "sends to", because, address=ELSEWHERE, hop=p.instead),
            lambda network: asking.unreached(network, p.node, network.partner(p.node, outside=outside)),
        ),
    )


HOST_GATEWAY_WRONG = host_fault(
    "host-gateway-wrong",
    about="The default gateway of a host is another host of its LAN, or an address that nobody has.",
    label="HOST_GATEWAY",
    parameters=WrongGateway,
    at=_gateways,
    change=_misled,
)
