"""DHCP: in each LAN one host gives the others their addresses, their gateway and their resolver.

Hosts get the addresses that the network was drawn with. The DNS server keeps its address: hosts without any other
address could not tell it from a server that is down.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft, Net, Port
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.hosting import DhcpClient, DhcpServer, Resolver

_LOCAL: Final = bytes((0x02, 0x4E))
"""The beginning of hardware addresses that nobody sells."""


def add_dhcp(draft: Draft, source: Random) -> None:
    """Let one host of each LAN serve DHCP, and its other hosts use it. A LAN with one host that may has none.

    Raises:
        UsageError: No LAN has two hosts of the network's own beside its DNS server.
    """
    served = [net for net in draft.nets if len(_hosts(net)) > 1]
    if not served:
        raise UsageError("service 'dhcp' needs a LAN with two hosts, none of which is the DNS server")
    for net in served:
        ports = _hosts(net)
        server = source.choice(ports)
        clients = [port for port in ports if port is not server]
        for port in clients:
            port.hardware_address = port.hardware_address or _hardware_address(port.routed.ip)
            port.device.services.append(DhcpClient(interface=port.interface))
        server.device.services.append(_server(net, clients, server.device))


def _hosts(net: Net) -> list[Port]:
    """The hosts of a LAN that may serve or use DHCP."""
    if net.kind != "lan":
        return []
    return [
        port
        for port in net.hosts()
        if port.device.control != "foreign" and not any(one.kind == "dns" for one in port.device.services)
    ]


def _server(net: Net, clients: list[Port], host: Device) -> DhcpServer:
    resolver = next((one for one in host.services if isinstance(one, Resolver)), None)
    return DhcpServer(
        prefix=str(net.network),
        gateway=str(net.gateway),
        leases={str(port.hardware_address): str(port.routed.ip) for port in clients},
        resolver=None if resolver is None else resolver.server,
        domain=None if resolver is None else resolver.domain,
    )


def _hardware_address(address: IPv4Address) -> str:
    return (_LOCAL + address.packed).hex(":")


DHCP = Service(
    name="dhcp",
    what="one host of each LAN serves DHCP; the other hosts of the LAN, but not the DNS server, get their addresses so",
    platforms=("frr", "cisco_ios", "linux", "mixed"),
    configure=add_dhcp,
    is_of_hosts=True,
)
