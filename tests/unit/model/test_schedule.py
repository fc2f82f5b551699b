"""When a fault is there: by a schedule in lab seconds, which only faults have that the lab makes and takes away."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.faulty import InjectedFault
from pytest_netbench.model.schedule import Schedule


@pytest.mark.parametrize(
    ("when", "there"),
    [
        ({}, [(0, True), (1e6, True)]),
        ({"begins_s": 60}, [(0, False), (59.9, False), (60, True), (1e6, True)]),
        ({"lasts_s": 30}, [(0, True), (29.9, True), (30, False), (1e6, False)]),
        ({"begins_s": 60, "lasts_s": 30}, [(59, False), (60, True), (89, True), (90, False)]),
        (
            {"begins_s": 60, "lasts_s": 30, "every_s": 100},
            [(59, False), (60, True), (90, False), (159, False), (160, True), (190, False), (1060, True)],
        ),
    ],
)
def test_a_fault_is_there_when_its_schedule_says_so(when: dict, there: list[tuple[float, bool]]) -> None:
    one = Schedule(**when)
    assert [(moment, one.is_there(moment)) for moment, _ in there] == there


@pytest.mark.parametrize(
    "when",
    [{}, {"begins_s": 60}, {"lasts_s": 30}, {"begins_s": 7, "lasts_s": 30, "every_s": 45}],
)
def test_between_two_changes_nothing_changes_and_at_each_something_does(when: dict) -> None:
    one, now = Schedule(**when), 0.0
    for _ in range(20):
        after = one.next_change(now)
        if after == math.inf:
            assert one.is_there(now) == one.is_there(now + 1e6)
            return
        assert after > now
        assert one.is_there(now) == one.is_there((now + after) / 2) == one.is_there(after - 0.01)
        assert one.is_there(after) != one.is_there(now)
        now = after
    assert "every_s" in when


@pytest.mark.parametrize("when", [{"every_s": 10}, {"lasts_s": 10, "every_s": 10}, {"begins_s": -1}, {"lasts_s": 0}])
def test_a_schedule_that_cannot_be_kept_is_refused(when: dict) -> None:
    with pytest.raises(ValidationError):
        Schedule(**when)


def drawn(index: int, **parameters) -> Diagnose:
    chosen = DiagnoseParameters.model_validate(
        {"shapes": ("ring",), "size": "1", "level": "1", "healthy": 0.0, **parameters}
    )
    return diagnose_of(DiagnoseGenerator().draw(chosen, seed=1, index=index))


def test_all_courses_are_drawn_and_the_rest_of_the_task_stays() -> None:
    cables = {"faults": ("link-lossy", "link-down")}
    courses = set()
    for index in range(40):
        timed, steady = drawn(index, timing="drawn", **cables), drawn(index, **cables)
        (fault,), (same,) = timed.faults, steady.faults
        assert fault.model_copy(update={"when": None}) == same
        assert (timed.topology, timed.startup_configs) == (steady.topology, steady.startup_configs)
        assert (timed.period_s, steady.period_s) == (900.0, None)
        when = fault.when or Schedule()
        courses.add((when.begins_s > 0, when.lasts_s is not None, when.every_s is not None))
        assert when.begins_s + (when.lasts_s or 0) < 900
    assert len(courses) == 5


def test_only_what_the_lab_takes_away_has_a_schedule() -> None:
    (one,) = drawn(0, faults=("host-gateway-wrong",)).faults
    with pytest.raises(ValidationError, match="is in the configuration of a node"):
        InjectedFault(fault=one.fault, parameters=one.parameters, when=Schedule(begins_s=5))


def test_a_schedule_needs_a_period_in_which_it_begins() -> None:
    payload = drawn(0, faults=("link-down",))
    fields = payload.model_dump(mode="json", by_alias=True)
    fields["faults"][0]["when"] = {"begins_s": 50.0}
    with pytest.raises(ValidationError, match="period_s: needed, because 'link-down' is there at times"):
        Diagnose.model_validate(fields)
    with pytest.raises(ValidationError, match="period_s: 50 is over before 'link-down' begins"):
        Diagnose.model_validate({**fields, "period_s": 50.0})
    assert Diagnose.model_validate({**fields, "period_s": 51.0}).faults[0].when == Schedule(begins_s=50)


def test_without_faults_of_cables_there_is_nothing_to_time() -> None:
    with pytest.raises(UsageError, match="timing=drawn needs a fault of a cable"):
        read_series("diagnose:timing=drawn,faults=host-gateway-wrong")
