"""What the brief of a diagnosis says of the past."""

from __future__ import annotations

from pytest_netbench.families.diagnose.briefing import NOW, assignment
from pytest_netbench.faults.cables import DOWN_S, UP_S
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of


def told(**parameters: str) -> str:
    chosen = DiagnoseParameters.model_validate(parameters)
    return assignment(diagnose_of(DiagnoseGenerator().draw(chosen, seed=4, index=0)))


def test_what_is_over_is_asked_for_only_where_faults_are_in_time() -> None:
    assert NOW in told()
    in_time = told(timing="drawn")
    assert NOW not in in_time
    assert "or is over when you answer" in in_time


def test_a_flapping_cable_does_so_as_often_as_the_brief_says() -> None:
    assert "within a minute" in NOW
    assert DOWN_S + UP_S <= 60
