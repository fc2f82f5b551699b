"""The interface of a task without a network: methods of the scene, counted, recorded and refused as those of a lab."""

from __future__ import annotations

import pytest
from pydantic import Field

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.wire import Wire
from pytest_netbench.errors import AniError, BudgetExhausted, LabError, TookTooLong
from pytest_netbench.model.task import Budget
from pytest_netbench.rpccodes import Code


class Params(Wire):
    number: int = Field(le=10)


class Result(Wire):
    double: int


def doubled(params: Params) -> Result:
    if params.number == 0:
        raise LabError("the table is gone")
    if params.number == 1:
        raise TookTooLong(3.0)
    return Result(double=2 * params.number)


def bare(**budget: int) -> AgentInterface:
    method = FamilyMethod(spec=spec_of("double", "Double it.", Params, Result), params=Params, answer=doubled)
    return AgentInterface(None, policy=Policy(), budget=Budget(**budget), methods=[method])


def test_a_method_of_the_scene_is_offered_answered_and_recorded():
    ani = bare()
    assert [spec.name for spec in ani.offered()] == ["double"]
    assert ani.call("double", {"number": 4}) == {"double": 8}
    (step,) = ani.steps
    assert (step.data["method"], step.data["result"]) == ("double", {"double": 8})
    assert ani.budget_used.calls == 1


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("triple", {}, r"unknown method 'triple': this task has no network to ask \(known: 'double'\)"),
        ("get-topology", {}, "this task has no network"),
        ("double", {}, "double: parameter 'number' is missing"),
        ("double", {"number": 4, "x": 1}, "double: unknown parameter 'x'"),
        ("double", {"number": 11}, "'number' Input should be less than or equal to 10"),
        ("double", 3, "params must be an object"),
        (["double"], {}, "unknown method"),
    ],
)
def test_a_request_that_cannot_be_carried_out_is_refused_and_recorded(method, params, words):
    ani = bare()
    with pytest.raises(AniError, match=words):
        ani.call(method, params)
    assert len(ani.steps) == 1
    assert ani.lab_error is None


def test_a_broken_sandbox_is_no_failure_of_the_agent():
    ani = bare()
    with pytest.raises(LabError, match="the table is gone"):
        ani.call("double", {"number": 0})
    assert str(ani.lab_error) == "the table is gone"


def test_a_request_that_takes_too_long_is_refused_and_no_error_of_the_lab():
    ani = bare()
    with pytest.raises(AniError, match="took too long") as caught:
        ani.call("double", {"number": 1})
    assert caught.value.code == Code.DEVICE_ERROR
    assert ani.lab_error is None


def test_calls_are_counted_against_the_budget():
    ani = bare(calls=1)
    ani.call("double", {"number": 4})
    with pytest.raises(BudgetExhausted):
        ani.call("double", {"number": 4})


def test_nothing_is_answered_after_the_trial():
    ani = bare()
    ani.close()
    with pytest.raises(AniError, match="the trial has ended"):
        ani.call("double", {"number": 4})
