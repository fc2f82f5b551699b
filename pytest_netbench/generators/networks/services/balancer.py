"""A load balancer: one host spreads requests for a name over the web servers, of which there are two or more then."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.services.servers import address_of, own_hosts
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.hosting import WEB_PORT, DnsServer, LoadBalancer, WebServer

LABEL: Final = "www"
"""The name of the load balancer in the zone of the DNS server, if there is one."""
_LEAST_SERVERS: Final = 2


def add_lb(draft: Draft, source: Random) -> None:
    """Let one host balance the load of the web servers, and add web servers to a network with too few.

    All web servers have the same page then. The host is that of the DNS server only if no other one is left.

    Raises:
        UsageError: The network has no web server, or too few hosts of its own.
    """
    hosts = own_hosts(draft, "lb")
    pages = [page for host in hosts if (page := _page(host)) is not None]
    if not pages:
        raise UsageError("service 'lb' needs the service 'web'")
    host, *added = _chosen(hosts, _LEAST_SERVERS - len(pages), source)
    for device in added:
        device.services.append(pages[0])
    for device in hosts:
        device.services[:] = [pages[0] if isinstance(one, WebServer) else one for one in device.services]
    servers = {one.name: f"{address_of(one)}:{WEB_PORT}" for one in hosts if _page(one) is not None}
    host.services.append(LoadBalancer(servers=servers, name=_name(hosts, host)))


def _chosen(hosts: Sequence[Device], lacking: int, source: Random) -> list[Device]:
    """A host for the load balancer, and as many as are lacking for web servers."""
    free = [host for host in hosts if _page(host) is None]
    bare = [host for host in free if not any(one.kind == "dns" for one in host.services)]
    wanted = 1 + max(0, lacking)
    if len(free) < wanted:
        raise UsageError("service 'lb' needs three hosts")
    if len(bare) >= wanted:
        return source.sample(bare, wanted)
    return [*(host for host in free if host not in bare), *source.sample(bare, wanted - 1)]


def _page(host: Device) -> WebServer | None:
    return next((one for one in host.services if isinstance(one, WebServer)), None)


def _name(hosts: Sequence[Device], balancer: Device) -> str | None:
    """Give the load balancer a name in the zone of the DNS server; ``None`` if there is none."""
    for host in hosts:
        for number, one in enumerate(host.services):
            if isinstance(one, DnsServer):
                records = {**one.records, LABEL: address_of(balancer)}
                host.services[number] = one.model_copy(update={"records": records})
                return f"{LABEL}.{one.domain}"
    return None


LB = Service(
    name="lb",
    what="a host is a load balancer, which spreads requests for a page over the web servers; needs web",
    platforms=("frr", "cisco_ios", "linux", "mixed"),
    configure=add_lb,
    is_of_hosts=True,
)
