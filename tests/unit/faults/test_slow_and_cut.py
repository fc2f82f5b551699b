"""What shows that a cable is slow does not hold at one that is cut: there nothing arrives."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.faults.evidence.observation import Answer
from pytest_netbench.faults.reasoning import reference_diagnosis
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of


@pytest.mark.parametrize(
    ("received_bps", "shows"), [(900_000.0, True), (64_000.5, True), (0.0, False), (2_900_000.0, False)]
)
def test_a_slow_cable_lets_something_through(received_bps: float, shows: bool) -> None:
    chosen = DiagnoseParameters.model_validate(
        {"faults": ("link-slow",), "shapes": ("line",), "size": "1", "level": "1", "healthy": 0.0}
    )
    payload = diagnose_of(DiagnoseGenerator().draw(chosen, seed=5, index=0))
    ((_, found),) = reference_diagnosis(payload)
    (rate,) = [one for one in found if one.method == "measure-rate"]
    answer = Answer(json.dumps({"offered_bps": 3e6, "received_bps": received_bps, "sent_packets": 100}))
    assert rate.shows.is_in(answer) is shows
