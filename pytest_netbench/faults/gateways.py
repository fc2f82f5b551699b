"""A host with a wrong default gateway."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Final

from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.model.network import DrawnNetwork, Subnet

ELSEWHERE: Final = "192.0.2.1"
"""An address that no LAN has, so that the default route is asked for."""


class WrongGateway(OnDevice):
    """A host, the gateway that it must have, and the one that it has instead, both in the LAN of its interface."""

    interface: str
    gateway: str
    instead: str


class HostGatewayWrong(DeviceFault[WrongGateway]):
    """The default gateway of a host is another host of its LAN, or an address that nobody has."""

    domain = "addressing"
    name = "host-gateway-wrong"
    label = "HOST_GATEWAY"
    parameters = WrongGateway
    platforms = ("linux",)

    def _places(self, network: DrawnNetwork) -> Iterator[WrongGateway]:
        for lan in network.lans:
            hosts = [one for one in lan.attachments if one.node in network.hosts]
            for host in hosts:
                others = [one.address for one in hosts if one is not host]
                for wrong in (*others, *_unused(lan)):
                    yield WrongGateway(
                        node=host.node,
                        platform=network.platform_of(host.node),
                        interface=host.interface,
                        gateway=str(lan.gateway),
                        instead=wrong,
                    )

    def touches(self, parameters: WrongGateway) -> frozenset[str]:
        # a change of the address can take the route with it
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def injection(self, parameters: WrongGateway) -> tuple[str, ...]:
        return (f"ip route replace default via {parameters.instead}",)

    def repair(self, parameters: WrongGateway) -> tuple[str, ...]:
        return (f"ip route replace default via {parameters.gateway}",)

    def shown(self, parameters: WrongGateway) -> tuple[str, ...]:
        there = f" default via {parameters.instead} dev {parameters.interface}"
        return ("routes main", there, f" no default via {parameters.gateway}")

    def symptoms(self, parameters: WrongGateway, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} sends to {p.instead} what is for other LANs."
        yield from asking.state(network, p.node, "sends to", because, address=ELSEWHERE, hop=p.instead)
        yield from asking.unreached(network, p.node, network.partner(p.node, outside=f"{p.gateway}/24"))


def _unused(lan: Subnet) -> Iterator[str]:
    """The first and the last address of a LAN, unless somebody has it."""
    prefix = IPv4Network(lan.prefix)
    taken = {lan.gateway, *(one.address for one in lan.attachments)}
    yield from (address for address in (str(prefix[1]), str(prefix[-2])) if address not in taken)
