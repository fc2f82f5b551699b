"""What keeps a task from being held to its reference behaviour. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_netbench.evaluation.behaviour.compare import changed_routes
from pytest_netbench.evaluation.behaviour.listing import moment, shown
from pytest_netbench.evaluation.behaviour.wording import Wording, change_words
from pytest_netbench.evaluation.reference import Reference, changes_at, managed_nodes
from pytest_netbench.model.behaviour import LEAST_AGREED, Behaviour
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.task import Task


def reference_of(task: Task, behaviour: Behaviour) -> Reference:
    """The record with what ``task``, which must be of a family with intents, says of it."""
    assert isinstance(task.payload, Configure)
    return Reference(behaviour, task.payload.reference, managed=managed_nodes(task.payload.topology))


def problems_of(task: Task, behaviour: Behaviour, *, path: Path) -> list[str]:
    """One sentence for each problem.

    Args:
        task: A task that is held to its reference behaviour.
        behaviour: What is recorded for it.
        path: The task file.
    """
    reference = reference_of(task, behaviour)
    return [*_events(task), *_empty(task, reference, path), *_unexplained(reference, path), *_idle(reference)]


def _events(task: Task) -> Iterator[str]:
    assert isinstance(task.payload, Configure)
    covered = {one.under for one in task.payload.testcases if one.kind == "reference"}
    for under in (None, *task.payload.events):
        if under not in covered:
            entry = "{name: …, kind: reference, role: regression" + ("}" if under is None else f", under: {under}}}")
            yield f"no testcase of kind reference looks at what happens {moment(under)}: add {entry}"


def _empty(task: Task, reference: Reference, path: Path) -> Iterator[str]:
    """Testcases that compare nothing, because nothing is named and too few right solutions agree."""
    assert isinstance(task.payload, Configure)
    for one in task.payload.testcases:
        under = one.under
        if one.kind != "reference" or under is None or reference.behaviour.is_settled(under):
            continue
        names_routes = any(change.routes and change.under in (None, under) for change in reference.settings.changes)
        if under in reference.behaviour.moments and not names_routes and not reference.compared(under):
            yield (
                f"testcase {one.name!r} compares nothing: no entry of reference.changes names a flow or route under its"
                f" event, and fewer than {LEAST_AGREED} right solutions (with the ground truth) were observed. Write"
                f" right solutions beside the task, and then: netbench record {path}"
            )


def _unexplained(reference: Reference, path: Path) -> Iterator[str]:
    wording = Wording(reference.behaviour.addresses)
    for under in reference.behaviour.moments:
        flows = changes_at(reference, under).unexplained
        if flows:
            first = flows[0]
            yield (
                f"the ground truth changes {len(flows)} flows that belong to no intent {moment(under)}, e.g."
                f" {wording.flow(first.flow)}: {change_words(first.before, first.after)}. Give them to an intent in"
                f" reference.changes, or list them in reference.free with a reason; netbench explain {path} suggests"
                " entries"
            )


def _idle(reference: Reference) -> Iterator[str]:
    """Entries that match nothing: they are outdated or mistyped.

    A free route may be one that only other solutions have, so it needs no match.
    """
    used: set[int] = set()
    for under in reference.behaviour.moments:
        used |= {id(entry) for entry, flows in changes_at(reference, under).by_change if flows}
        used |= {id(reference.free_flow(one, under)) for one in reference.held(under)}
        for tables in reference.behaviour.tables_at(under):
            for route in changed_routes(tables):
                used |= {id(reference.change_of_route(route.node, route.prefix, under))}
    for number, change in enumerate(reference.settings.changes, start=1):
        if id(change) not in used:
            yield f"reference.changes: entry {number} ({shown(change)}) matches nothing that the ground truth changes"
    for number, free in enumerate(reference.settings.free, start=1):
        if free.routes is None and id(free) not in used:
            yield f"reference.free: entry {number} ({shown(free)}) matches no flow that is held"
