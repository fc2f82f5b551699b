"""The same work on two backends: planted differences are named, and a backend does not differ from itself."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.capabilities import EXEC
from pytest_netbench.portability.running import Comparer
from pytest_netbench.portability.working import Work
from pytest_netbench.trial import Settings, record_behaviour

R1 = """interface eth0
 ip address 10.1.0.1/24
exit
interface eth1
 ip address 10.2.0.1/24
exit
ip route 10.9.0.0/24 10.2.0.9
"""
TASK = Task.model_validate(
    {
        "task_name": "A route for the pool",
        "slug": "pool-route",
        "platform": "frr",
        "intents": [{"text": "R1 reaches 10.8.0.0/24 through 10.2.0.9."}],
        "topology": {
            "nodes": [
                {"name": "R1"},
                {"name": "pc", "platform": "linux", "control": "observed"},
                {"name": "srv", "platform": "linux", "control": "observed"},
            ],
            "links": [
                {"endpoints": [{"node": "pc", "interface": "eth0"}, {"node": "R1", "interface": "eth0"}]},
                {"endpoints": [{"node": "srv", "interface": "eth0"}, {"node": "R1", "interface": "eth1"}]},
            ],
        },
        "startup_configs": {
            "R1": R1,
            "pc": "ip address add 10.1.0.9/24 dev eth0\nip route add default via 10.1.0.1\n",
            "srv": "ip address add 10.2.0.9/24 dev eth0\nip route add default via 10.2.0.1\n",
        },
        "ground_truth_configs": {"R1": ["ip route 10.8.0.0/24 10.2.0.9"]},
        "reference": {"flows": 150, "changes": [{"intent": 1, "to": "10.8.0.0/24"}]},
        "testcases": [
            {"name": "the pool", "kind": "route", "device": "R1", "prefix": "10.8.0.0/24", "intent": 1},
            {"name": "the old one", "kind": "route", "role": "regression", "device": "R1", "prefix": "10.9.0.0/24"},
            {
                "name": "listed",
                "kind": "show",
                "intent": 1,
                "device": "R1",
                "commands": ["show ip route static"],
                "expected_output": "10\\.8\\.0\\.0/24",
            },
        ],
    }
)
ORACLE = Work(name="oracle")
ETH0 = ["interface eth0", "description planted"]
PLANTED: dict[str, tuple[str, list[list[str]], str, str]] = {
    "a route more": (
        "R1",
        [["vtysh", "-c", "conf", "-c", "ip route 192.0.2.0/24 blackhole"]],
        "route",
        "R1 192.0.2.0/24",
    ),
    "a route less": (
        "R1",
        [["vtysh", "-c", "conf", "-c", "no ip route 10.9.0.0/24 10.2.0.9"]],
        "verdict",
        "the old one",
    ),
    "a closed port": (
        "srv",
        [
            ["nft", "add table inet planted"],
            ["nft", "add chain inet planted in { type filter hook input priority 0; }"],
            ["nft", "add rule inet planted in ip saddr 10.1.0.9 icmp type echo-request drop"],
        ],
        "flow",
        "pc -> 10.2.0.9 (srv) icmp",
    ),
    "a translated source": (
        "R1",
        [
            ["nft", "add table ip planted"],
            ["nft", "add chain ip planted out { type nat hook postrouting priority 100; }"],
            ["nft", "add rule ip planted out oifname eth1 masquerade"],
        ],
        "flow",
        "pc -> 10.2.0.9 (srv)",
    ),
    "a line of the config": (
        "R1",
        [["vtysh", "-c", "conf", "-c", "interface eth0", "-c", "description planted"]],
        "show",
        "R1: running config",
    ),
}


class PlantedBackend(NetnsBackend):
    """The backend ``netns``, whose labs are not quite the same."""

    name = "planted"

    def __init__(self, node: str, commands: list[list[str]]) -> None:
        super().__init__()
        self._node, self._commands = node, commands

    def deploy(self, request: Any) -> Any:
        lab = super().deploy(request)
        for command in self._commands:
            done = lab.nodes[self._node].capability(EXEC).run(command)
            assert done.returncode == 0, done
        return lab


@pytest.fixture(scope="module")
def behaviour():
    lack = parts.load("backends", "netns")().lacks(request_of(TASK))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    return record_behaviour(TASK)


def compared(behaviour, second: Any = "netns", work: Work = ORACLE):
    return Comparer(first=Settings(), second=Settings(backend=second)).compare(TASK, work, behaviour)


@pytest.mark.parametrize("work", [ORACLE, Work(name="nop", configs={})], ids=["oracle", "nop"])
def test_a_backend_does_not_differ_from_itself(behaviour, work):
    found = compared(behaviour, work=work)
    assert found.differences == ()
    assert found.share == 1
    assert found.first.verdicts == {
        "the pool": "pass" if work is ORACLE else "fail",
        "the old one": "pass",
        "listed": "pass" if work is ORACLE else "fail",
    }
    assert len(found.first.flows) > 50
    assert {"R1: show ip route static", "R1: running config"} == found.first.shown.keys()
    assert found.first.versions["frr"]


@pytest.mark.parametrize(("node", "commands", "kind", "where"), PLANTED.values(), ids=PLANTED)
def test_a_planted_difference_is_named(behaviour, node, commands, kind, where):
    found = compared(behaviour, PlantedBackend(node, commands))
    assert [one for one in found.differences if one.kind == kind and where in one.where]
    assert found.second.backend == "planted"
    kinds = {"route": {"route", "show"}, "verdict": {"verdict", "route", "flow", "show"}}.get(kind, {kind})
    assert {one.kind for one in found.differences} <= kinds


def test_what_a_backend_lacks_is_said_in_place_of_a_comparison(behaviour):
    class Poor(NetnsBackend):
        name = "poor"

        def lacks(self, request: Any) -> tuple[str, str | None]:
            return "the backend is out of cables", None

    found = compared(behaviour, Poor())
    assert found.lacks == {"poor": "the backend is out of cables"}
    assert found.differences == ()
    assert found.share is None
