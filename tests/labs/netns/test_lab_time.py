"""Lab time that is moved by events: timers of real daemons fire at the lab second at which they are due."""

from __future__ import annotations

import concurrent.futures
import json
import time
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.request import request_of
from pytest_netbench.platforms.capabilities import CLOCK, DAEMONS
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial.execution import run_trial
from tests.support.netns_networks import network

GRAIN_S = 0.25
TASKS = Path(__file__).parents[3] / "tasks"


def routers(lines, *, links=("R1 eth0 - R2 eth0",), count=2, **fields):
    """FRR routers R1, R2 …; ``lines`` makes the config of each from its number."""
    configs = {f"R{n}": lines(n) for n in range(1, count + 1)}
    return network(dict.fromkeys(configs, "frr"), links, configs, **fields)


def ask(lab, node, daemon, command):
    text = lab.nodes[node].vty([(daemon, command)])[0][0]
    return json.loads(text[text.index("{") :])


def forward(lab, lab_s):
    return next(iter(lab.nodes.values())).capability(CLOCK).forward(lab_s)


def ospf(n):
    return (
        f"interface eth0\n ip address 10.0.12.{n}/24\n ip ospf area 0\nexit\n"
        f"router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"
    )


def neighbor(lab, node):
    """What a router says of its only neighbor, or ``None``."""
    found = ask(lab, node, "ospfd", "show ip ospf neighbor json")["neighbors"]
    return next((one for several in found.values() for one in several), None)


@pytest.fixture(scope="module")
def pair(deploy):
    return deploy(routers(ospf))


def test_an_ospf_neighbor_is_lost_when_its_dead_time_is_over_and_not_before(pair) -> None:
    assert neighbor(pair, "R1")["nbrState"].startswith("Full")
    pair.capability(NODES).crash("R2")  # its frames are lost, its carrier stays
    left_s = neighbor(pair, "R1")["routerDeadIntervalTimerDueMsec"] / 1000
    assert 25 <= left_s <= 40
    forward(pair, left_s - 1)
    still = neighbor(pair, "R1")
    assert still is not None
    assert 0 <= still["routerDeadIntervalTimerDueMsec"] <= 1000
    forward(pair, 1 + 2 * GRAIN_S)
    assert neighbor(pair, "R1") is None
    pair.capability(NODES).revive("R2")
    forward(pair, 60)
    assert neighbor(pair, "R1")["nbrState"].startswith("Full")


def test_no_adjacency_is_lost_in_an_hour_which_takes_seconds(pair) -> None:
    before_s = neighbor(pair, "R1")["upTimeInMsec"] / 1000
    passed = forward(pair, 3600)
    assert passed.lab_s == 3600
    assert passed.wall_s < 60
    assert neighbor(pair, "R1")["upTimeInMsec"] / 1000 - before_s >= 3600


def test_a_frozen_daemon_does_not_hold_the_clock_and_its_neighbor_notices(pair) -> None:
    daemons = pair.nodes["R2"].capability(DAEMONS)
    daemons.freeze("ospfd")
    assert forward(pair, 45).wall_s < 10
    assert neighbor(pair, "R1") is None
    daemons.resume("ospfd")
    forward(pair, 90)
    assert neighbor(pair, "R1")["nbrState"].startswith("Full")


def test_a_daemon_that_is_killed_is_forgotten(deploy) -> None:
    lab = deploy(routers(ospf))
    lab.nodes["R2"].capability(DAEMONS).kill("ospfd")
    assert forward(lab, 60).wall_s < 10
    assert neighbor(lab, "R1") is None


def test_nodes_are_asked_and_cables_cut_while_the_clock_is_moved(deploy) -> None:
    lab = deploy(routers(ospf))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        moving = pool.submit(forward, lab, 2000)
        answers = 0
        while not moving.done():
            assert neighbor(lab, "R2") is not None
            answers += 1
    assert answers
    assert moving.result().lab_s == 2000
    lab.capability(LINKS).cut("R1", "eth0")
    forward(lab, 5)  # the carrier tells
    assert neighbor(lab, "R1") is None


def bgp(n):
    return (
        f"interface eth0\n ip address 10.0.12.{n}/24\nexit\n"
        f"router bgp 6500{n}\n timers bgp 10 30\n neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\nexit\n"
    )


def peer_of(lab):
    return ask(lab, "R1", "bgpd", "show bgp neighbors 10.0.12.2 json")["10.0.12.2"]


def test_a_bgp_session_lasts_for_hours_and_ends_with_its_hold_time(deploy) -> None:
    lab = deploy(routers(bgp))
    before = peer_of(lab)
    forward(lab, 7200)
    peer = peer_of(lab)
    assert (peer["bgpState"], peer["connectionsDropped"]) == ("Established", before["connectionsDropped"])
    assert peer["bgpTimerUpMsec"] / 1000 >= 7200
    lab.capability(NODES).crash("R2")
    read_s = peer_of(lab)["bgpTimerLastRead"] / 1000
    forward(lab, 30 - read_s - 2)
    assert peer_of(lab)["bgpState"] == "Established"
    forward(lab, 3)
    assert peer_of(lab)["bgpState"] != "Established"


def bfd(n):
    return (
        f"interface eth0\n ip address 10.0.12.{n}/24\nexit\n"
        f"bfd\n peer 10.0.12.{3 - n}\n"
        "  detect-multiplier 3\n  receive-interval 50\n  transmit-interval 50\n exit\nexit\n"
    )


def bfd_peer_of(lab):
    return json.loads(lab.nodes["R1"].vty([("bfdd", "show bfd peers json")])[0][0])[0]


def test_sessions_of_bfd_at_50_ms_stay_up_for_minutes(deploy) -> None:
    lab = deploy(routers(bfd))
    forward(lab, 5)
    assert bfd_peer_of(lab)["status"] == "up"
    counters = lab.nodes["R1"].vty([("bfdd", "show bfd peers counters json")])[0][0]
    forward(lab, 120)
    assert bfd_peer_of(lab)["status"] == "up"
    assert bfd_peer_of(lab)["uptime"] >= 120
    after = lab.nodes["R1"].vty([("bfdd", "show bfd peers counters json")])[0][0]
    assert json.loads(after)[0]["session-down"] == json.loads(counters)[0]["session-down"]
    lab.capability(NODES).crash("R2")
    forward(lab, 0.5)
    assert bfd_peer_of(lab)["status"] == "down"


def test_an_address_of_ipv6_is_tried_before_the_clock_moves(deploy) -> None:
    lab = deploy(routers(lambda n: f"interface eth0\n ip address 10.0.12.{n}/24\nexit\n"))
    lab.nodes["R1"].run(["ip", "address", "add", "2001:db8::1/64", "dev", "eth0"])
    began = time.monotonic()
    forward(lab, 100)
    assert "tentative" not in lab.nodes["R1"].run(["ip", "-6", "address", "show", "dev", "eth0"]).stdout
    assert time.monotonic() - began < 30


def test_an_agent_sees_neither_the_slots_nor_the_pacer_at_work(pair) -> None:
    looked = pair.nodes["R1"].run(
        ["sh", "-c", "ls -l /opt/netbench/lib/clock; cat /proc/self/environ | tr '\\0' '\\n'"]
    )
    assert "NETBENCH_SLOTS" not in looked.stdout
    assert looked.stdout.startswith("-r")


def test_two_do_not_move_one_clock_and_too_long_a_wait_is_refused(pair) -> None:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = [pool.submit(forward, pair, 50) for _ in range(2)]
        assert [one.result().lab_s for one in both] == [50, 50]
    with pytest.raises(LabError, match="seconds"):
        forward(pair, -1)


@pytest.mark.parametrize(("agent", "passes"), [("oracle", True), ("nop", False)])
def test_a_verdict_that_waits_by_events_is_that_of_a_scaled_clock(agent, passes) -> None:
    task = load_task(TASKS / "routing/ospf-single-area.task.yaml")
    result = run_trial(task, agent, clock="events")
    assert (result.status == "passed") is passes
    assert result.environment.clock == "events"


def test_a_network_is_brought_up_by_events_and_its_designated_routers_are_elected() -> None:
    lab = NetnsBackend().deploy(request_of(routers(ospf), clock="events"))
    try:
        assert lab.stopwatch.mode == "events"
        assert (neighbor(lab, "R1")["role"], neighbor(lab, "R2")["role"]) == ("DR", "Backup")
        # 40 lab seconds of waiting passed, which take two wall seconds at the time scale
        assert neighbor(lab, "R1")["upTimeInMsec"] >= 40_000
    finally:
        lab.destroy()
        lab.await_cleanup()


def test_a_network_that_is_never_ready_is_given_up_by_events() -> None:
    same = "router bgp 65000\n bgp router-id 9.9.9.9\n"
    lonely = routers(lambda n: ospf(n) + same + f" neighbor 10.0.12.{3 - n} remote-as 65000\nexit\n")
    began = time.monotonic()
    with pytest.raises(NotReady, match="R1"):
        NetnsBackend().deploy(request_of(lonely, clock="events"))
    assert time.monotonic() - began < 60
