"""The reference solution of a task: the repair of its faults, the observations that prove them, and why, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_netbench.faults.evidence.asking import first
from pytest_netbench.faults.evidence.network import Observable, observable_of
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.model.base import Model
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import Faulty, FlowGroup, InjectedFault, fault_of
from pytest_netbench.model.topology import Topology
from pytest_netbench.text import listed

OUTSIDE: Final = "No command on a node repairs it."
MOST: Final = 3
"""Observations of one fault."""


class Known(NamedTuple):
    """The part of a fault (``builders.FaultValue``), and its parameters."""

    fault: Any
    parameters: Model


def known(one: InjectedFault) -> Known:
    """The part of a fault of a task, and its parameters."""
    fault = fault_of(one.fault)
    return Known(fault, fault.parameters.model_validate(one.parameters))


def repairs(faults: Sequence[InjectedFault]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """The number of a fault, a node, and the commands there that repair it; the fault injected last comes first."""
    for number in reversed(range(len(faults))):
        fault, parameters = known(faults[number])
        for node, commands in fault.recover(parameters).items():
            yield number, node, commands


def evidence_of(one: InjectedFault, network: Observable) -> tuple[Observation, ...]:
    """Return at most three observations that prove a fault; none if it has no evidence, or not in this network."""
    fault, parameters = known(one)
    found = (one for one in fault.evidence(parameters, network) if network.answers(one.params.get("device")))
    return first(MOST, found)


def reference_diagnosis(payload: Faulty) -> Iterator[tuple[InjectedFault, tuple[Observation, ...]]]:
    """Return each fault of a task, with the observations that prove it; those that no other fault disturbs, if any."""
    network = observable_of(payload)
    beside = undisturbed(payload.faults, payload.topology, network)
    return (
        (one, evidence_of(one, view) or evidence_of(one, network))
        for one, view in zip(payload.faults, beside, strict=True)
    )


def undisturbed(faults: Sequence[InjectedFault], topology: Topology, network: Observable) -> Iterator[Observable]:
    """Return for each of some faults what an agent can look at without meeting another one of them.

    Only where tests start at named hosts: elsewhere there are enough others. A fault that shows only beside another one
    is looked at with it. Faults whose effect reaches beyond the paths over their nodes are not known on paper.
    """
    if not network.is_limited:
        yield from [network] * len(faults)
        return
    causes = causes_of(faults, topology)
    for one in causes:
        own = {one.fault_type, fault_of(one.fault_type).company}
        others = [other for other in causes if other is not one and other.fault_type not in own]
        others = [other for other in others if fault_of(other.fault_type).company != one.fault_type]
        yield network.beside([other.nodes for other in others])


def in_words(payload: Faulty) -> Iterator[str]:
    """Return the reference diagnosis of a task in lines for people."""
    for one, observations in reference_diagnosis(payload):
        yield f"{one.fault} on {one.parameters.get('node')}:"
        yield from (f"  {number}. {found.words}" for number, found in enumerate(observations, 1))
        if not observations:
            yield "  No observations are known that prove it."


def reasoning(faults: Sequence[InjectedFault], *, flows: Sequence[FlowGroup] = (), symptom: Sequence[int] = ()) -> str:
    """Return what is wrong and where, how it shows, and how it is repaired.

    Args:
        faults: In the order of injection. The one injected last is repaired and named first.
        flows: The groups of flows of the task.
        symptom: Indices of the flows that the faults make wrong, counted through all groups.
    """
    count = len(faults)
    first = "One thing is wrong." if count == 1 else f"{count} things are wrong, and each must be repaired."
    sentences = [first, *_seen(flows, symptom), *_causes(faults)]
    return "\n".join([*sentences, "Nothing else has to be changed, so no flow that works is interrupted."])


def _seen(flows: Sequence[FlowGroup], symptom: Sequence[int]) -> Iterator[str]:
    if not symptom:
        return
    kinds = [_kind(group) for group in flows for _ in range(group.count)]
    wrong, total = Counter(kinds[number] for number in symptom), Counter(kinds)
    yield f"At first {listed([f'{wrong[kind]} of {total[kind]} {kind} flows' for kind in wrong])} are wrong."


def _kind(group: FlowGroup) -> str:
    service = "ping" if group.protocol == "icmp" else f"{group.protocol.upper()} port {group.port}"
    return service if group.allowed else f"forbidden {service}"


def _causes(faults: Sequence[InjectedFault]) -> Iterator[str]:
    commands: dict[int, list[str]] = {}
    for number, node, lines in repairs(faults):
        commands.setdefault(number, []).append(f"{node}: {', '.join(f'`{line.strip()}`' for line in lines)}")
    for number in reversed(range(len(faults))):
        repair = f"Repair on {'; on '.join(commands[number])}." if number in commands else OUTSIDE
        yield f"{explained(faults[number])} {repair}"


def explained(one: InjectedFault) -> str:
    """Return what is wrong with one fault, in words."""
    fault, parameters = known(one)
    words: str = fault.explain(parameters)
    return words if one.when is None else f"{words} {one.when.words}"
