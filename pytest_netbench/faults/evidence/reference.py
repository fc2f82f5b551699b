"""The reference diagnosis of a task: for each fault that was injected, the observations that prove it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol, runtime_checkable

from pytest_netbench.faults.evidence.asking import first
from pytest_netbench.faults.evidence.network import Observable, observable_of
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.repairs import known
from pytest_netbench.model.faulty import Faulty, InjectedFault

MOST: Final = 3
"""Observations of one fault."""


@runtime_checkable
class HasEvidence(Protocol):
    """What a fault may offer: the observations that prove it."""

    def evidence(self, parameters: Any, network: Observable) -> Iterable[Observation]:
        """Return observations, the most telling first. Together they hold only while the fault is there."""
        ...


def evidence_of(one: InjectedFault, network: Observable) -> tuple[Observation, ...]:
    """Return at most three observations that prove a fault; none if it has no evidence, or not in this network."""
    fault, parameters = known(one)
    return first(MOST, fault.evidence(parameters, network)) if isinstance(fault, HasEvidence) else ()


def reference_diagnosis(payload: Faulty) -> Iterator[tuple[InjectedFault, tuple[Observation, ...]]]:
    """Return each fault of a task, with the observations that prove it."""
    network = observable_of(payload)
    return ((one, evidence_of(one, network)) for one in payload.faults)


def in_words(payload: Faulty) -> Iterator[str]:
    """Return the reference diagnosis of a task in lines for people."""
    for one, observations in reference_diagnosis(payload):
        yield f"{one.fault} on {one.parameters.get('node')}:"
        yield from (f"  {number}. {found.words}" for number, found in enumerate(observations, 1))
        if not observations:
            yield "  No observations are known that prove it."
