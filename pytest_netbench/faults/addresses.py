"""Faults of a Linux router's address in a LAN: NetArena's ``remove_ip`` (RI)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.linux import LinuxFault, OnNode
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.site import Affected, Lan, Site
from pytest_netbench.faults.wording import cut_off

WRONG_SUBNETS = 3


class OnAddress(OnNode):
    """An interface, and the address with its mask that it must have."""

    interface: str
    address: str


class OtherAddress(OnAddress):
    """An interface, and the address that it has instead of its own. ``of``: the interface that rightly has it."""

    instead: str
    of: str | None = None


class AddressRemoved(LinuxFault[OnAddress]):
    """An interface has lost its address."""

    name = "address-removed"
    label = "RI"
    parameters = OnAddress
    called = {"netarena": "remove_ip, method 1"}

    def _targets(self, site: Site) -> Iterator[OnAddress]:
        for lan in site.lans:
            yield OnAddress(node=site.router, interface=lan.interface, address=str(lan.address))

    def breaks(self, parameters: OnAddress, site: Site) -> Affected:
        return site.beyond(site.lan_on(parameters.interface).hosts)

    def touches(self, parameters: OnAddress) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def wrong(self, parameters: OnAddress) -> str:
        return (
            f"Interface {parameters.interface} of {parameters.node} has lost its address {parameters.address}, which is"
            f" the gateway of the hosts behind it. {cut_off(parameters.node)}"
        )

    def injection(self, parameters: OnAddress) -> Commands:
        return {parameters.node: (f"ip -4 address flush dev {parameters.interface}",)}

    def signs(self, parameters: OnAddress) -> Iterator[Sign]:
        yield Sign(f"ip -4 -o address show dev {parameters.interface}", r"\A\s*\Z")

    def repair(self, parameters: OnAddress) -> tuple[str, ...]:
        return (f"ip address add {parameters.address} dev {parameters.interface}",)


class _AddressReplaced(LinuxFault[OtherAddress]):
    """What faults share by which an interface has another address."""

    label = "RI"
    parameters = OtherAddress

    def effect(self, parameters: OtherAddress) -> str:
        """Sentences that say what follows from it."""
        return f"No host behind it has a neighbour with the address of its gateway. {cut_off(parameters.node)}"

    def breaks(self, parameters: OtherAddress, site: Site) -> Affected:
        known = IPv4Interface(parameters.instead).network
        hosts = site.lan_on(parameters.interface).hosts
        return site.beyond([name for name, address in hosts.items() if address not in known])

    def touches(self, parameters: OtherAddress) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def wrong(self, parameters: OtherAddress) -> str:
        return (
            f"Interface {parameters.interface} of {parameters.node} has the address {parameters.instead} instead of"
            f" {parameters.address}. {self.effect(parameters)}"
        )

    def injection(self, parameters: OtherAddress) -> Commands:
        where = f"dev {parameters.interface}"
        remove = f"ip address del {parameters.address} {where}"
        return {parameters.node: (remove, f"ip address add {parameters.instead} {where}")}

    def signs(self, parameters: OtherAddress) -> Iterator[Sign]:
        other = re.escape(parameters.instead)
        yield Sign(f"ip -4 -o address show dev {parameters.interface}", rf"\A.* inet {other} [^\n]*\n?\Z")

    def repair(self, parameters: OtherAddress) -> tuple[str, ...]:
        where = f"dev {parameters.interface}"
        # in this order, hosts that the wrong mask contains go on working
        return (
            f"ip address add {parameters.address} {where}",
            f"ip address del {parameters.instead} {where}",
        )


class AddressWrong(_AddressReplaced):
    """An interface has an address of a subnet that does not exist."""

    name = "address-wrong"
    called = {"netarena": "remove_ip, method 2"}

    def _targets(self, site: Site) -> Iterator[OtherAddress]:
        for lan in site.lans:
            for subnet in _unused(site, lan):
                place = int(lan.address.ip) - int(lan.prefix.network_address)
                yield _other(site, lan, IPv4Interface((subnet[place], subnet.prefixlen)))


class AddressMaskTooLong(_AddressReplaced):
    """The mask of an interface is so long that hosts of its LAN are outside."""

    name = "address-mask-too-long"
    called = {"netarena": "remove_ip, method 3"}

    def effect(self, parameters: OtherAddress) -> str:
        return (
            f"The mask is too long: {parameters.node} has no route to the hosts of the subnet outside"
            f" {IPv4Interface(parameters.instead).network}, and they reach nothing beyond the subnet."
        )

    def _targets(self, site: Site) -> Iterator[OtherAddress]:
        for lan in site.lans:
            for wrong in too_long(lan.address, lan.hosts.values(), longest=32):
                yield _other(site, lan, wrong)


class AddressOfOtherSubnet(_AddressReplaced):
    """An interface has the address of another interface."""

    name = "address-of-other-subnet"
    called = {"netarena": "remove_ip, method 4"}

    def effect(self, parameters: OtherAddress) -> str:
        return f"This is the address of {parameters.of}. {super().effect(parameters)}"

    def _targets(self, site: Site) -> Iterator[OtherAddress]:
        for lan in site.lans:
            for other in site.others(lan):
                yield _other(site, lan, other.address, of=other.interface)

    def touches(self, parameters: OtherAddress) -> frozenset[str]:
        return super().touches(parameters) | {f"{parameters.node} {parameters.of}"}


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
