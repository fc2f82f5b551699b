"""How an agent learns which resources its answer can name where there are many."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.agents.baselines import submitted
from pytest_netbench.ani.family_methods import FamilyMethods
from pytest_netbench.errors import AniError
from pytest_netbench.families.diagnose.methods import LIST_RESOURCES, FixedDiagnosis, naming_specs
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.lab.stopwatch import Stamp
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of

MANY = tuple(f"interface/R{number}/eth0" for number in range(1, 1001))


def payload_of(resources: tuple[str, ...]) -> Diagnose:
    drawn = DiagnoseGenerator().draw(DiagnoseParameters(shapes=("line",), healthy=0.0), seed=4, index=0)
    return diagnose_of(drawn).model_copy(update={"resources": resources})


def offered(payload: Diagnose) -> FamilyMethods:
    ledger: Any = SimpleNamespace(
        meter=SimpleNamespace(check=lambda: None, left=lambda: {"wall_s": None}),
        refuse_if_closed=lambda: None,
        closed=SimpleNamespace(is_set=lambda: False),
    )
    methods = FixedDiagnosis(payload, now=lambda: Stamp(0.0, 0.0)).methods
    return FamilyMethods(methods, ledger, watching=SimpleNamespace())  # type: ignore[arg-type]


def test_few_are_told_at_once_and_there_is_no_method_to_list_them() -> None:
    payload = payload_of(MANY[:400])
    assert LIST_RESOURCES not in [spec.name for spec in naming_specs(payload)]
    result = offered(payload).answers["submit-diagnosis"]({"diagnosis": "nothing"})
    assert result["resources"] == list(MANY[:400])
    assert "pages" not in result


def test_of_many_the_diagnosis_has_the_first_page_and_the_others_can_be_asked_for_although_devices_rest() -> None:
    answers = offered(payload_of(MANY)).answers
    before = answers[LIST_RESOURCES]({"page": 3})
    result = answers["submit-diagnosis"]({"diagnosis": "nothing"})
    assert (result["resources"], result["pages"]) == (list(MANY[:400]), 3)
    assert answers[LIST_RESOURCES]({"page": 3}) == before == {"resources": list(MANY[800:]), "pages": 3}


def test_they_can_be_filtered() -> None:
    answers = offered(payload_of(MANY)).answers
    assert answers[LIST_RESOURCES]({"contains": "R1000/"}) == {"resources": ["interface/R1000/eth0"], "pages": 1}
    assert answers[LIST_RESOURCES]({"contains": "R1001/"}) == {"resources": [], "pages": 1}


def test_a_page_that_is_not_there_is_refused() -> None:
    with pytest.raises(AniError, match="list-resources: there is no page 4, only 3"):
        offered(payload_of(MANY)).answers[LIST_RESOURCES]({"page": 4})


def test_agents_of_the_package_know_all_of_them() -> None:
    answers = offered(payload_of(MANY)).answers
    ani: Any = SimpleNamespace(call=lambda name, params: answers[name](params))
    assert submitted("nothing", ani)["resources"] == list(MANY)
