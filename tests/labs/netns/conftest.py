"""Real labs of the netns backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from tests.support.netns_networks import pair

Deploy = Callable[..., Any]


@pytest.fixture(scope="session")
def backend() -> NetnsBackend:
    """The backend; skips with the remedy where this machine cannot have labs."""
    made = NetnsBackend()
    lack = made.lacks(request_of(pair()))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    return made


@pytest.fixture(scope="module")
def deploy(backend: NetnsBackend) -> Iterator[Deploy]:
    """Deploy a task's network; it is destroyed after the module."""
    labs = []

    def deploy(task: Task, **options: Any) -> Any:
        labs.append(backend.deploy(request_of(task, **options)))
        return labs[-1]

    yield deploy
    for lab in labs:
        lab.destroy()


@pytest.fixture(scope="module")
def lab(deploy: Deploy) -> Any:
    """a - b: two Linux nodes on one cable, 10.0.0.1 and 10.0.0.2."""
    return deploy(pair())
