"""What shipped tasks say of answers of our own choice, on real labs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.reference import Reference, managed_nodes
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import UNLIMITED
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.taskfile import load_task

CORPUS = Path(__file__).parents[2] / "tasks"


@pytest.fixture
def failed_after() -> Iterator[Callable[..., dict[str, str]]]:
    """Names of the testcases, all or ``among`` some, that fail after the commands, with what was seen."""
    backend = parts.load("backends", "netns")()
    labs = []

    def run(name: str, commands: Mapping[str, Sequence[str]], *, among: Sequence[str] = ()) -> dict[str, str]:
        task = load_task(CORPUS / f"{name}.task.yaml")
        lack = backend.lacks(request_of(task))
        if lack is not None:
            pytest.skip(f"{lack[0]}; fix: {lack[1]}")
        lab = backend.deploy(request_of(task))
        labs.append(lab)
        evaluation = TaskEvaluation(lab, events=task.payload.events)
        behaviour = ReferenceStore.around(CORPUS).load(task)
        if behaviour is not None:
            managed = managed_nodes(task.network.topology)
            evaluation.hold_to(Reference(behaviour, task.payload.reference, managed=managed))
        health = evaluation.run_testcases(task.network.health_checks, look_again=False)
        assert [one.name for one in health if one.status == "fail"] == []
        ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
        for node, lines in commands.items():
            refused = [one for one in ani.update_cfg(node, list(lines))["results"] if one["status"] == "error"]
            assert refused == []
        asked = [one for one in task.payload.testcases if not among or one.name in among]
        assert len(asked) == len(among or task.payload.testcases)
        return {one.name: one.actual for one in evaluation.run_testcases(asked) if one.status == "fail"}

    yield run
    for lab in labs:
        lab.destroy()
