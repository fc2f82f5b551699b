"""NetArena's star: as a network, as faults see it, and the flows that pass it."""

from __future__ import annotations

from typing import Any

from pytest_netbench.faults.site import Site
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.repair_routing import site_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.watch import WatchedFlow


def star(subnets: int, hosts: int, **parameters: Any) -> DrawnNetwork:
    """A star with a Linux router."""
    sizes = {"subnets": subnets, "hosts": hosts}
    return draw_network(NetworkParameters(shape="star", sizes=sizes, **{"platform": "linux", **parameters}))


def star_site(subnets: int, hosts: int, **parameters: Any) -> Site:
    """The site of a star."""
    return site_of(star(subnets, hosts, **parameters))


def star_task(subnets: int, hosts: int) -> Task:
    """A task with a star, which asks for nothing."""
    fields = star(subnets, hosts).fields()
    return Task.model_validate({"task_name": "star", "slug": "star", "intents": [{"text": "none"}], **fields})


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
