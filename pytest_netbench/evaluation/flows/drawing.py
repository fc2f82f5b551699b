"""The draw: which flows of the tiers are taken when there is not room for all."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_netbench.evaluation.flows.candidates import Flows, Tiers
from pytest_netbench.evaluation.flows.clusters import cluster_flows
from pytest_netbench.evaluation.flows.network_facts import NetworkFacts
from pytest_netbench.evaluation.flows.seeded_choice import SeededChoice, in_turns
from pytest_netbench.model.reference import ReferenceFlow
from pytest_netbench.model.task import Task

_BY_CHANCE = 0.15
_TRIES = 50


def flows_of(task: Task, *, seed: int, count: int) -> tuple[ReferenceFlow, ...]:
    """Return at most ``count`` different flows of a task: between the pods of a cluster, or as ``draw`` draws them.

    Args:
        task: A task with a network.
        seed: Draws other flows.
        count: Number of flows.

    Raises:
        UsageError: The task has no network.
    """
    return (cluster_flows if task.network.resource == "cluster" else draw)(task, seed=seed, count=count)


def draw(task: Task, *, seed: int = 1, count: int = 1000) -> tuple[ReferenceFlow, ...]:
    """Return at most ``count`` different flows; the same for equal arguments, on any machine.

    First come all pairs of nodes, both sides of each boundary that a configuration, an intent or a testcase names,
    and what testcases name; then combinations of these with ports, markings and spoofed sources; the rest is drawn by
    chance. If there is not room for all, each kind gets its share. Fewer flows are returned if the network has too
    few addresses.

    Args:
        task: A task with a network.
        seed: Draws other combinations.
        count: Number of flows.

    Raises:
        UsageError: The task has no network.
    """
    facts = NetworkFacts(task)
    if len(facts.nodes) < 2:
        return ()
    tiers = Tiers(facts, SeededChoice(seed))
    taken: dict[tuple[object, ...], ReferenceFlow] = {}
    _take(tiers.first(), taken, count)
    _take(tiers.further(), taken, max(len(taken), round(count * (1 - _BY_CHANCE))))
    tries = _TRIES * count
    while len(taken) < count and tries:
        tries -= 1
        flow = tiers.by_chance()
        if flow is not None:
            taken.setdefault(flow.key, flow)
    return tuple(taken.values())


def _take(tiers: Iterable[Flows], taken: dict[tuple[object, ...], ReferenceFlow], most: int) -> None:
    for flow in in_turns(tiers):
        if len(taken) >= most:
            return
        if flow is not None:
            taken.setdefault(flow.key, flow)
