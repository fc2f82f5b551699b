"""Lab time that is moved by events in networks with switches and links with delays: both take part in the clock."""

from __future__ import annotations

import json
import time

import pytest

from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.capabilities import CLOCK
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial.execution import run_trial
from tests.labs.netns.test_lab_time import GRAIN_S, TASKS, forward, neighbor, ospf, routers
from tests.support.switches import switched_task

ECHO = "import socket\ns = socket.socket(type=2)\ns.bind(('', 7))\nwhile True: s.sendto(*s.recvfrom(99))\n"
ASKING = """
import socket, time
s = socket.socket(type=2)
with open("/tmp/rounds", "w", buffering=1) as file:
    while True:
        began = time.monotonic()
        s.sendto(b"?", ("10.0.12.2", 7))
        s.recvfrom(99)
        print(time.monotonic() - began, file=file)
        time.sleep(10)
"""
SWITCHED = {
    "R1": "hostname R1\ninterface GigabitEthernet0/0\n ip address 10.0.12.1 255.255.255.0\n no shutdown\n"
    "router ospf 1\n network 10.0.0.0 0.255.255.255 area 0\nend\n",
    "R2": "hostname R2\ninterface GigabitEthernet0/0\n ip address 10.0.12.2 255.255.255.0\n no shutdown\n"
    "router ospf 1\n network 10.0.0.0 0.255.255.255 area 0\nend\n",
    "SW1": "hostname SW1\nend\n",
    "SW2": "hostname SW2\nend\n",
}


def asked(lab, until):
    """Round trips in lab seconds of questions that R1 asks R2 every ten lab seconds."""
    lab.nodes["R2"].start(["/usr/bin/python3", "-c", ECHO])
    lab.nodes["R1"].start(["/usr/bin/python3", "-c", ASKING])
    passed = forward(lab, until)
    return [float(line) for line in lab.nodes["R1"].read_file("/tmp/rounds").splitlines()], passed


@pytest.fixture(scope="module")
def far(deploy):
    return deploy(routers(ospf, links=(("R1 eth0 - R2 eth0", {"delay_ms": 1500}),), time_scale=1))


def test_a_delay_passes_in_lab_time_while_the_clock_is_moved(far) -> None:
    rounds, passed = asked(far, 600)
    assert len(rounds) >= 40
    # the first one also asks for the neighbor's address, and begins before the clock is moved
    assert all(3.0 <= lab_s <= 3.0 + 0.1 for lab_s in rounds[2:]), rounds
    assert passed.wall_s < 60
    assert neighbor(far, "R1")["nbrState"].startswith("Full")


def test_a_delay_passes_in_wall_time_while_the_clock_is_not_moved(deploy) -> None:
    lab = deploy(routers(ospf, links=(("R1 eth0 - R2 eth0", {"delay_ms": 200}),), time_scale=20))
    forward(lab, 100)
    answer = lab.nodes["R1"].run(["ping", "-c", "3", "-i", "0.2", "10.0.12.2"]).stdout
    least_ms = float(answer.rpartition("=")[2].split("/")[0])
    assert 400 <= least_ms <= 600


def test_a_link_that_is_given_a_delay_later_has_it_in_lab_time(deploy) -> None:
    lab = deploy(routers(ospf, time_scale=1))
    lab.capability(LINKS).set_quality("R1", "eth0", LinkQuality(delay_ms=1000))
    rounds, passed = asked(lab, 300)
    assert all(2.0 <= lab_s <= 2.1 for lab_s in rounds[2:]), rounds
    assert len(rounds) >= 20
    assert passed.wall_s < 60


@pytest.fixture(scope="module")
def switched(deploy):
    links = [
        "R1 GigabitEthernet0/0 - SW1 GigabitEthernet0/1",
        "SW1 GigabitEthernet0/2 - SW2 GigabitEthernet0/2",
        "R2 GigabitEthernet0/0 - SW2 GigabitEthernet0/1",
    ]
    return deploy(switched_task(SWITCHED, links, switches=["SW1", "SW2"]))


def state_of_neighbor(lab):
    text = lab.nodes["R1"].vty([("ospfd", "show ip ospf neighbor json")])[0][0]
    found = json.loads(text[text.index("{") :])
    several = next(iter(found.get("neighbors", found).values()), None)
    return several[0] if several else None


def test_switches_take_part_so_an_hour_takes_seconds_and_nothing_is_lost(switched) -> None:
    before_s = state_of_neighbor(switched)["upTimeInMsec"] / 1000
    passed = forward(switched, 3600)
    assert state_of_neighbor(switched)["upTimeInMsec"] / 1000 - before_s >= 3600
    assert passed.wall_s < 120
    assert passed.held_s < passed.wall_s / 2


def test_behind_switches_a_neighbor_is_lost_when_its_dead_time_is_over_and_not_before(switched) -> None:
    switched.capability(NODES).crash("R2")
    left_s = state_of_neighbor(switched)["routerDeadIntervalTimerDueMsec"] / 1000
    forward(switched, left_s - 1.5)
    assert state_of_neighbor(switched) is not None
    forward(switched, 1.5 + 2 * GRAIN_S)
    assert state_of_neighbor(switched) is None


def test_an_idle_clock_of_a_network_with_a_delay_costs_no_more_than_its_frames(far) -> None:
    clock = far.nodes["R1"].capability(CLOCK)
    began = time.monotonic()
    passed = clock.forward(1000)
    assert passed.moves < 5000
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("path", ["routing/router-on-a-stick", "qos/shape-to-contract"])
@pytest.mark.parametrize(("agent", "passes"), [("oracle", True), ("nop", False)])
def test_a_verdict_by_events_is_right_with_switches_and_shaped_links(path, agent, passes) -> None:
    result = run_trial(load_task(TASKS / f"{path}.task.yaml"), agent, clock="events")
    assert (result.status == "passed") is passes
    assert result.environment.clock == "events"


def test_a_neighbor_that_did_not_answer_is_asked_anew_once_its_time_is_over(far) -> None:
    def asked() -> str:
        return far.nodes["R1"].run(["ip", "neighbor", "show", "nud", "incomplete", "nud", "failed"]).stdout

    far.nodes["R1"].run(["ping", "-c", "1", "-W", "1", "10.0.12.99"])
    assert "10.0.12.99" in asked()
    forward(far, 1)
    assert "10.0.12.99" in asked()
    far.nodes["R1"].run(["ping", "-c", "1", "-W", "1", "10.0.12.2"])
    forward(far, 4)
    assert not asked()
    assert "10.0.12.2" in far.nodes["R1"].run(["ip", "neighbor", "show"]).stdout
