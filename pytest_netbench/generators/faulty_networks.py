"""Networks in which faults can be injected: which kinds of them have a place for a fault, and the places of one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, Final, NamedTuple

from pytest_netbench.faults.paths import connects
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.mixing import offers
from pytest_netbench.generators.networks.parameters import Naming, ServiceName
from pytest_netbench.generators.networks.services import SERVICES
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.values import Span
from pytest_netbench.model.base import Model
from pytest_netbench.model.faulty import fault_of

SIZES: Final[Mapping[str, tuple[Mapping[str, int], ...]]] = {
    name: SHAPES[name].steps for name in sorted(SHAPES) if SHAPES[name].steps
}
"""By shape: its sizes, small, medium and large; of some also those with at least 60 and 120 routers and switches."""
MOST_SIZES: Final = max(map(len, SIZES.values()))
_TYPICAL_HOSTS: Final = 2
HOSTS_OF_DHCP: Final = 3
"""Hosts in a LAN with DHCP: a server, a client, and another one that may do wrong."""

HOSTS_OF_LB: Final = 2
"""Hosts in each of two LANs with a load balancer: it, two web servers, and a DNS server."""


def hosts_of(services: Sequence[ServiceName]) -> int:
    """How many hosts a LAN needs, so that each fault of services has a place; 0 if any number will do."""
    needed = {"dhcp": HOSTS_OF_DHCP, "lb": HOSTS_OF_LB}
    return max((needed.get(name, 0) for name in services), default=0)


class Kind(NamedTuple):
    """What networks are drawn from beside sizes, names and addresses."""

    shape: str
    routing: str
    platform: str
    services: tuple[ServiceName, ...] = ()

    def draw(self, **parameters: Any) -> DrawnNetwork:
        """Draw a network of this kind."""
        return draw_network(NetworkParameters.model_validate({**self._asdict(), **parameters}))


class Choice(NamedTuple):
    """A fault, and a place of it."""

    fault: Any
    parameters: Model


def have_size(shapes: Sequence[str], size: Span) -> tuple[str, ...]:
    """Those of some shapes that have all of some sizes."""
    return tuple(shape for shape in shapes if len(SIZES[shape]) >= size.high)


def kinds_of(
    shapes: Sequence[str], routings: Sequence[str], platforms: Sequence[str], services: Sequence[ServiceName]
) -> Iterator[tuple[Kind, ...]]:
    """By shape, routing and platform that go together: the kinds with all combinations of services.

    Servers, which fit everywhere, are in each.
    """
    for shape in shapes:
        for routing in (one for one in routings if one in SHAPES[shape].routings):
            for platform in (one for one in platforms if offers(SHAPES[shape].platforms, one)):
                fitting = [name for name in services if SERVICES[name].fits(shape, platform)]
                always = tuple(name for name in fitting if SERVICES[name].is_of_hosts)
                possible = [name for name in fitting if name not in always]
                yield tuple(
                    Kind(shape, routing, platform, (*several, *always))
                    for count in range(len(possible) + 1)
                    for several in combinations(possible, count)
                )


@cache  # bounded by the kinds and the faults
def has_place(kind: Kind, fault: str) -> bool:
    """Whether a small network of a kind has a place for a fault."""
    hosts = max(_TYPICAL_HOSTS, hosts_of(kind.services))
    sizes = {**SIZES[kind.shape][0], "hosts": hosts}
    return next(choices(kind.draw(sizes=sizes, managed_hosts=True), fault, {}), None) is not None


def networks(
    kinds: Sequence[tuple[Kind, ...]],
    fault: str,
    source: random.Random,
    *,
    size: Span,
    hosts: Span,
    names: Naming,
    managed_hosts: bool,
) -> Iterator[DrawnNetwork]:
    """Draw one network of each shape, routing and platform that has a place for a fault, in a drawn order."""
    for variants in source.sample(kinds, len(kinds)):
        fitting = [kind for kind in variants if has_place(kind, fault)]
        if fitting:
            kind = source.choice(fitting)
            sizes = SIZES[kind.shape][size.draw(source) - 1]
            sizes = {**sizes, "hosts": max(sizes.get("hosts", 1), hosts.draw(source))}
            yield kind.draw(sizes=sizes, managed_hosts=managed_hosts, names=names, seed=source.randrange(2**31))


def choices(network: DrawnNetwork, kind: str, connected: dict[frozenset[str], bool]) -> Iterator[Choice]:
    """The places of a fault in a network, without those at which another path takes over."""
    fault = fault_of(kind)
    for parameters in fault.places(network):
        cuts = frozenset(fault.cuts(parameters))
        if cuts not in connected:
            connected[cuts] = bool(cuts) and connects(network, cuts)
        if not connected[cuts]:
            yield Choice(fault, parameters)


def is_bypassed(one: Choice, network: DrawnNetwork, connected: dict[frozenset[str], bool]) -> bool:
    """Whether another path takes over from a fault outside the nodes, which says nothing of what it cuts itself."""
    if one.fault.repairable or one.fault.found_at == "node":  # a whole node is placed where a ping needs it
        return False
    cuts = frozenset(prefixes_at(one, network))
    if cuts not in connected:
        connected[cuts] = connects(network, cuts)
    return connected[cuts]


def prefixes_at(one: Choice, network: DrawnNetwork) -> set[str]:
    """The prefixes of the subnets at the interface of a fault, or at the other end of its cable."""
    place: Any = one.parameters
    others = network.topology.peers(place.node).get(place.interface, ())
    ends = {(place.node, place.interface), *((end.node, end.interface) for end in others)}
    return {net.prefix for net in network.subnets for at in net.attachments if (at.node, at.interface) in ends}


def with_company(one: Choice, network: DrawnNetwork) -> Iterator[tuple[Choice, ...]]:
    """A fault alone; one that shows only beside another one, with each place of that."""
    company = one.fault.company
    if company is None:
        yield (one,)
        return
    for parameters in one.fault.accompanied(one.parameters, network):
        yield (one, Choice(fault_of(company), parameters))
