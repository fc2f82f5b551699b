"""Faults of API objects in what ``kubectl`` prints of whole objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest
import yaml

from pytest_netbench import parts
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.kubernetes.builders import ClusterValue
from pytest_netbench.faults.reasoning import evidence_of
from pytest_netbench.kubernetes.applications.drawing import drawn
from pytest_netbench.kubernetes.applications.manifests import manifests
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.process.objects import shows
from pytest_netbench.process.requests import requests_of
from tests.unit.process.test_requests import execute

NAMES = [name for name in parts.names("faults") if isinstance(fault_of(name), ClusterValue)]
CLUSTER = Observable(platforms={"workstation": "kubernetes"}, addresses={}, pairs=())


@cache
def application(seed: int) -> list[Any]:
    return manifests(drawn(seed, services=14))


def cases(name: str) -> Iterator[tuple[Observation, list[Any], list[Any]]]:
    """An observation of a fault, the healthy objects, and those with the fault; in a few applications."""
    fault = fault_of(name)
    for seed in range(8):
        objects = application(seed)
        for parameters in islice(fault.choices(objects), 2):
            one = InjectedFault(fault=name, parameters=parameters.model_dump(mode="json"))
            for observation in evidence_of(one, CLUSTER):
                yield observation, objects, fault.edit(parameters).applied(objects)


def listed(objects: list[Any], *, as_json: bool) -> str:
    items = {"apiVersion": "v1", "kind": "List", "items": objects}
    return json.dumps(items, indent=4) if as_json else yaml.safe_dump(items)


def is_shown(one: Observation, output: str, command: str = "kubectl get networkpolicy -A -o yaml") -> bool:
    (request,) = requests_of((execute(command, output, device="workstation"),))
    return shows(one, request)


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_an_object_in_a_listing_shows_its_fault_and_a_healthy_one_does_not(name: str, as_json: bool) -> None:
    found = list(islice(cases(name), 3))
    assert found
    for one, healthy, faulty in found:
        assert is_shown(one, listed(faulty, as_json=as_json)), one.words
        assert not is_shown(one, listed(healthy, as_json=as_json)), one.words


def test_documents_and_one_object_are_read_as_well() -> None:
    one, _, faulty = next(cases("k8s-port-wrong"))
    assert is_shown(one, yaml.safe_dump_all(faulty))
    assert is_shown(one, "\n---\n".join(json.dumps(item) for item in faulty))


@pytest.mark.parametrize("output", ["", "NAME  AGE\nfoo  1d\n", "a: [", "No resources found in default namespace."])
def test_other_outputs_show_nothing(output: str) -> None:
    one, _, _ = next(cases("k8s-port-wrong"))
    assert not is_shown(one, output)
    assert not is_shown(one, listed([], as_json=True))
