"""Services of hosts: servers, load balancers, tunnels, caches of the RPKI, and what hosts need to use them."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from pytest_netbench.model.base import Model

DNS_PORT: Final = 53
WEB_PORT: Final = 80
VPN_PORT: Final = 51820
VPN_INTERFACE: Final = "wg0"
RTR_PORT: Final = 323
ALIVE: Final = "/alive"
"""The path that a load balancer answers by itself."""
Name = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$")]
Address = Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,3}){3}$")]
Socket = Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,3}){3}:\d{1,5}$")]
HardwareAddress = Annotated[str, Field(pattern=r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$")]
Prefix = Annotated[str, AfterValidator(lambda text: str(IPv4Network(text)))]
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$")]
"""A key of WireGuard: 32 bytes in Base64."""
Interface = Annotated[str, AfterValidator(lambda text: str(IPv4Interface(text)))]
ServerName = Literal["dns", "web", "dhcp", "lb", "vpn", "rpki"]


class DnsServer(Model):
    """A DNS server with authority over one zone. It listens on UDP and TCP port 53 of all addresses."""

    kind: Literal["dns"] = "dns"
    domain: Name = Field(description="the zone, e.g. corp.example")
    records: dict[Name, Address] = Field(description="name in the zone to IPv4 address")


class WebServer(Model):
    """A web server. It listens on TCP port 80 of all addresses and has one page."""

    kind: Literal["web"] = "web"
    page_bytes: int = Field(4096, ge=256, le=1_000_000, description="size of its page")


class LoadBalancer(Model):
    """A load balancer of web servers. It listens on TCP port 80 of all addresses, and asks them in turn."""

    kind: Literal["lb"] = "lb"
    servers: dict[Name, Socket] = Field(
        min_length=1, description="name of a web server to its IPv4 address and TCP port, e.g. 10.0.1.10:80"
    )
    name: Name | None = Field(None, description="full name by which it is asked; none without DNS")


class VpnPeer(Model):
    """The other end of a WireGuard tunnel."""

    public_key: Key
    endpoint: Socket = Field(description="IPv4 address and UDP port, e.g. 10.0.2.10:51820")
    allowed_ips: tuple[Prefix, ...] = Field(min_length=1, description="what is sent to it and taken from it")


class VpnEnd(Model):
    """An end of WireGuard tunnels: the interface wg0. It listens on UDP port 51820 of all addresses."""

    kind: Literal["vpn"] = "vpn"
    address: Interface = Field(description="IPv4 address of wg0 and its prefix length, e.g. 172.31.7.1/24")
    private_key: Key
    peers: dict[Name, VpnPeer] = Field({}, description="name of a node to its end")

    @property
    def ip(self) -> str:
        """The address of wg0, without the prefix length."""
        return self.address.partition("/")[0]


class Vrp(Model):
    """What the RPKI says of a prefix: who may be the origin of its routes (RFC 6811)."""

    prefix: Prefix
    max_length: int = Field(ge=0, le=32, description="length of the longest prefix that may be announced")
    autonomous_system: int = Field(ge=0, le=4_294_967_295, description="AS number of the origin")

    @model_validator(mode="after")
    def _max_length_fits(self) -> Self:
        if self.max_length < IPv4Network(self.prefix).prefixlen:
            raise ValueError(f"max_length {self.max_length} is shorter than the prefix {self.prefix}")
        return self


class RpkiCache(Model):
    """A cache of the RPKI, from which routers learn by RTR what they may accept. It listens on TCP port 323."""

    kind: Literal["rpki"] = "rpki"
    vrps: tuple[Vrp, ...] = Field(min_length=1, description="what it tells: validated ROA payloads")


class Resolver(Model):
    """Where a host looks names up."""

    kind: Literal["resolver"] = "resolver"
    server: Address = Field(description="address of the DNS server")
    domain: Name = Field(description="what is appended to names without a dot")


class DhcpServer(Model):
    """A DHCP server for the subnet of its host. Each client has its own address, known by its hardware address."""

    kind: Literal["dhcp"] = "dhcp"
    prefix: Prefix = Field(description="subnet that it serves, e.g. 10.0.1.0/24")
    gateway: Address = Field(description="default gateway of its clients")
    leases: dict[HardwareAddress, Address] = Field(description="hardware address of a client to its IPv4 address")
    resolver: Address | None = Field(None, description="DNS server of its clients; none without")
    domain: Name | None = Field(None, description="what its clients append to names without a dot")


class DhcpClient(Model):
    """A host that gets its address, its default gateway and its resolver by DHCP."""

    kind: Literal["dhcp-client"] = "dhcp-client"
    interface: str = Field(pattern=r"^[A-Za-z0-9._-]{1,15}$", description="interface that gets the address")


Server = DnsServer | WebServer | DhcpServer | LoadBalancer | VpnEnd | RpkiCache
HostService = Annotated[Server | Resolver | DhcpClient, Field(discriminator="kind")]
"""Something that a host has beside its network."""


def servers_of(services: Iterable[HostService]) -> list[Server]:
    """The services that others use."""
    return [one for one in services if isinstance(one, Server)]


def is_address(text: str) -> bool:
    """Whether a text is an IPv4 address."""
    try:
        IPv4Address(text)
    except ValueError:
        return False
    return True
