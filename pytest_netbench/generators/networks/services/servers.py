"""Servers on hosts: a DNS server with the names of all hosts, which hosts use as their resolver, and web servers.

Which hosts have them comes from the seed. Nodes of others neither have servers nor use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.hosting import DnsServer, Resolver, WebServer

DOMAIN: Final = "corp.example"
_HOSTS_PER_WEB_SERVER: Final = 6
_PAGES: Final = (2_048, 8_192, 32_768)


def add_dns(draft: Draft, source: Random) -> None:
    """Let one host serve names, and all hosts look names up there.

    Raises:
        UsageError: The network has fewer than two hosts of its own.
    """
    hosts = own_hosts(draft, "dns")
    server = source.choice(hosts)
    records = {device.name: address_of(device) for device in draft.devices if device.kind == "host"}
    server.services.append(DnsServer(domain=DOMAIN, records=records))
    for host in hosts:
        host.services.append(Resolver(server=address_of(server), domain=DOMAIN))


def add_web(draft: Draft, source: Random) -> None:
    """Let one host serve a page, and more in a large network; none that serves names, if there is another one.

    Raises:
        UsageError: The network has fewer than two hosts of its own.
    """
    hosts = own_hosts(draft, "web")
    free = [host for host in hosts if not any(one.kind == "dns" for one in host.services)]
    for server in source.sample(free, min(len(free), 1 + len(hosts) // _HOSTS_PER_WEB_SERVER)):
        server.services.append(WebServer(page_bytes=source.choice(_PAGES)))


def own_hosts(draft: Draft, name: str) -> Sequence[Device]:
    """The hosts of the network's own.

    Raises:
        UsageError: There are fewer than two, and the service ``name`` needs them.
    """
    hosts = [device for device in draft.devices if device.kind == "host" and device.control != "foreign"]
    if len(hosts) < 2:
        raise UsageError(f"service {name!r} needs two hosts")
    return hosts


def address_of(host: Device) -> str:
    """The address of a host."""
    return str(host.routed_ports[0].routed.ip)


_ANY: Final = ("frr", "cisco_ios", "linux", "mixed")
DNS = Service(
    name="dns",
    what="one host serves the names of all hosts by DNS, and hosts look names up there",
    platforms=_ANY,
    configure=add_dns,
    is_of_hosts=True,
)
WEB = Service(
    name="web",
    what="a host serves a page by HTTP; in large networks several do",
    platforms=_ANY,
    configure=add_web,
    is_of_hosts=True,
)
