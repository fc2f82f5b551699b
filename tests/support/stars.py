"""NetArena's star as faults see it: one Linux router, its LANs, and the flows that pass it."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface

from benchmarks.networks import star_addresses
from pytest_netbench.faults.site import Lan, Site
from pytest_netbench.model.watch import WatchedFlow


def star_site(subnets: int, hosts: int) -> Site:
    """The site of ``benchmarks.networks.star``."""
    where = star_addresses(subnets, hosts)
    lans = tuple(
        Lan(
            interface=f"eth{number}",
            address=IPv4Interface(f"10.0.{number}.1/24"),
            hosts={name: IPv4Address(one) for name, one in where.items() if name.startswith(f"h{number}x")},
        )
        for number in range(subnets)
    )
    return Site(router="r", platform="linux", lans=lans)


def star_flows(site: Site) -> tuple[WatchedFlow, ...]:
    """Echo and HTTP between all hosts, and echo between each host and its gateway, both ways."""
    where = {name: str(address) for lan in site.lans for name, address in lan.hosts.items()}
    pairs = [(source, target) for source in where for target in where if source != target]
    flows = [WatchedFlow(source=a, target=b, address=where[b]) for a, b in pairs]
    flows += [WatchedFlow(source=a, target=b, address=where[b], protocol="tcp", port=80) for a, b in pairs]
    for lan in site.lans:
        for host in lan.hosts:
            flows.append(WatchedFlow(source=host, target=site.router, address=str(lan.address.ip)))
            flows.append(WatchedFlow(source=site.router, target=host, address=where[host]))
    return tuple(flows)
