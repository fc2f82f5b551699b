"""What a monitoring system has of a drawn network. It does not depend on what is wrong."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from typing import Final, Literal

from pytest_netbench.model.monitoring import MonitoredPort, Monitoring
from pytest_netbench.model.network import DrawnNetwork

MonitoringName = Literal["samples", "averages"]
MOST_SHARE: Final = 0.7
"""Of the links: so many have an end that is polled."""
_MOST_NUMBER: Final = 99
_OLD: Final = "rtr-old-{:02}"


def draw_monitoring(network: DrawnNetwork, logins: Collection[str], source: random.Random) -> Monitoring:
    """Draw which interfaces are polled, and which labels are wrong.

    At most one end of a link is polled, so that no two rows are of the same packets on the same link. One device has
    its rows under an old name, and two interfaces of a device have each other's names, if there are two.

    Args:
        network: The network.
        logins: The nodes that can be polled.
        source: Of the choices.
    """
    polled = [source.choice(ends) for ends in _links(network, logins) if source.random() < MOST_SHARE]
    labels = {end: end for end in polled}
    nodes = list(dict.fromkeys(node for node, _ in polled))
    for node in source.sample(nodes, len(nodes)):
        own = [end for end in polled if end[0] == node]
        if len(own) > 1:
            one, other = source.sample(own, 2)
            labels[one], labels[other] = other, one
            break
    if nodes:
        renamed, old = source.choice(nodes), _OLD.format(source.randint(1, _MOST_NUMBER))
        labels = {end: (old if node == renamed else node, name) for end, (node, name) in labels.items()}
    return Monitoring(
        seed=source.getrandbits(32),
        ports=tuple(
            MonitoredPort(node=node, interface=interface, node_label=label[0], interface_label=label[1])
            for (node, interface), label in labels.items()
        ),
    )


def _links(network: DrawnNetwork, logins: Collection[str]) -> Iterator[list[tuple[str, str]]]:
    """The ends of each link that can be polled, if there are any."""
    for link in network.topology.links:
        if ends := [(end.node, end.interface) for end in link.endpoints if end.node in logins]:
            yield ends
