"""Where faults of clusters are: each object that can have one that is felt is drawn as often as the others.

Statistics over many draws, without labs. All draws are from fixed seeds, so the outcome is always the same.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from pytest_netbench.generators.kubernetes import breaking
from pytest_netbench.generators.kubernetes.diagnose import DiagnoseKubernetes
from pytest_netbench.generators.kubernetes.labels import FAULTS
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.drawing import drawn
from pytest_netbench.kubernetes.applications.flows import flow_groups
from pytest_netbench.kubernetes.applications.graph import Application
from pytest_netbench.kubernetes.applications.manifests import manifests
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task

DRAWS = 400
HIGHEST = {1: 15.1, 2: 18.4, 3: 21.1, 4: 23.5, 5: 25.7, 6: 27.9, 7: 29.9, 8: 31.8, 9: 33.7, 10: 35.6, 11: 37.4}
"""By degrees of freedom: chi-square that chance exceeds once in 10,000 times."""


def felt(application: Application, name: str) -> set[str]:
    """The objects of which a fault of this kind makes flows wrong."""
    objects = manifests(application)
    flows = [flow for group in flow_groups(application) for flow in group.flows()]
    fault, healthy = fault_of(name), Connectivity(objects)
    return {
        fault.resource(parameters)
        for parameters in fault.choices(objects)
        if Connectivity(fault.edit(parameters).applied(objects)).wrong(flows, right=healthy)
    }


def chi_square(counts: Counter[str], places: set[str]) -> float:
    expected = counts.total() / len(places)
    return sum((counts[place] - expected) ** 2 / expected for place in places)


# applications some of whose objects can have many faults that are not felt, and others few
@pytest.mark.parametrize(("label", "seed"), [("AI", 1), ("AE", 0), ("CP", 1), ("LABEL", 1), ("DENY", 5), ("ALLOW", 5)])
def test_each_object_that_can_have_a_fault_that_is_felt_is_drawn_as_often(label: str, seed: int) -> None:
    application = drawn(seed, services=7, seconds=True)
    name, found = FAULTS[label], Counter[str]()
    for number in range(DRAWS):
        broken = breaking.break_application(application, [name], random.Random(number), breaking.Dropped())
        assert broken is not None
        ((fault, parameters),) = broken.chosen
        found[fault.resource(parameters)] += 1
    places = felt(application, name)
    assert found.keys() <= places
    assert chi_square(found, places) < HIGHEST[len(places) - 1], found


def test_the_first_and_the_last_object_of_an_application_are_drawn_as_often_as_those_between() -> None:
    generator, places = DiagnoseKubernetes(), []
    for index in range(120):
        parameters = generator.parameters.model_validate({"healthy": 0.0, "level": "1", "services": "6-12"})
        places.append(rank(generator.draw(parameters, seed=7, index=index)))
    fifths = Counter(str(int(5 * place)) for place in places)
    assert chi_square(fifths, set("01234")) < HIGHEST[4], fifths


def rank(task: Task) -> float:
    """Where the target is among the objects of its kind and namespace, from 0 to 1; at random within its share."""
    payload = diagnose_of(task)
    (cause,) = payload.causes
    (target,) = cause.resources
    beside = sorted(one for one in payload.resources if one.rpartition("/")[0] == target.rpartition("/")[0])
    return (beside.index(target) + random.Random(task.slug).random()) / len(beside)
