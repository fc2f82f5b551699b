"""Services that run on hosts: DNS servers, web servers, and the resolvers that hosts are configured with."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address
from typing import Annotated, Final, Literal

from pydantic import Field

from pytest_netbench.model.base import Model

DNS_PORT: Final = 53
WEB_PORT: Final = 80
Name = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$")]
Address = Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,3}){3}$")]
ServerName = Literal["dns", "web"]


class DnsServer(Model):
    """A DNS server with authority over one zone. It listens on UDP and TCP port 53 of all addresses."""

    kind: Literal["dns"] = "dns"
    domain: Name = Field(description="the zone, e.g. corp.example")
    records: dict[Name, Address] = Field(description="name in the zone to IPv4 address")


class WebServer(Model):
    """A web server. It listens on TCP port 80 of all addresses and has one page."""

    kind: Literal["web"] = "web"
    page_bytes: int = Field(4096, ge=256, le=1_000_000, description="size of its page")


class Resolver(Model):
    """Where a host looks names up."""

    kind: Literal["resolver"] = "resolver"
    server: Address = Field(description="address of the DNS server")
    domain: Name = Field(description="what is appended to names without a dot")


HostService = Annotated[DnsServer | WebServer | Resolver, Field(discriminator="kind")]
"""Something that a host has beside its network."""


def servers_of(services: Iterable[HostService]) -> list[DnsServer | WebServer]:
    """The services that others use."""
    return [one for one in services if not isinstance(one, Resolver)]


def is_address(text: str) -> bool:
    """Whether a text is an IPv4 address."""
    try:
        IPv4Address(text)
    except ValueError:
        return False
    return True
