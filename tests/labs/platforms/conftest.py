"""Small labs for the platforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_netbench.model.task import Task

Deploy = Callable[..., Any]


def task(platform: str, configs: Mapping[str, str], *, cables: int = 1) -> Task:
    """Two nodes, joined by ``cables`` cables eth0, eth1 …."""
    one, other = configs
    ends = [[{"node": one, "interface": f"eth{n}"}, {"node": other, "interface": f"eth{n}"}] for n in range(cables)]
    return Task.model_validate(
        {
            "task_name": "platform",
            "slug": "platform",
            "platform": platform,
            "intents": [{"text": "none"}],
            "topology": {"nodes": [{"name": one}, {"name": other}], "links": [{"endpoints": pair} for pair in ends]},
            "startup_configs": dict(configs),
        }
    )


@pytest.fixture(scope="module")
def deploy(deploy_task: Deploy) -> Deploy:
    """Deploy a lab of two nodes; it is destroyed after the module."""

    def deploy(platform: str, configs: Mapping[str, str], *, cables: int = 1) -> Any:
        return deploy_task(task(platform, configs, cables=cables))

    return deploy
