"""Faults of an application that change flows, found on paper. Those that change none are dropped and counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from pytest_netbench.faults.kubernetes.builders import ClusterValue
from pytest_netbench.generators.kubernetes.equals import equal_causes
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.flows import flow_groups
from pytest_netbench.kubernetes.applications.graph import Application
from pytest_netbench.kubernetes.applications.manifests import manifests
from pytest_netbench.model.base import Model
from pytest_netbench.model.diagnosis import EqualCause
from pytest_netbench.model.faulty import FlowGroup, InjectedFault, fault_of
from pytest_netbench.model.watch import WatchedFlow
from pytest_netbench.text import listed

_TRIES = 15
"""How many times faults of one application are drawn."""


class Choice(NamedTuple):
    """A fault of a cluster, and its parameters."""

    fault: Any
    parameters: Model

    @property
    def is_on_paper(self) -> bool:
        """Whether the objects tell what it makes wrong, wherever pods run."""
        return isinstance(self.fault, ClusterValue)

    @property
    def injected(self) -> InjectedFault:
        """As a task names it."""
        return InjectedFault(fault=self.fault.name, parameters=self.parameters.model_dump(mode="json"))


@dataclass(frozen=True, kw_only=True)
class BrokenApplication:
    """An application, the faults that are injected into it, in this order, and which of its flows they make wrong.

    With a fault of a machine nobody knows which: that depends on where pods run.
    """

    application: Application
    objects: list[dict[str, Any]]
    flows: tuple[FlowGroup, ...]
    chosen: tuple[Choice, ...]
    symptom: tuple[int, ...] | None
    equals: tuple[EqualCause, ...] = ()


@dataclass(kw_only=True)
class Dropped:
    """What was drawn and not taken: by the names of the faults, how often."""

    without_effect: Counter[str] = field(default_factory=Counter)
    disguised: Counter[str] = field(default_factory=Counter)

    @property
    def notes(self) -> str | None:
        """What is said of it to authors; nothing if there is none."""
        told = (
            ("change no flow", self.without_effect),
            ("hide a part of each other", self.disguised),
        )
        lines = [
            f"Dropped before it, as they {why}: {listed([f'{name} ({found[name]})' for name in sorted(found)])}."
            for why, found in told
            if found
        ]
        return " ".join(lines) or None


def break_application(
    application: Application, faults: Sequence[str], source: random.Random, dropped: Dropped
) -> BrokenApplication | None:
    """Draw faults of different objects or machines, each of which makes flows wrong; ``None`` if none are found.

    Each object that can have a fault that makes flows wrong has the same probability. The reference repair, the last
    fault first, makes no flow wrong on its way.

    Args:
        application: What they are faults of.
        faults: Their names, in the order of injection.
        source: Of the choices.
        dropped: Counts what was not taken.
    """
    objects = manifests(application)
    places = [_places(fault_of(name), objects) for name in faults]
    if not all(places):
        return None
    groups = flow_groups(application)
    effects = _Effects(objects, [flow for group in groups for flow in group.flows()])
    for _ in range(_TRIES):
        chosen = _chosen(places, source, effects, dropped)
        if chosen is None:
            continue
        on_paper = [one for one in chosen if one.is_on_paper]
        states = [effects.of(on_paper[:count]) for count in _counts(on_paper)]
        if not all(fewer <= more for fewer, more in pairwise(states)):
            dropped.disguised.update(["+".join(one.fault.name for one in chosen)])
            continue
        equals = _equals(on_paper, objects, effects)
        return BrokenApplication(
            application=application,
            objects=objects,
            flows=groups,
            chosen=tuple(chosen),
            symptom=tuple(sorted(states[-1])) if len(on_paper) == len(chosen) else None,
            equals=tuple(equals),
        )
    return None


def _equals(chosen: Sequence[Choice], objects: list[dict[str, Any]], effects: _Effects) -> Iterator[EqualCause]:
    """What explains the same as one of the faults, by their places in the order of injection."""
    broken = _applied(objects, chosen)
    for number, one in enumerate(chosen):
        left = effects.of([other for other in chosen if other is not one])
        for found in equal_causes(one.fault, one.parameters, broken, effects.flows, left):
            yield EqualCause(fault=number, **found.model_dump())


def _counts(chosen: Sequence[Choice]) -> range:
    return range(1, len(chosen) + 1)


def _places(fault: Any, objects: Sequence[dict[str, Any]]) -> dict[str, list[Choice]]:
    """By object: the faults of one kind that it can have."""
    found: dict[str, list[Choice]] = {}
    for parameters in fault.choices(objects):
        found.setdefault(fault.resource(parameters), []).append(Choice(fault, parameters))
    return found


def _chosen(
    places: Sequence[dict[str, list[Choice]]], source: random.Random, effects: _Effects, dropped: Dropped
) -> list[Choice] | None:
    """A fault of each kind, each of another object; ``None`` if there are not as many, or one makes no flow wrong."""
    chosen: list[Choice] = []
    taken: set[str] = set()
    for found in places:
        free = [name for name in found if name not in taken]
        if not free:
            return None
        name = source.choice(free)
        taken.add(name)
        one = _felt(found[name], source, effects, dropped)
        if one is None:
            return None
        chosen.append(one)
    return chosen


def _felt(choices: Sequence[Choice], source: random.Random, effects: _Effects, dropped: Dropped) -> Choice | None:
    """One of the faults of an object that makes flows wrong; ``None`` if none does.

    Were another object drawn after a fault without effect, objects with many of these would be drawn less often.
    """
    left = [*choices]
    while left:
        one = source.choice(left)
        if not one.is_on_paper or effects.of([one]):
            return one
        dropped.without_effect.update([one.fault.name])
        left.remove(one)
    return None


class _Effects:
    """Which flows of an application its faults make wrong: each is looked for once, as it is the same object."""

    def __init__(self, objects: list[dict[str, Any]], flows: Sequence[WatchedFlow]) -> None:
        self._objects, self.flows = objects, flows
        self._healthy = Connectivity(objects)
        self._found: dict[tuple[int, ...], frozenset[int]] = {}

    def of(self, chosen: Sequence[Choice]) -> frozenset[int]:
        """Return the indices of the flows that are wrong with faults."""
        key = tuple(id(one.parameters) for one in chosen)
        if key not in self._found:
            broken = Connectivity(_applied(self._objects, chosen))
            self._found[key] = frozenset(broken.wrong(self.flows, right=self._healthy))
        return self._found[key]


def _applied(objects: list[dict[str, Any]], chosen: Sequence[Choice]) -> list[dict[str, Any]]:
    for one in chosen:
        objects = one.fault.edit(one.parameters).applied(objects)
    return objects
