"""Pairs of faults of which one hides the other: the second shows when the first is repaired."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, Literal

from pytest_netbench.generators.faulty_networks import Choice, prefixes_at
from pytest_netbench.generators.networks import DrawnNetwork

Pairs = Literal["independent", "masked"]
MASKS: Final = ("port-shutdown", "link-down", "interface-detached")
"""What ends all that goes through a subnet, so that nothing further that is wrong there shows."""


def masks_among(faults: Collection[str]) -> tuple[str, ...]:
    """Those of some faults that can hide another one; none if there is no other one."""
    masks = tuple(name for name in faults if name in MASKS)
    return masks if len(masks) < len(faults) else ()


def hides(mask: Choice, other: Choice, network: DrawnNetwork) -> bool:
    """Whether one fault cuts off all that another one breaks: what goes through a subnet, or all of a host in it."""
    place: Any = mask.parameters
    hidden: Any = other.parameters
    if other.fault.name in MASKS:
        return False
    ends = [(place.node, place.interface)]
    ends += [(end.node, end.interface) for end in network.topology.peers(place.node).get(place.interface, ())]
    node = hidden.node
    if hosts := [name for name, _ in ends if name in network.hosts]:
        return node in hosts
    prefixes = prefixes_at(mask, network)
    if len(prefixes) != 1:
        return False
    cuts = frozenset(other.fault.cuts(hidden))
    return cuts == prefixes if cuts else node in network.hosts and network.lan_of(node).prefix in prefixes
