"""The site that faults need, of a drawn network with one router."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, ip_network

from pytest_netbench.errors import UsageError
from pytest_netbench.faults.site import Lan, Site
from pytest_netbench.generators.networks import DrawnNetwork, Subnet


def site_of(network: DrawnNetwork) -> Site:
    """Return the site of a network in which one router has all LANs, such as a star.

    Raises:
        UsageError: The network has several routers.
    """
    if len(network.routers) != 1:
        count = len(network.routers)
        raise UsageError(f"the {network.shape} has {count} routers; on paper, faults are known for one (shape star)")
    (router,) = network.routers
    lans = tuple(_lan(network, router, subnet) for subnet in network.lans)
    return Site(router=router, platform=network.platform, lans=lans)


def _lan(network: DrawnNetwork, router: str, subnet: Subnet) -> Lan:
    ends = {one.node: one for one in subnet.attachments}
    own = ends.pop(router)
    return Lan(
        interface=own.interface,
        address=IPv4Interface((own.address, ip_network(subnet.prefix).prefixlen)),
        hosts={name: IPv4Address(one.address) for name, one in ends.items() if name in network.hosts},
    )
