"""Real labs of the default backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task

DeployTask = Callable[..., Any]


@pytest.fixture(scope="module")
def deploy_task() -> Iterator[DeployTask]:
    """Deploy a task's network and destroy it after the module; skip with the remedy if this machine cannot."""
    backend = parts.load("backends", "netns")()
    labs = []

    def deploy(task: Task, **options: Any) -> Any:
        lack = backend.lacks(request_of(task))
        if lack is not None:
            pytest.skip(f"{lack[0]}; fix: {lack[1]}")
        labs.append(backend.deploy(request_of(task, **options)))
        return labs[-1]

    yield deploy
    for lab in labs:
        lab.destroy()
