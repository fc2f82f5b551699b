"""The agent file of NIKA's prompts on a real network, over HTTP with scripted models: both phases of a diagnosis."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_netbench.agents.resolve import resolve_agent
from pytest_netbench.generators.default_faults import DIAGNOSED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial import run_trial
from pytest_netbench.trial.limits import family_of
from tests.support.openai_server import OpenAIServer, Reply, Request, Script, engineer

ROOT = Path(__file__).parents[2]
NAME = "nika-react"


@pytest.fixture(scope="module", autouse=True)
def _with_litellm() -> None:
    if find_spec("litellm") is None:
        pytest.skip("litellm is not installed (fix: pip install 'pytest-netbench[llm]')")


@pytest.fixture
def attempt(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], tuple[TrialRecord, OpenAIServer]]]:
    """Lets the agent work on the task with a scripted model."""
    with ExitStack() as stack:

        def run(script: Script) -> tuple[TrialRecord, OpenAIServer]:
            server = stack.enter_context(OpenAIServer(script))
            for variable, value in server.environment.items():
                monkeypatch.setenv(variable, value)
            return run_trial(task(), resolve_agent(NAME, rootdir=ROOT)).record, server

        yield run


@cache
def task() -> Task:
    parameters = {
        "shapes": ("line",),
        "size": "1",
        "hosts": "1",
        "platforms": ("frr",),
        "routings": ("static",),
        "faults": ("host-gateway-wrong", "link-down"),
        "level": "1",
        "healthy": 0.0,
    }
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(parameters), seed=2, index=0)


def model(*, resource: str | None = None) -> Callable[[Request], Reply]:
    """One that looks, submits its diagnosis, and answers with the injected fault, at ``resource`` if one is given."""
    (cause,) = diagnose_of(task()).causes
    root_cause = {"resource_id": resource or cause.resources[0], "fault_type": cause.fault_type}
    return engineer(
        [("check_reachability", {})],
        [("submit_diagnosis", {"diagnosis": "Hosts do not reach each other."})],
        [("task_done", {"answer": {"is_anomaly": True, "root_causes": [root_cause]}})],
    )


def values(record: TrialRecord) -> dict[str, float | None]:
    made = apply_scorers(record, tuple(family_of(record.task).scorers), where="worker")
    return {score.metric: score.value for score in made}


def test_a_model_that_names_the_cause_passes(attempt: Callable[..., tuple[TrialRecord, OpenAIServer]]) -> None:
    record, server = attempt(model())
    assert (record.outcome, record.error) == ("done", None)
    assert (values(record)["detection"], values(record)["root_cause"]) == (1.0, 1.0)
    assert record.other["diagnosis"] == "Hosts do not reach each other."
    system, *_ = server.conversations[0]
    assert "1. Detection: decide whether there is an anomaly" in system["content"]
    first, later = json.dumps(server.conversations[1]), json.dumps(server.conversations[2])
    assert not [name for name in DIAGNOSED if name in first], "the fault types are shown once the diagnosis is fixed"
    assert all(name in later for name in diagnose_of(task()).fault_types)


def test_a_model_that_names_another_place_fails(attempt: Callable[..., tuple[TrialRecord, OpenAIServer]]) -> None:
    record, _ = attempt(model(resource="node/nobody"))
    assert record.outcome == "done"
    found = values(record)
    assert (found["detection"], found["localization"], found["root_cause"]) == (1.0, 0.0, 0.0)
