"""Other causes that explain all that a fault does: a selector and a label that do not fit are wrong at either end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from pytest_netbench.generators.kubernetes.labels import FAULTS
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.model.diagnosis import RootCause
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.watch import WatchedFlow

_EXCHANGED: Final = tuple(FAULTS[label] for label in ("SEL", "PEER", "NS", "LABEL"))
"""Faults that put one value into the place of another one, so that the same is undone at either end."""


def equal_causes(
    fault: Any, parameters: Any, objects: Sequence[dict[str, Any]], flows: Sequence[WatchedFlow], left: Collection[int]
) -> Iterator[RootCause]:
    """Return the causes that one could name with the same right.

    Args:
        fault: What was injected.
        parameters: Its parameters.
        objects: Those of the cluster with all faults.
        flows: All flows.
        left: Indices of the flows that are wrong without the fault.
    """
    if fault.name not in _EXCHANGED:
        return
    own, values = fault.resource(parameters), {parameters.right, parameters.wrong}
    symptom = [flow for number, flow in enumerate(flows) if number not in left]
    for name in _EXCHANGED:
        other = fault_of(name)
        for choice in other.choices(objects):
            if {choice.right, choice.wrong} != values or other.resource(choice) == own:
                continue
            mended = Connectivity(other.edit(choice).applied(objects))
            if not mended.wrong(symptom) and set(mended.wrong(flows)) == set(left):
                yield RootCause(resource_id=other.resource(choice), fault_type=name)
