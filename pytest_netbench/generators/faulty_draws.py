"""One draw of a network with faults. Shared by generators of several families."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.access import logins_of
from pytest_netbench.generators.brownfield import Grown, overgrown, touched_by
from pytest_netbench.generators.faulty_networks import (
    Choice,
    choices,
    have_size,
    is_bypassed,
    kinds_of,
    networks,
    with_company,
)
from pytest_netbench.generators.faulty_parameters import FaultyParameters
from pytest_netbench.generators.faulty_refusals import why_nothing
from pytest_netbench.generators.levels import count_of
from pytest_netbench.generators.masking import hides, masks_among
from pytest_netbench.generators.networks import DrawnNetwork
from pytest_netbench.model.faulty import InjectedFault, fault_of


class Broken(NamedTuple):
    """A network, and the faults that are injected into it, in this order."""

    network: DrawnNetwork
    chosen: tuple[Choice, ...]
    first: str = ""
    """The kind that was drawn first, and for which the network was chosen."""

    @property
    def faults(self) -> list[InjectedFault]:
        """The faults as a task has them."""
        return [
            InjectedFault(fault=one.fault.name, parameters=one.parameters.model_dump(mode="json", exclude_none=True))
            for one in self.chosen
        ]

    def overgrown(self, source: random.Random) -> Grown:
        """The network with leftovers of years, and its design document."""
        return overgrown(self.network, touched_by(self.faults), source)

    @property
    def label(self) -> str:
        """The labels of the faults, e.g. ``MASK+PORT``."""
        return "+".join(one.fault.label for one in self.chosen)


def draw_broken(
    name: str, parameters: FaultyParameters, source: random.Random, *, firsts: Sequence[str] = ()
) -> Broken:
    """Draw a network with faults.

    Args:
        name: Of the generator.
        parameters: What is chosen.
        source: Of the choices.
        firsts: The kinds of which the first fault is one; all that may be drawn without it.

    Raises:
        UsageError: Nothing can be drawn with these parameters.
    """
    level = count_of(parameters.level).draw(source)
    shapes = have_size(parameters.shapes, parameters.size)
    kinds = list(kinds_of(shapes, parameters.routings, parameters.platforms, parameters.services))
    # of all hosts or of none, so that it tells nothing
    managed_hosts = any(fault_of(name).platforms == ("linux",) for name in parameters.faults)
    # faults that fit few networks are drawn as often as the others
    is_masked = parameters.pairs == "masked"
    kinds_of_first = firsts or (masks_among(parameters.faults) if is_masked else parameters.faults)
    for first in source.sample(kinds_of_first, len(kinds_of_first)):
        for network in networks(
            kinds,
            first,
            source,
            size=parameters.size,
            hosts=parameters.hosts,
            names=parameters.names,
            managed_hosts=managed_hosts,
        ):
            chosen = (
                _hidden_pair(network, first, parameters, source)
                if is_masked
                else _chosen(network, first, level, parameters, source)
            )
            if chosen:
                return Broken(network, chosen, first)
    asked = parameters.model_dump(include={"shapes", "routings", "platforms", "services", "faults"})
    reason = why_nothing(
        kinds, **asked, level=level, size=parameters.size, hosts=parameters.hosts, access=parameters.access
    )
    raise UsageError(f"{name}: {reason}")


def _chosen(
    network: DrawnNetwork, first: str, level: int, parameters: FaultyParameters, source: random.Random
) -> tuple[Choice, ...]:
    """Faults of a network, the first of the kind ``first``; none if the network has no place for as many."""
    chosen: list[tuple[Choice, ...]] = []
    kinds: Sequence[str] = (first,)
    known: dict[str, list[tuple[Choice, ...]]] = {}
    seen = logins_of(network, "managed" if parameters.access == "reports" else parameters.access)
    connected: dict[frozenset[str], bool] = {}
    for _ in range(level):
        taken = {thing for group in chosen for thing in _touched(group)}
        free: dict[str, list[tuple[Choice, ...]]] = {}
        for kind in kinds:
            if kind not in known:
                known[kind] = [
                    group
                    for one in choices(network, kind, connected)
                    for group in with_company(one, network)
                    if all(not seen.isdisjoint(_nodes_of(one, network)) for one in group)
                    and not (parameters.needs_flows and any(is_bypassed(one, network, connected) for one in group))
                ]
            free[kind] = [group for group in known[kind] if not taken & _touched(group)]
        fitting = [kind for kind in kinds if free[kind]]
        if not fitting:
            return ()
        chosen.append(source.choice(free[source.choice(fitting)]))
        kinds = parameters.faults
    ordered = sorted(chosen, key=lambda group: (bool(group[0].fault.lets_through), str(group[0].fault.label)))
    return tuple(one for group in ordered for one in group)


def _hidden_pair(
    network: DrawnNetwork, first: str, parameters: FaultyParameters, source: random.Random
) -> tuple[Choice, ...]:
    """A fault and, behind it, one of the kind ``first`` that hides it; none if the network has no place for both."""
    seen = logins_of(network, parameters.access)
    connected: dict[frozenset[str], bool] = {}

    def places(kind: str) -> list[Choice]:
        found = choices(network, kind, connected)
        shown = (one for one in found if not (parameters.needs_flows and is_bypassed(one, network, connected)))
        return [one for one in shown if one.fault.company is None and not seen.isdisjoint(_nodes_of(one, network))]

    others = {kind: places(kind) for kind in parameters.faults if kind != first}
    pairs: dict[str, list[tuple[Choice, ...]]] = {}
    for mask in places(first):
        for kind, several in others.items():
            for one in several:
                if hides(mask, one, network) and not _touched((mask,)) & _touched((one,)):
                    pairs.setdefault(kind, []).append((one, mask))
    return source.choice(pairs[source.choice(list(pairs))]) if pairs else ()


def _nodes_of(one: Choice, network: DrawnNetwork) -> Iterator[str]:
    place: Any = one.parameters
    yield place.node
    if one.fault.found_at == "link":
        yield from (end.node for end in network.topology.peers(place.node).get(place.interface, ()))


def _touched(group: tuple[Choice, ...]) -> frozenset[str]:
    return frozenset(thing for one in group for thing in one.fault.touches(one.parameters))
