"""Translation of addresses at the edges of an ISP: its LANs have private addresses, each edge has one public address.

An edge translates what leaves it toward its providers. Servers see its public address, which is in the block that the
ISP announces, and cannot reach hosts of the LANs.
"""

from __future__ import annotations

from random import Random

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.services import Translation


def use_private_addresses(draft: Draft) -> None:
    """Take the prefixes of the ISP's LANs from the block of private addresses."""
    for net in draft.nets:
        if net.pool == "public":
            net.pool = "lan"


def add_nat(draft: Draft, _source: Random) -> None:
    """Let each edge translate. An edge is a managed router with a link to a foreign one."""
    block = draft.blocks["public"]
    hidden = tuple(str(net.network) for net in draft.nets if net.pool == "lan")
    edges = [device for device in draft.devices if device.control == "managed" and _outside(device)]
    for number, edge in enumerate(edges, start=1):
        outside = _outside(edge)
        links = [port.interface for port in edge.routed_ports if port.net.kind == "transit"]
        edge.translation = Translation(
            node=edge.name,
            inside=tuple(name for name in links if name not in outside),
            outside=tuple(outside),
            hidden=hidden,
            address=f"{block[number]}/{block.prefixlen}",
        )


def _outside(device: Device) -> list[str]:
    """The interfaces toward routers of others."""
    return [
        port.interface
        for port in device.routed_ports
        if port.net.kind == "transit" and any(far.device.control == "foreign" for far in port.net.routers())
    ]


NAT = Service(
    name="nat",
    what="the edges of an ISP hide its LANs, which have private addresses, behind a public address each",
    shapes=("dual-homed-isp",),
    platforms=("cisco_ios",),
    prepare=use_private_addresses,
    configure=add_nat,
)
