"""The environment that results carry."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pytest_netbench.model.trial import Isolation, Readiness
from pytest_netbench.trial.provenance import environment


def lab(**more: Any) -> Any:
    facts = {"features": (), "substitutes": {}, "time_scale": 1.0, "readiness": Readiness(), "nodes": {}}
    return SimpleNamespace(topology=SimpleNamespace(nodes=()), **facts, **more)


def of(one: Any) -> Isolation | None:
    return environment(one, backend="mine", where=Path.cwd()).isolation


def test_the_isolation_that_a_backend_states_is_recorded():
    stated = Isolation(read_only="a filter of commands", runs_as="the login lab")
    assert of(lab(isolation=stated)) == stated


def test_of_a_lab_that_does_not_state_it_nothing_is_enforced():
    assert of(lab()) == Isolation(read_only=None, runs_as=None)


def test_a_task_without_a_network_has_none():
    assert of(None) is None
