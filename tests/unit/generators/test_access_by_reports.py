"""Networks without a login: each kind of fault is drawn as often, and telemetry shows where it is."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.faults.reasoning import reference_diagnosis
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.levels import REPORTED
from pytest_netbench.generators.troubleshoot import TroubleshootParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of


def drawn(count: int, **parameters: Any) -> list[Diagnose]:
    chosen = DiagnoseParameters.model_validate({"access": "reports", "healthy": 0.0} | parameters)
    return [diagnose_of(DiagnoseGenerator().draw(chosen, seed=4, index=index)) for index in range(count)]


def test_no_kind_of_fault_is_drawn_much_more_often_than_another_one() -> None:
    kinds = Counter(payload.faults[0].fault for payload in drawn(50, level="1"))
    assert min(kinds[name] for name in REPORTED) >= 4, kinds
    assert max(kinds.values()) <= 20, kinds


@pytest.mark.parametrize("level", ["4", "5"])
def test_levels_of_the_table_have_counters_where_nobody_can_log_in(level: str) -> None:
    for payload in drawn(4, level=level):
        assert payload.monitoring is None
        for one, found in reference_diagnosis(payload):
            assert any(each.method == "query-telemetry" for each in found), one.fault


def test_averages_are_refused_where_nobody_can_log_in() -> None:
    with pytest.raises(ValidationError, match="access=reports needs monitoring=samples"):
        DiagnoseParameters.model_validate({"access": "reports", "monitoring": "averages"})


def test_troubleshooting_without_a_login_has_levels_of_the_table_too() -> None:
    chosen = TroubleshootParameters.model_validate({"access": "reports", "level": "5"})
    assert (chosen.monitoring, chosen.faults, chosen.handover) == ("samples", REPORTED, True)
