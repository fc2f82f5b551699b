"""The reasoning that leads to the reference repair, in words, from a task's faults and the flows that they break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.faults.protocol import Explains
from pytest_netbench.faults.repairs import known, repairs
from pytest_netbench.faults.wording import about, listed
from pytest_netbench.model.faulty import FlowGroup, InjectedFault

OUTSIDE: Final = "No command on a node repairs it."


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
    """Return what is wrong with one fault: in its own words, or else in those of its kind with its parameters."""
    fault, parameters = known(one)
    if isinstance(fault, Explains):
        return fault.explain(parameters)
    given = parameters.model_dump(mode="json", exclude_none=True)
    return f"{about(fault)} ({', '.join(f'{name} {value}' for name, value in given.items())})"
