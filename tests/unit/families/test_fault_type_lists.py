"""When an agent learns which fault types its answer can name."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import AniError
from pytest_netbench.families.diagnose.methods import FixedDiagnosis
from pytest_netbench.generators.series import read_series
from pytest_netbench.lab.stopwatch import Stamp
from pytest_netbench.trial import family_of

LIST, SUBMIT = "list-fault-types", "submit-diagnosis"


def drawn(series: str) -> Any:
    return read_series(series).source(0).load()


def offered(task: Any) -> dict[str, Any]:
    return {one.spec.name: one for one in FixedDiagnosis(task.payload, now=lambda: Stamp(0.0, 0.0)).methods}


@pytest.mark.parametrize("family", ["diagnose", "troubleshoot"])
@pytest.mark.parametrize("healthy", [0, 1])
def test_at_level_4_the_types_can_be_asked_for_before_the_diagnosis_and_are_the_same(family: str, healthy: int) -> None:
    task = drawn(f"{family}:level=4,healthy={healthy},n=1,seed=3")
    brief = family_of(task).brief(task)
    assert LIST in [one.name for one in brief.methods]
    assert f"`{LIST}`" in brief.intents[0]
    methods = offered(task)
    before = methods[LIST].answer(methods[LIST].params())
    assert [one.name for one in before.fault_types] == list(task.payload.fault_types)
    fixed = methods[SUBMIT].answer(methods[SUBMIT].params(diagnosis="nothing"))
    assert fixed.fault_types == before.fault_types
    with pytest.raises(AniError, match="has been submitted already"):
        methods[SUBMIT].answer(methods[SUBMIT].params(diagnosis="something"))


@pytest.mark.parametrize("family", ["diagnose", "troubleshoot"])
def test_up_to_level_3_the_types_are_told_with_the_fixed_diagnosis_only(family: str) -> None:
    task = drawn(f"{family}:level=3,n=1,seed=3")
    brief = family_of(task).brief(task)
    assert LIST not in [one.name for one in brief.methods]
    assert LIST not in brief.intents[0]
    assert list(offered(task)) == [SUBMIT]
