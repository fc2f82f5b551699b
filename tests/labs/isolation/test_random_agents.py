"""Random agents: each trial ends with a verdict in time, its supervisor lives until then, and nothing of it is left.

``NETBENCH_RANDOM_AGENTS`` is the number of agents (50), ``NETBENCH_RANDOM_SEED`` the first seed (0). A failing test
shows the seed and the last lines that were sent.
"""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import InfrastructureError
from pytest_netbench.lab.request import request_of
from pytest_netbench.trial import run_trial
from tests.labs.isolation.conftest import TESTCASES, small_network
from tests.support import host
from tests.support.random_agent import RandomAgent

COUNT = int(os.environ.get("NETBENCH_RANDOM_AGENTS", "50"))
FIRST = int(os.environ.get("NETBENCH_RANDOM_SEED", "0"))
LONGEST_S = 60.0


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_a_random_agent_gets_a_verdict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    backend_type = parts.load("backends", "netns")
    lack = backend_type().lacks(request_of(small_network()))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    labs: list[tuple[Any, host.Lab]] = []
    deploy = backend_type.deploy

    def noted(*args: Any, **options: Any) -> Any:
        lab = deploy(*args, **options)
        labs.append((lab, host.Lab.of(lab.supervisor_pid)))
        return lab

    monkeypatch.setattr(backend_type, "deploy", noted)
    agent = RandomAgent(seed)
    began = time.monotonic()
    try:
        task = small_network(budget={"wall_s": 4.0, "calls": 1000, "commands": 1000})
        record = run_trial(task, agent, ssh=True).record
    except InfrastructureError as error:
        pytest.fail(f"seed {seed}: {error!r} after {agent.sent[-8:]}")
    took_s = time.monotonic() - began
    assert took_s < LONGEST_S, f"seed {seed}: {took_s:.1f} s; sent {agent.sent[-8:]}"
    assert len(record.testcase_results) == len(TESTCASES)
    assert record.model_dump_json()
    ((lab, traces),) = labs
    lab.await_cleanup()
    assert traces.left_after(2.0) == [], f"seed {seed}"
