"""What a shape is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pytest_netbench.generators.networks.draft import Device, Draft, Net
from pytest_netbench.generators.networks.routings import EXTERNAL_BGP, OSPF, STATIC, Scheme
from pytest_netbench.model.base import Model

ANY_ROUTING: Final[Mapping[str, Scheme]] = {"ospf": OSPF, "bgp": EXTERNAL_BGP, "static": STATIC}
ANY_ROUTER: Final = ("frr", "cisco_ios", "linux")


class Sizes(Model):
    """The sizes of a shape. Each field is an integer with a default, limits and a description."""


S = TypeVar("S", bound=Sizes)


@dataclass(frozen=True, kw_only=True)
class Shape(Generic[S]):
    """One kind of network.

    Attributes:
        what: One sentence for people.
        sizes: Model of its sizes.
        build: Adds devices, cables and subnets to an empty draft.
        routings: Routing schemes by name; the first is the default.
        platforms: Platforms that its routers and switches can have; the first is the default.
        steps: Sizes of networks with faults: small, medium and large, perhaps also some with at least 60 and 120
            routers and switches. ``hosts`` is the fewest in a LAN with which one can be built, 1 where it is not given.
            Without steps, no such networks are drawn.
    """

    name: str
    what: str
    sizes: type[S]
    build: Callable[[Draft, S], None]
    routings: Mapping[str, Scheme]
    platforms: tuple[str, ...]
    steps: tuple[Mapping[str, int], ...] = ()


def add_lan(draft: Draft, router: Device, label: str, hosts: int) -> Net:
    """Add a LAN at ``router`` with ``hosts`` hosts, called ``h<label>x1``, ``h<label>x2`` and so on."""
    return draft.lan(router, draft.hosts(f"h{label}x{number}" for number in range(1, hosts + 1)))


def connect_tiers(draft: Draft, lower: Iterable[Device], upper: Sequence[Device]) -> None:
    """Add a link between each router of a tier and each of the tier above it."""
    for one in lower:
        for other in upper:
            draft.transit(one, other)
