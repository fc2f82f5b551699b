"""Scores of a diagnosis: what each wrong, missing and surplus cause costs, and which answers are equivalent."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.causes import Cause
from pytest_netbench.model.diagnosis import RootCause, diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission
from pytest_netbench.scorers.causes import canonical
from pytest_netbench.scorers.diagnosis import agreement
from tests.support.records import record, task

GENERATOR = DiagnoseGenerator()


def drawn(index: int = 0, **parameters: Any) -> Task:
    return GENERATOR.draw(DiagnoseParameters(**{"healthy": 0.0, "names": "plain", **parameters}), seed=1, index=index)


ON_LINK = drawn(faults=("ospf-timers-wrong",), level="1", shapes=("line",), platforms=("cisco_ios",))
TWO = drawn(faults=("ospf-timers-wrong", "host-gateway-wrong"), level="2", shapes=("line",), platforms=("frr",))
HEALTHY = drawn(healthy=1.0, shapes=("line",))


def scores(about: Task, answer: dict[str, Any] | None) -> dict[str, float | None]:
    given = record(task=about, submission=Submission(answer=answer))
    return {name: parts.load("scorers", name)().score(given).value for name in DiagnoseFamily.scorers}


def right(about: Task) -> list[dict[str, str]]:
    causes = diagnose_of(about).causes
    return [{"resource_id": one.resources[0], "fault_type": one.fault_type} for one in causes]


def answer(*causes: dict[str, str], is_anomaly: bool = True) -> dict[str, Any]:
    return {"is_anomaly": is_anomaly, "root_causes": list(causes)}


OTHER = {"resource_id": "node/r1", "fault_type": "port-shutdown"}


@pytest.mark.parametrize("about", [ON_LINK, TWO])
def test_the_right_answer_has_all_points(about: Task) -> None:
    assert set(scores(about, answer(*right(about))).values()) == {1.0}


def test_of_a_healthy_network_nothing_is_said() -> None:
    assert set(scores(HEALTHY, answer(is_anomaly=False)).values()) == {1.0}
    wrong = scores(HEALTHY, answer(OTHER))
    assert set(wrong.values()) == {0.0}


def test_silence_about_a_faulty_network_has_no_points() -> None:
    found = scores(TWO, answer(is_anomaly=False))
    assert set(found.values()) == {0.0}


@pytest.mark.parametrize(
    "given", [None, {"is_anomaly": "perhaps"}, {"root_causes": []}, {"is_anomaly": True, "extra": 1}]
)
def test_a_missing_or_invalid_answer_is_zero_also_for_a_healthy_network(given: dict[str, Any] | None) -> None:
    for about in (TWO, HEALTHY):
        assert set(scores(about, given).values()) == {0.0}


def test_one_wrong_resource_costs_both_scores_of_places() -> None:
    first, second = right(TWO)
    found = scores(TWO, answer(first, second | {"resource_id": "node/nobody"}))
    assert found["detection"] == 1.0
    assert found["localization"] == found["root_cause"] == found["nika.localization_f1"] == 0.5


def test_one_wrong_type_costs_the_root_cause_alone() -> None:
    first, second = right(TWO)
    found = scores(TWO, answer(first, second | {"fault_type": "port-shutdown"}))
    assert found["localization"] == 1.0
    assert found["root_cause"] == 0.5


def test_one_missing_cause() -> None:
    found = scores(TWO, answer(right(TWO)[0]))
    assert found["root_cause"] == pytest.approx(2 / 3)
    assert (found["nika.root_cause_precision"], found["nika.root_cause_recall"]) == (1.0, 0.5)


def test_one_extra_cause() -> None:
    found = scores(TWO, answer(*right(TWO), OTHER))
    assert found["root_cause"] == pytest.approx(4 / 5)
    assert found["nika.root_cause_precision"] == pytest.approx(2 / 3)
    assert found["nika.root_cause_recall"] == 1.0


def test_the_same_cause_twice_is_one_answer() -> None:
    assert set(scores(TWO, answer(*right(TWO), *right(TWO))).values()) == {1.0}


def test_a_link_may_be_named_at_its_other_end_but_not_in_nikas_scores() -> None:
    (cause,) = diagnose_of(ON_LINK).causes
    here, there = cause.resources
    assert here != there
    found = scores(ON_LINK, answer({"resource_id": there, "fault_type": cause.fault_type}))
    assert found["localization"] == found["root_cause"] == 1.0
    assert found["nika.localization_f1"] == found["nika.root_cause_f1"] == 0.0


def test_both_ends_of_one_link_are_one_cause_too_many() -> None:
    (cause,) = diagnose_of(ON_LINK).causes
    both = [{"resource_id": one, "fault_type": cause.fault_type} for one in cause.resources]
    assert scores(ON_LINK, answer(*both))["root_cause"] == pytest.approx(2 / 3)


def test_interfaces_may_be_abbreviated_and_links_written_from_either_end() -> None:
    payload = diagnose_of(ON_LINK)
    first, second = payload.topology.links[1].endpoints
    full = f"link/{first.node}:{first.interface}--{second.node}:{second.interface}"
    swapped = f"link/{second.node}:{second.interface}--{first.node}:{first.interface}"
    assert canonical(full, payload) == canonical(swapped, payload)
    router = next(node.name for node in payload.topology.nodes if payload.platform_of(node.name) == "cisco_ios")
    interface = payload.topology.interfaces(router)[0]
    short = interface.replace("GigabitEthernet", "gi")
    assert short != interface
    assert canonical(f" Interface/{router.upper()}/{short} ", payload) == canonical(
        f"interface/{router}/{interface}", payload
    )


def test_an_answer_is_counted_for_one_cause_only() -> None:
    """Two causes that the same answer fits, and two answers of which one fits both: as many pairs as possible."""
    a, b = Cause("x", ("node/1", "node/2")), Cause("x", ("node/2",))
    one = RootCause(resource_id="node/2", fault_type="x")
    other = RootCause(resource_id="node/1", fault_type="x")
    assert agreement([a, b], [one], "root_cause").matched == 1
    assert agreement([a, b], [one, other], "root_cause").matched == 2
    assert agreement([b, a], [other, one], "root_cause").matched == 2


def test_tasks_of_other_families_are_not_measured() -> None:
    given = record(task=task(), submission=Submission(answer=answer(OTHER)))
    assert {parts.load("scorers", name)().score(given).value for name in DiagnoseFamily.scorers} == {None}
