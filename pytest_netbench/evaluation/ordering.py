"""The order in which testcases are observed, and events caused. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_netbench.evaluation.testcases import KINDS
from pytest_netbench.model.events import Action
from pytest_netbench.model.testcase import Testcase

Events = Mapping[str, Sequence[Action]]
"""The events of a task by name: what happens, in order."""


class Order(NamedTuple):
    """Indices of testcases, in the order to observe them.

    Attributes:
        present: What must hold, side by side.
        absent: What must not hold, side by side.
        alone: What disturbs others, or takes long: one after the other.
    """

    present: tuple[int, ...]
    absent: tuple[int, ...]
    alone: tuple[int, ...]


def ordered(testcases: Sequence[Testcase], indices: Iterable[int]) -> Order:
    """Return the order in which the testcases at ``indices`` are observed."""
    present: list[int] = []
    absent: list[int] = []
    alone: list[int] = []
    for index in indices:
        testcase = testcases[index]
        kind = KINDS[testcase.kind]
        (alone if kind.traffic or kind.alone else absent if kind.absent(testcase) else present).append(index)
    return Order(tuple(present), tuple(absent), tuple(alone))


def courses(events: Events, *, alone: Collection[str | None] = ()) -> list[tuple[str, ...]]:
    """Return the names of events in groups: in each, an event begins with all actions of the one before it.

    So a cable that is cut in one event and cut and restored in another is cut once.

    Args:
        events: The events by name.
        alone: Names of those that are measured from their first action.
    """
    left = dict(events)
    found = []
    while left:
        course = [next(iter(left))]
        actions = tuple(left.pop(course[0]))
        while following := [
            name for name, one in left.items() if name not in alone and tuple(one[: len(actions)]) == actions
        ]:
            course.append(min(following, key=lambda name: len(left[name])))
            actions = tuple(left.pop(course[-1]))
        found.append(tuple(course))
    return found
