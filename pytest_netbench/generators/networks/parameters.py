"""What determines a network. Equal parameters give equal networks, byte by byte, on every machine."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pytest_netbench.model.base import Model

Routing = Literal["static", "ospf", "isis", "ibgp", "bgp", "openflow", "p4"]
RouterPlatform = Literal["linux", "frr", "cisco_ios", "mixed", "openvswitch", "p4"]
Naming = Literal["plain", "drawn"]
ServiceName = Literal["filter", "nat", "dns", "web", "dhcp", "lb", "vpn", "qos", "rpki"]


class NetworkParameters(Model):
    """The parameters of a network. ``docs/reference/networks.md`` lists the shapes with their sizes."""

    shape: str = Field("star", description="name of the shape")
    sizes: dict[str, int] = Field({}, description="sizes of the shape by name; those left out have their defaults")
    routing: Routing | None = Field(
        None, description="how routers learn routes; the first that the shape offers if none"
    )
    platform: RouterPlatform | None = Field(
        None, description="platform of routers and switches, or mixed; the first that the shape offers if none"
    )
    names: Naming = Field(
        "plain", description="plain: nodes and addresses are numbered; drawn: names and address plan come from the seed"
    )
    services: tuple[ServiceName, ...] = Field((), description="what routers and hosts do beside; nothing by default")
    managed_hosts: bool = Field(False, description="whether an agent may change hosts")
    seed: int = Field(0, description="seed of names, addresses, mixed platforms, filters and places of servers")
