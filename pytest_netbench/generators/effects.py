"""Effects: which flows faults break, enumerated on paper, so that each distinct effect is drawn equally often.

An effect is a number whose bit ``i`` says that flow ``i`` is broken. Several faults together break what any one of them
breaks.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from pytest_netbench.faults.builders import SiteValue
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.model.base import Model
from pytest_netbench.model.faulty import InjectedFault
from pytest_netbench.model.watch import WatchedFlow


class Kind(NamedTuple):
    """Choices that are alike: they break the same flows and touch the same things."""

    effect: int
    touches: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A fault with its parameters."""

    fault: str
    parameters: Model

    @property
    def injected(self) -> InjectedFault:
        """As a task names it."""
        return InjectedFault(fault=self.fault, parameters=self.parameters.model_dump(mode="json", exclude_none=True))


Choices = dict[Kind, dict[str, list[Choice]]]
"""By kind and fault: what can be chosen, in a fixed order."""


def choices_of(faults: Iterable[SiteValue[Any]], site: Site, flows: Sequence[WatchedFlow]) -> Choices:
    """Return all that can be broken on ``site`` by these faults."""
    found: Choices = {}
    effects: dict[Affected, int] = {}
    for fault in faults:
        for parameters in fault.targets(site):
            breaks = fault.breaks(parameters, site)
            if breaks not in effects:
                effects[breaks] = sum(1 << number for number, flow in enumerate(flows) if breaks(flow))
            if effects[breaks]:
                kind = Kind(effects[breaks], fault.touches(parameters))
                choice = Choice(fault=fault.name, parameters=parameters)
                found.setdefault(kind, {}).setdefault(fault.name, []).append(choice)
    return found


def indices(effect: int) -> tuple[int, ...]:
    """The numbers of the flows that an effect breaks."""
    return tuple(number for number in range(effect.bit_length()) if effect >> number & 1)


def possible(groups: Sequence[Choices]) -> bool:
    """Whether one fault of each group can be injected together."""
    return next(_compatible(groups), None) is not None


class Effects:
    """The distinct effects of several faults at once, one of each group.

    Args:
        groups: For each fault that is injected, what it is chosen from.
    """

    def __init__(self, groups: Sequence[Choices]) -> None:
        self._groups = tuple(groups)
        self._ways: dict[int, list[tuple[Kind, ...]]] = {}
        self._by_faults: dict[int, dict[tuple[str, ...], list[tuple[Kind, ...]]]] = {}
        for way in _compatible(groups):
            union = 0
            for kind in way:
                union |= kind.effect
            self._ways.setdefault(union, []).append(way)

    @property
    def all(self) -> tuple[int, ...]:
        """Each distinct effect once, in a fixed order."""
        return tuple(self._ways)

    def draw(self, source: random.Random) -> tuple[int, tuple[Choice, ...]]:
        """Draw an effect; then faults that have it, each combination with the same probability; then their parameters.

        Returns:
            The effect, and one choice of each group.
        """
        effect = source.choice(self.all)
        combinations = self._combinations(effect)
        faults = source.choice(list(combinations))
        way = source.choice(combinations[faults])
        picked = zip(self._groups, way, faults, strict=True)
        return effect, tuple(source.choice(group[kind][fault]) for group, kind, fault in picked)

    def _combinations(self, effect: int) -> dict[tuple[str, ...], list[tuple[Kind, ...]]]:
        """By faults, one of each group: the ways in which they have the effect."""
        if effect not in self._by_faults:
            found: dict[tuple[str, ...], list[tuple[Kind, ...]]] = {}
            for way in self._ways[effect]:
                for faults in product(*(group[kind] for group, kind in zip(self._groups, way, strict=True))):
                    found.setdefault(faults, []).append(way)
            self._by_faults[effect] = found
        return self._by_faults[effect]


def _compatible(groups: Sequence[Choices]) -> Iterator[tuple[Kind, ...]]:
    """One kind of each group, such that no two touch the same thing."""
    for way in product(*groups):
        if len(frozenset().union(*(kind.touches for kind in way))) == sum(len(kind.touches) for kind in way):
            yield way
