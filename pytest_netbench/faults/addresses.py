"""Faults of a Linux router's address in a LAN: NetArena's ``remove_ip`` (RI)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.faults.builders import SiteValue, shell_fault
from pytest_netbench.faults.change import Change
from pytest_netbench.faults.forwarding import OnInterface, behind_interface
from pytest_netbench.faults.site import Affected, Lan, Site, cut_off

WRONG_SUBNETS = 3


class OnAddress(OnInterface):
    """An interface, and the address with its mask that it must have."""

    address: str


class OtherAddress(OnAddress):
    """An interface, and the address that it has instead of its own. ``of``: the interface that rightly has it."""

    instead: str
    of: str | None = None


ADDRESS_REMOVED = shell_fault(
    "address-removed",
    about="An interface has lost its address.",
    label="RI",
    parameters=OnAddress,
    called={"netarena": "remove_ip, method 1"},
    at=lambda site: (
        OnAddress(node=site.router, interface=lan.interface, address=str(lan.address)) for lan in site.lans
    ),
    breaks=behind_interface,
    touches=lambda p: frozenset({f"{p.node} {p.interface}"}),
    change=lambda p: Change(
        inject=(f"ip -4 address flush dev {p.interface}",),
        repair=(f"ip address add {p.address} dev {p.interface}",),
        signs=(StateCheck(f"ip -4 -o address show dev {p.interface}", r"\A\s*\Z"),),
        wrong=f"Interface {p.interface} of {p.node} has lost its address {p.address}, which is the gateway of the hosts"
        f" behind it. {cut_off(p.node)}",
    ),
)


def _outside(p: OtherAddress, site: Site) -> Affected:
    known = IPv4Interface(p.instead).network
    hosts = site.lan_on(p.interface).hosts
    return site.beyond([name for name, address in hosts.items() if address not in known])


def _replaced(
    name: str, method: int, *, effect: Callable[[OtherAddress], str], **fields: Any
) -> SiteValue[OtherAddress]:
    """A fault by which an interface has another address. ``effect``: sentences that say what follows from it."""

    def change(p: OtherAddress) -> Change:
        where = f"dev {p.interface}"
        own, other = f"{p.address} {where}", f"{p.instead} {where}"
        return Change(
            inject=(f"ip address del {own}", f"ip address add {other}"),
            # in this order, hosts that the wrong mask contains go on working
            repair=(f"ip address add {own}", f"ip address del {other}"),
            signs=(StateCheck(f"ip -4 -o address show {where}", rf"\A.* inet {re.escape(p.instead)} [^\n]*\n?\Z"),),
            wrong=f"Interface {p.interface} of {p.node} has the address {p.instead} instead of {p.address}."
            f" {effect(p)}",
        )

    return shell_fault(
        name,
        label="RI",
        parameters=OtherAddress,
        called={"netarena": f"remove_ip, method {method}"},
        breaks=_outside,
        touches=lambda p: frozenset(f"{p.node} {one}" for one in (p.interface, p.of) if one is not None),
        change=change,
        **fields,
    )


def _no_gateway(p: OtherAddress) -> str:
    return f"No host behind it has a neighbour with the address of its gateway. {cut_off(p.node)}"


def _wrong(site: Site) -> Iterator[OtherAddress]:
    for lan in site.lans:
        for subnet in _unused(site, lan):
            place = int(lan.address.ip) - int(lan.prefix.network_address)
            yield _other(site, lan, IPv4Interface((subnet[place], subnet.prefixlen)))


ADDRESS_WRONG = _replaced(
    "address-wrong",
    2,
    about="An interface has an address of a subnet that does not exist.",
    at=_wrong,
    effect=_no_gateway,
)
ADDRESS_MASK_TOO_LONG = _replaced(
    "address-mask-too-long",
    3,
    about="The mask of an interface is so long that hosts of its LAN are outside.",
    at=lambda site: (
        _other(site, lan, wrong) for lan in site.lans for wrong in too_long(lan.address, lan.hosts.values(), longest=32)
    ),
    effect=lambda p: (
        f"The mask is too long: {p.node} has no route to the hosts of the subnet outside"
        f" {IPv4Interface(p.instead).network}, and they reach nothing beyond the subnet."
    ),
)
ADDRESS_OF_OTHER_SUBNET = _replaced(
    "address-of-other-subnet",
    4,
    about="An interface has the address of another interface.",
    at=lambda site: (
        _other(site, lan, other.address, of=other.interface) for lan in site.lans for other in site.others(lan)
    ),
    effect=lambda p: f"This is the address of {p.of}. {_no_gateway(p)}",
)


def too_long(address: IPv4Interface, hosts: Collection[IPv4Address], *, longest: int) -> Iterator[IPv4Interface]:
    """The address with each longer mask that leaves a host outside."""
    for length in range(address.network.prefixlen + 1, longest + 1):
        wrong = IPv4Interface((address.ip, length))
        edges = {wrong.network.network_address, wrong.network.broadcast_address} if length < 31 else set()
        # what happens to a host at the edge of the subnet depends on the kernel
        if any(host not in wrong.network for host in hosts) and not edges & {*hosts, address.ip}:
            yield wrong


def _other(site: Site, lan: Lan, wrong: IPv4Interface, *, of: str | None = None) -> OtherAddress:
    own = str(lan.address)
    return OtherAddress(node=site.router, interface=lan.interface, address=own, instead=str(wrong), of=of)


def _unused(site: Site, lan: Lan) -> Iterator[IPv4Network]:
    """Subnets as large as that of ``lan``, above all LANs."""
    step = lan.prefix.num_addresses
    start = max(int(other.prefix.broadcast_address) + 1 for other in site.lans)
    first = -(-start // step) * step
    for number in range(WRONG_SUBNETS):
        yield IPv4Network((first + number * step, lan.prefix.prefixlen))
