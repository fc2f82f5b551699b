"""Routers that accept routes which the RPKI calls invalid."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.syntax import below
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

_PLATFORM: Final = "frr"


class Accepting(OnDevice):
    """A router, the neighbor of which it accepts an invalid route, and the way of that route.

    Attributes:
        peer: The neighbor.
        neighbor: Address of the neighbor.
        policy: Name of the route map for what it sends.
        prefix: Of the invalid route.
        origin_as: AS number of the route's origin.
        allowed_as: AS number that may announce it.
        along: What other faults touch that must not be wrong: the route would not come.
    """

    peer: str
    neighbor: str
    policy: str
    prefix: str
    origin_as: int
    allowed_as: int
    along: tuple[str, ...]

    @property
    def entry(self) -> str:
        """The line that opens the entry of the route map which denies invalid routes."""
        return f"route-map {self.policy} deny 5"


class BgpRpkiInvalidAccepted(DeviceFault[Accepting]):
    """A router accepts from a neighbor in another AS a route to one of its own LANs that the RPKI calls invalid."""

    needs_services: tuple[str, ...] = ("rpki",)
    shown_by = "telemetry"
    name = "bgp-rpki-invalid-accepted"
    label = "RPKI"
    parameters = Accepting
    platforms = (_PLATFORM,)
    called = {"nika": "bgp_rpki_invalid_route_leak"}

    def _places(self, network: DrawnNetwork) -> Iterator[Accepting]:
        along = tuple(dict.fromkeys(_along(network)))
        for one in network.validations:
            yield Accepting(
                node=one.node,
                platform=network.platform_of(one.node),
                peer=one.peer,
                neighbor=one.neighbor,
                policy=one.policy,
                prefix=one.prefix,
                origin_as=one.origin_as,
                allowed_as=one.allowed_as,
                along=along,
            )

    def touches(self, parameters: Accepting) -> frozenset[str]:
        # of two routers that accept it, one takes the other one's route
        return frozenset({*parameters.along, f"rpki {parameters.prefix}"})

    def injection(self, parameters: Accepting) -> tuple[str, ...]:
        return (f"no {parameters.entry}",)

    def repair(self, parameters: Accepting) -> tuple[str, ...]:
        return below(parameters.entry, "match rpki invalid")

    def remains(self, parameters: Accepting, lab: Lab) -> Iterator[str]:
        p = parameters
        routes = lab.driver(p.node).routes(lab.nodes[p.node], p.prefix)
        if not any(route.protocol == "bgp" and p.neighbor in route.next_hops for route in routes):
            yield f"{p.node} has no route to {p.prefix} by {p.peer}"

    def explain(self, parameters: Accepting) -> str:
        p = parameters
        return (
            f"{about(self)} {p.node} accepts {p.prefix} from {p.peer}. Its origin is AS {p.origin_as}, and only"
            f" AS {p.allowed_as} may announce it, so that packets to {p.prefix} leave the network. The route map"
            f" {p.policy} does not deny what is invalid."
        )

    def symptoms(self, parameters: Accepting, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has an invalid route to {p.prefix}, whose origin is AS {p.origin_as}."
        yield from asking.state(network, p.node, "invalid route", because, prefix=p.prefix)
        because = f"{p.node} sends packets to {p.prefix} to {p.peer}."
        yield from asking.state(network, p.node, "route by", because, prefix=p.prefix, hop=p.neighbor)


def _along(network: DrawnNetwork) -> Iterator[str]:
    """What faults touch of links with other autonomous systems and between them, and of the sessions on these."""
    for link in network.transits:
        if all(network.is_managed(end.node) for end in link.attachments):
            continue
        yield f"bgp {link.prefix}"
        yield from (f"{end.node} {end.interface}" for end in link.attachments)
        for one, other in permutations(link.attachments, 2):
            yield f"bgp {min(one.address, other.address)} {max(one.address, other.address)}"
