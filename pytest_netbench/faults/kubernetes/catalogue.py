"""The faults of API objects by their labels. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.faults.kubernetes import ports, rules, selectors, surplus
from pytest_netbench.faults.kubernetes.builders import ClusterValue
from pytest_netbench.model.drawn import Drawn

OF_OBJECTS: Final[Mapping[str, ClusterValue[Any]]] = {
    one.label: one
    for module in (ports, rules, selectors, surplus)
    for one in vars(module).values()
    if isinstance(one, ClusterValue)
}
"""By label."""


def drawn_at(drawn: Drawn | None) -> frozenset[str] | None:
    """Return the kinds of objects at which the faults of a draw can be, by all labels that could have been drawn.

    An agent may know these from other draws of the series; which kind the fault of this draw is at must not matter.

    Returns:
        ``None`` if that is not known: the task is no draw, or other things than objects can have a fault.
    """
    labels = () if drawn is None else drawn.parameters.get("labels", ())
    if not labels or not all(one in OF_OBJECTS for one in labels):
        return None
    return frozenset(kind for one in labels for kind in OF_OBJECTS[one].kinds)
