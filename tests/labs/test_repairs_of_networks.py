"""The family ``repair`` on drawn networks of FRR and IOS routers: no trace of the injection, and routes as evidence."""

from __future__ import annotations

import os
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.repair import RepairFamily
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.score import Score
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage


def line(platform: str, **parameters: Any) -> Task:
    """Two routers with BGP; one does not announce its LAN."""
    given = {
        "shapes": ("line",),
        "routings": ("bgp",),
        "platforms": (platform,),
        "size": "1",
        "hosts": "1",
        "level": "1",
        "faults": ("bgp-network-missing",),
        "names": "plain",
    }
    task = RepairNetwork().draw(RepairNetworkParameters.model_validate({**given, **parameters}), seed=1, index=0)
    lack = parts.load("backends", "netns")().lacks(request_of(task))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    return task


class Typist:
    """Asks the router with the fault, then enters commands there."""

    info = AgentInfo(id="typist", strategy="typist")

    def __init__(self, node: str, *, asks: tuple[str, ...] = (), enters: tuple[str, ...] = ()) -> None:
        self.node, self.asks, self.enters = node, asks, enters
        self.seen: list[str] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.seen = [ani.execute_cmd(self.node, command)["output"] for command in self.asks]
        if self.enters:
            ani.update_cfg(self.node, list(self.enters))
        return Submission()


def attempted(task: Task, agent: Any) -> TrialRecord:
    with Stage(task) as stage:
        stage.work(agent)
        return stage.evaluate()


def scores(record: TrialRecord) -> dict[str, Score]:
    return {score.metric: score for score in apply_scorers(record, RepairFamily.scorers, where="worker")}


def test_an_ios_router_tells_nothing_of_the_injection() -> None:
    task = line("cisco_ios")
    node = repair_of(task).faults[0].parameters["node"]
    (statement,) = [one for one in task.network.startup_configs[node].splitlines() if " network 10." in one]
    asks = ("show logging", "show startup-config", "show running-config", "show history", "show archive")
    agent = Typist(node, asks=asks, enters=())
    attempted(task, agent)
    log, saved, running, history, archive = agent.seen
    assert "CONFIG_I" not in log
    for text in (log, saved, running, history, archive):
        assert statement not in text
    assert "router bgp" in saved
    other = Typist("r1" if node == "r2" else "r2", asks=("show startup-config", "show running-config"))
    attempted(task, other)
    for shown in (agent.seen[1:3], other.seen):
        bodies = [text[text.index("version 15") :].strip() for text in shown]
        assert bodies[0] == bodies[1], "a saved config that differs would tell where the fault is"


def test_an_frr_router_tells_nothing_of_the_injection() -> None:
    task = line("frr")
    node = repair_of(task).faults[0].parameters["node"]
    agent = Typist(node, asks=("show history", "show startup-config", "show logging", "show running-config"))
    attempted(task, agent)
    assert not [text for text in agent.seen if "no network" in text]
    lan = repair_of(task).faults[0].parameters["prefix"]
    assert not [text for text in agent.seen if lan in text]


PLATFORMS = ("frr", "cisco_ios") if os.environ.get("NETBENCH_WHOLE_CORPUS") else ("cisco_ios",)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_routes_that_a_repair_did_not_need_count_in_the_blast_radius(platform: str) -> None:
    task = line(platform)
    repaired = scores(attempted(task, Oracle()))
    assert repaired["correctness"].value == 1.0
    assert repaired["blast_radius"].value == 0.0
    assert repaired["blast_radius"].evidence["routes_compared"]
    (fault,) = repair_of(task).faults
    known = fault_of(fault.fault)
    commands = known.recover(known.parameters.model_validate(fault.parameters))[fault.parameters["node"]]
    route = "198.51.100.0 255.255.255.0 Null0" if platform == "cisco_ios" else "198.51.100.0/24 blackhole"
    careless = scores(attempted(task, Typist(fault.parameters["node"], enters=(*commands, f"ip route {route}"))))
    assert careless["correctness"].value == 1.0
    assert careless["blast_radius"].evidence["lines"] == [f"{fault.parameters['node']}: + ip route {route}"]
    (found,) = careless["blast_radius"].evidence["routes"]
    assert found.startswith(f"{fault.parameters['node']}: 198.51.100.0/24 static")


def test_a_fault_without_an_effect_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_netbench.families.faulty.scene.EFFECT_S", 0.2)
    task = line("frr")
    payload = repair_of(task)
    parameters = {
        **{name: payload.faults[0].parameters[name] for name in ("node", "platform", "process", "neighbor")},
        "prefix": next(
            path.split()[-1]
            for path in task.network.startup_configs[payload.faults[0].parameters["node"]].splitlines()
            if "  network 192.168." in path
        ),
    }
    idle = InjectedFault(fault="bgp-network-missing", parameters=parameters)
    (problem,) = selftest(task.with_payload(faults=(idle,)), extent=Extent(repeats=1)).problems
    assert problem.endswith("every flow is right")
