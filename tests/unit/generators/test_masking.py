"""Pairs of faults of which one hides the other, on paper."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.masking import MASKS
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.repair import repair_of


def test_the_second_fault_hides_the_first_one_and_both_are_of_several_kinds() -> None:
    parameters = RepairNetworkParameters.model_validate({"pairs": "masked", "size": "1"})
    assert (parameters.level.low, parameters.level.high) == (2, 2)
    hidden: Counter[str] = Counter()
    for index in range(60):
        payload = repair_of(RepairNetwork().draw(parameters, seed=5, index=index))
        assert payload.masked
        one, mask = payload.faults
        assert mask.fault in MASKS
        assert one.fault not in MASKS
        assert not one.touches & mask.touches
        hidden[one.fault] += 1
    assert len(hidden) >= 6
    assert max(hidden.values()) <= 30


def test_what_is_handed_over_may_hide_something_in_troubleshooting_only() -> None:
    parameters = TroubleshootParameters.model_validate(
        {"pairs": "masked", "size": "1", "handover": True, "order": "mixed", "healthy": 0.5}
    )
    tasks = [diagnose_of(TroubleshootGenerator().draw(parameters, seed=5, index=index)) for index in range(60)]
    assert {one.faults[1].fault for one in tasks if one.faults} == {*MASKS}
    assert all(one.masked == bool(one.faults) for one in tasks)
    assert {one.order for one in tasks} == {"mixed"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("repair-network:pairs=masked,level=1", "pairs=masked needs level=2, not 1"),
        ("repair-network:pairs=masked,level=1-2", "pairs=masked needs level=2, not 1-2"),
        ("repair-network:pairs=masked,faults=vlan-wrong", "needs one of these faults and another one: port-shutdown"),
        ("diagnose:pairs=masked,faults=port-shutdown+link-down", "needs one of these faults and another one"),
        ("repair-network:pairs=masked,faults=port-shutdown+nat-side-wrong", "nothing can be drawn"),
    ],
)
def test_what_cannot_be_a_pair_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_series(text)


def test_a_masked_task_has_two_faults() -> None:
    parameters = DiagnoseParameters.model_validate({"level": "1", "healthy": 0.0})
    payload = diagnose_of(DiagnoseGenerator().draw(parameters, seed=5, index=0))
    with pytest.raises(ValueError, match="masked: needs two faults"):
        Diagnose.model_validate({**payload.model_dump(mode="json", by_alias=True), "masked": True})
