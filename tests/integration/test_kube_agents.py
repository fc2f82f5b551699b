"""NetArena's four strategies on a cluster, with scripted models over HTTP: reports, examples, verdicts."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_netbench.agents.resolve import resolve_agent
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial import run_trial
from tests.support.netarena_models import IN_TURNS, by_tools, in_turns
from tests.support.openai_server import OpenAIServer
from tests.support.repair_trials import scores

ROOT = Path(__file__).parents[2]
LOOK = "kubectl get networkpolicy -A"


@pytest.fixture(scope="module")
def task(binaries: Binaries) -> Task:
    """A repair of a small application with two faults."""
    if find_spec("litellm") is None:
        pytest.skip("litellm is not installed")
    return read_series("repair-kubernetes:n=1,seed=2,applications=drawn,services=6,level=2").source(0).load()


@pytest.mark.parametrize("name", [*IN_TURNS, "netarena-react"])
def test_a_model_that_repairs_the_cluster_passes_and_sees_who_reaches_whom(
    task: Task, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = in_turns if name in IN_TURNS else by_tools
    with OpenAIServer(make(task, "workstation", LOOK)) as server:
        for variable, value in server.environment.items():
            monkeypatch.setenv(variable, value)
        record = run_trial(task, resolve_agent(name, rootdir=ROOT)).record
    assert (record.outcome, record.error) == ("done", None)
    got = scores(record)
    assert (got["netarena.correctness"], got["netarena.safety"]) == (1.0, 1.0)
    told = [message["content"] for message in server.conversations[-1 if name in IN_TURNS else -2]]
    reports = [text for text in told if "Who reaches whom now" in text]
    assert len(reports) == 1 + len(repair_of(task).faults)
    payload = repair_of(task)
    for number in payload.symptom or ():
        flow = payload.all_flows[number]
        verb = "does not reach" if flow.allowed else "reaches"
        assert f"{flow.source} {verb} {flow.target} {flow.protocol} port {flow.port}" in reports[0]
    assert "\n0 of " in reports[-1]
    examples = [text for text in told if "# Worked examples" in text]
    assert bool(examples) == (name == "netarena-few-shot")
    assert all("kubectl patch networkpolicy" in one and "ip address" not in one for one in examples)
