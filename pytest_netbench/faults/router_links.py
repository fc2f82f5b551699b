"""Links between routers, seen from each end, as parameters of faults."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from pytest_netbench.faults.change import OnDevice
from pytest_netbench.model.network import DrawnNetwork


class RouterLink(OnDevice):
    """One end of a link between two routers.

    Attributes:
        interface: Of the node, to the link.
        address: Of the node in the link.
        peer: The other router.
        neighbor: Its address in the link.
        prefix: Of the link.
    """

    interface: str
    address: str
    peer: str
    neighbor: str
    prefix: str


def router_links(network: DrawnNetwork) -> Iterator[RouterLink]:
    """Both ends of each link between routers."""
    for link in network.transits:
        for one, other in permutations(link.attachments, 2):
            yield RouterLink(
                node=one.node,
                platform=network.platform_of(one.node),
                interface=one.interface,
                address=one.address,
                peer=other.node,
                neighbor=other.address,
                prefix=link.prefix,
            )
