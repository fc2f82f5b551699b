"""The behaviours that Kubernetes 1.36 checks in its end-to-end tests of network policies, as decisions."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import pytest

from pytest_netbench.kubernetes.policies import World, allows
from tests.support.policy_cases import CASES, DENIED_BUT_Y, NO_INGRESS_A, ONLY_A, Object, ingress, objects, pods, spaces


def differing(world: World, protocol: Any, number: int, expected: tuple[tuple[str, str, bool], ...]) -> list[str]:
    """Pairs of pods of which the decision is not what is expected."""
    found = []
    for source in world.pods:
        for target in world.pods:
            ends = f"{source.namespace}/{source.name}", f"{target.namespace}/{target.name}"
            if source is target:
                continue
            wanted = True
            for sources, targets, allowed in expected:
                if fnmatch(ends[0], sources) and fnmatch(ends[1], targets):
                    wanted = allowed
            if allows(world, source, target, protocol, number).allowed != wanted:
                found.append(" -> ".join(ends))
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_case_of_kubernetes_is_decided_as_there(name: str) -> None:
    policies, (protocol, number), expected = CASES[name]
    assert differing(World.of([*objects(), *policies]), protocol, number, expected) == []


def test_the_label_of_a_namespace_counts_once_it_is_there() -> None:
    policies = [ingress(ONLY_A, {"from": [spaces(extra="new")]})]
    assert differing(World.of([*objects(), *policies]), "TCP", 80, NO_INGRESS_A) == []
    labelled = objects()
    next(one for one in labelled if one["metadata"]["name"] == "y")["metadata"]["labels"]["extra"] = "new"
    assert differing(World.of([*labelled, *policies]), "TCP", 80, DENIED_BUT_Y) == []


@pytest.mark.parametrize(
    ("made", "labelled", "expected"),
    [
        (ingress(ONLY_A, {"from": [pods(extra="new")]}), "b", (*NO_INGRESS_A, ("x/b", "x/a", True))),
        (ingress({"matchLabels": {"extra": "new"}}), "a", NO_INGRESS_A),
    ],
)
def test_the_label_of_a_pod_counts_once_it_is_there(made: Object, labelled: str, expected: Any) -> None:
    before = NO_INGRESS_A if labelled == "b" else ()
    assert differing(World.of([*objects(), made]), "TCP", 80, before) == []
    found = objects()
    pod = next(one for one in found if one["metadata"].get("namespace") == "x" and one["metadata"]["name"] == labelled)
    pod["metadata"]["labels"]["extra"] = "new"
    assert differing(World.of([*found, made]), "TCP", 80, expected) == []
