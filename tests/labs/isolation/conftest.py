"""Trials of agents that attack the lab they work on: each ends with a verdict on the agent."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.trial import run_trial
from tests.support.netns_networks import network

Attack = Callable[[Any, Brief], None]

CONFIGS = {
    "R1": "interface Gi0/0\n ip address 10.0.0.1 255.255.255.0\n no shutdown\n",
    "f1": "interface eth0\n ip address 10.0.0.2/24\ninterface eth1\n ip address 10.1.0.1/24\n",
    "h1": "ip address add 10.1.0.2/24 dev eth0\n",
}
PLATFORMS = {"R1": "cisco_ios", "f1": "frr", "h1": "linux"}
TESTCASES = (
    {"kind": "reachability", "name": "near", "from": "h1", "to": "10.1.0.1", "intent": 1},
    {"kind": "reachability", "name": "far", "from": "R1", "to": "10.0.0.2", "intent": 1},
)


class Attacker:
    """An agent that does one thing and hands in nothing."""

    info = AgentInfo(id="attacker", strategy="own")

    def __init__(self, attack: Attack) -> None:
        self._attack = attack

    def run(self, brief: Brief, ani: Any) -> Submission:
        self._attack(ani, brief)
        return Submission()


def small_network(**fields: Any) -> Task:
    """R1 (cisco_ios) - f1 (frr) - h1 (linux) with two testcases that hold from the start."""
    fields = {"testcases": list(TESTCASES), "budget": {"wall_s": 20.0}, **fields}
    return network(PLATFORMS, ["R1 Gi0/0 - f1 eth0", "f1 eth1 - h1 eth0"], CONFIGS, **fields)


@pytest.fixture
def verdict_on() -> Callable[..., TrialRecord]:
    """Run a trial of an attack; it must end with a record, within ``within_s`` wall seconds."""
    task = small_network()
    lack = parts.load("backends", "netns")().lacks(request_of(task))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")

    def verdict_on(attack: Attack, *, within_s: float = 40.0, ssh: bool = False, **fields: Any) -> TrialRecord:
        began = time.monotonic()
        record = run_trial(small_network(**fields), Attacker(attack), ssh=ssh).record
        assert time.monotonic() - began < within_s
        assert len(record.testcase_results) == len(fields.get("testcases", TESTCASES))
        return record

    return verdict_on
