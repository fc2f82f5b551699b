"""How much of a drawn network an agent has access to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, Literal

from pytest_netbench.model.demand import Demand
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.topology import Topology

AccessName = Literal["all", "managed", "routers", "reports"]
MOST_TEST_HOSTS: Final = 4
FEWEST_TEST_HOSTS: Final = 2


def logins_of(network: DrawnNetwork, access: AccessName) -> frozenset[str]:
    """The nodes that an agent can log in to, unless they belong to others.

    Args:
        network: The network.
        access: ``all``: every node; ``managed``: managed routers and switches; ``routers``: managed routers;
            ``reports``: none.
    """
    if access == "reports":
        return frozenset()
    names = (node.name for node in network.topology.nodes)
    if access == "all":
        return frozenset(names)
    hosts = {*network.hosts, *network.switched_off}
    devices = (name for name in names if name not in hosts and network.is_managed(name))
    return frozenset(name for name in devices if access == "managed" or name in network.routers)


def monitored_of(network: DrawnNetwork, access: AccessName) -> tuple[str, ...]:
    """The nodes that telemetry has although nobody can log in to them, in the order of the topology."""
    seen = logins_of(network, "managed") if access == "reports" else ()
    return tuple(node.name for node in network.topology.nodes if node.name in seen)


def restricted(topology: Topology, logins: frozenset[str]) -> Topology:
    """A topology whose nodes without a login are foreign."""
    nodes = (node if node.name in logins else node.model_copy(update={"control": "foreign"}) for node in topology.nodes)
    return topology.model_copy(update={"nodes": tuple(nodes)})


def draw_test_hosts(
    network: DrawnNetwork, access: AccessName, demands: Sequence[Demand], source: random.Random
) -> tuple[str, ...]:
    """Two to four hosts that tests start at, in the order of the topology.

    They are the ends of a demand, if there is one, and hosts of as many LANs as possible. None with access to all
    nodes: there tests start at every host.
    """
    if access == "all":
        return ()
    own = [name for name in network.hosts if network.topology.controls[name] != "foreign"]
    count = source.randint(FEWEST_TEST_HOSTS, MOST_TEST_HOSTS)
    lans: dict[str, list[str]] = {}
    for name in source.sample(own, len(own)):
        lans.setdefault(network.lan_of(name).name, []).append(name)
    ends = [(one.source, one.target) for one in demands if {one.source, one.target} <= {*own}]
    first = [*(source.choice(ends) if ends else ()), *(members[0] for members in lans.values())]
    further = [name for members in lans.values() for name in members[1:]]
    chosen = {*[*dict.fromkeys(first + further)][:count]}
    return tuple(name for name in own if name in chosen)
