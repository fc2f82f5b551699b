"""The lower bounds of diagnosis answer what they say, and only where a diagnosis is asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.agents.baselines import AlwaysHealthy, AlwaysSame, RandomGuess
from pytest_netbench.errors import AgentError
from pytest_netbench.families.diagnose.methods import FixedDiagnosis, SubmitDiagnosisParams
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.lab.stopwatch import Stamp
from pytest_netbench.model.diagnosis import Diagnosis, diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.limits import brief_for, terms_for


def drawn(index: int) -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters(shapes=("line",), healthy=0.0), seed=4, index=index)


def answered(agent: Any, about: Task) -> Diagnosis:
    (method,) = FixedDiagnosis(diagnose_of(about), now=lambda: Stamp(0.0, 0.0)).methods
    ani: Any = SimpleNamespace(
        call=lambda name, params: {method.spec.name: method.answer}[name](SubmitDiagnosisParams(**params)).plain()
    )
    submission = agent.run(brief_for(about, terms_for(about, agent.info)), ani)
    return Diagnosis.model_validate(submission.answer)


def test_one_finds_everything_healthy() -> None:
    assert answered(AlwaysHealthy(), drawn(0)) == Diagnosis(is_anomaly=False)


def test_one_always_names_the_first_fault_type_at_the_first_resource_of_its_kind() -> None:
    (cause,) = answered(AlwaysSame(), drawn(0)).root_causes
    payload = diagnose_of(drawn(0))
    assert cause.fault_type == payload.fault_types[0]
    assert cause.resource_id in payload.resources


def test_one_guesses_the_same_for_the_same_brief_and_something_else_for_others() -> None:
    first = [answered(RandomGuess(), drawn(index)) for index in range(40)]
    assert first == [answered(RandomGuess(), drawn(index)) for index in range(40)]
    faulty = [one for one in first if one.is_anomaly]
    assert 10 <= len(faulty) <= 30
    assert len({one.root_causes[0].fault_type for one in faulty}) >= 5
    for index, one in enumerate(first):
        resources = diagnose_of(drawn(index)).resources
        assert all(cause.resource_id in resources for cause in one.root_causes)


@pytest.mark.parametrize("agent", [AlwaysHealthy(), AlwaysSame(), RandomGuess()])
def test_other_tasks_are_refused(agent: Any) -> None:
    other = RepairNetwork().draw(RepairNetworkParameters(shapes=("line",)), seed=4, index=0)
    with pytest.raises(AgentError, match="only answers tasks that ask for a diagnosis"):
        agent.run(brief_for(other, terms_for(other, agent.info)), SimpleNamespace())
