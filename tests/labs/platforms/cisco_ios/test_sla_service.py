"""IP SLA, tracked objects and the routes that depend on them, on a real FRR router; syslog datagrams."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_netbench.platforms.cisco_ios.apply.frr import speaker_of
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.netns_networks import network
from tests.support.wiretap import frames

ROUTE = {
    "track": 10,
    "daemon": speaker_of("staticd"),
    "up": "ip route 10.99.0.0/24 10.1.0.2",
    "down": "no ip route 10.99.0.0/24 10.1.0.2",
}
OPERATION = {"number": 1, "target": "10.1.0.2", "frequency_s": 5, "timeout_ms": 2000, "scheduled": True}
SLA_TRACK = {"number": 10, "kind": "sla", "operation": 1, "what": "reachability"}
LINK_TRACK = {"number": 20, "kind": "link", "link": "eth1", "label": "GigabitEthernet0/1", "what": "line-protocol"}
ROUTE_TRACK = {"number": 30, "kind": "route", "prefix": "10.99.0.0/24"}
BOTH = {"number": 40, "kind": "list", "boolean": "and", "objects": [[10, False, 1], [20, False, 1]]}
NEITHER = {"number": 50, "kind": "list", "boolean": "and", "objects": [[10, True, 1], [20, True, 1]]}
MOST = {
    "number": 60,
    "kind": "threshold",
    "what": "weight",
    "up": 30,
    "down": 10,
    "objects": [[10, False, 20], [20, False, 20]],
}
TRACKS = [SLA_TRACK, LINK_TRACK, ROUTE_TRACK, BOTH, NEITHER, MOST]
CONFIG = {"sla": {"operations": [OPERATION], "tracks": TRACKS, "routes": [ROUTE]}}
UP = {10: True, 20: True, 30: True, 40: True, 50: False, 60: True}


@pytest.fixture(scope="module")
def lab(deploy_task):
    configs = {
        "r": (
            "interface eth0\n ip address 10.1.0.1/24\nexit\ninterface eth1\n ip address 10.2.0.1/24\nexit\nip route"
            " 10.98.0.0/24 10.2.0.2\n"
        ),
        "a": "ip address add 10.1.0.2/24 dev eth0\n",
        "b": "ip address add 10.2.0.2/24 dev eth0\n",
    }
    nodes = {"r": "frr", "a": "linux", "b": "linux"}
    lab = deploy_task(network(nodes, ["r eth0 - a eth0", "r eth1 - b eth0"], configs))
    runner.apply(lab.nodes["r"], {}, CONFIG)
    return lab


@pytest.fixture
def router(lab):
    node = lab.nodes["r"]
    await_tracks(node, UP)
    return node


def tracks(node):
    return {entry["number"]: entry["up"] for entry in runner.state(node, "sla")["tracks"]}


def await_tracks(node, wanted):
    await_that(lambda: tracks(node) == wanted, lambda: f"{tracks(node)}, expected {wanted}")


def await_that(holds, why, timeout_s=8.0, ask=lambda: None):
    deadline = time.monotonic() + timeout_s
    while not holds():
        ask()
        assert time.monotonic() < deadline, why()
        time.sleep(0.02)


def has_route(node):
    routes = json.loads(node.vty([("zebra", "show ip route 10.99.0.0/24 json")])[0][0] or "{}")
    return bool(routes)


def test_an_operation_reports_its_round_trips(router):
    [operation] = runner.state(router, "sla")["operations"]
    assert (operation["code"], operation["active"], operation["failures"]) == ("OK", True, 0)
    assert 0 < operation["rtt_ms"] < 1000
    assert operation["successes"] > 0


def test_a_route_follows_its_tracked_object(lab, router):
    peer = lab.nodes["a"]
    await_that(lambda: has_route(router), lambda: "no route")
    peer.run(["ip", "address", "del", "10.1.0.2/24", "dev", "eth0"])
    await_tracks(router, {**UP, 10: False, 30: False, 40: False})
    await_that(lambda: not has_route(router), lambda: "the route is still there")
    [operation] = runner.state(router, "sla")["operations"]
    assert (operation["code"], operation["rtt_ms"]) == ("Timeout", None)
    peer.run(["ip", "address", "add", "10.1.0.2/24", "dev", "eth0"])
    await_tracks(router, UP)
    await_that(lambda: has_route(router), lambda: "the route did not come back")


def test_a_link_is_tracked_and_lists_follow(lab, router):
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "down"])
    await_tracks(router, {**UP, 20: False, 40: False})
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "up"])
    await_tracks(router, UP)


def test_a_change_that_does_not_last_its_delay_is_no_change(lab, router):
    delayed = {"sla": {**CONFIG["sla"], "tracks": [*TRACKS[:1], {**LINK_TRACK, "delay_down_s": 60}, *TRACKS[2:]]}}
    runner.apply(router, CONFIG, delayed)
    before = runner.state(router, "sla")["tracks"][1]["changes"]
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "down"])
    await_that(lambda: runner.state(router, "sla")["tracks"][1]["pending_s"] > 0, lambda: "no delay runs")
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "up"])
    await_that(lambda: runner.state(router, "sla")["tracks"][1]["pending_s"] == 0, lambda: "the delay still runs")
    assert runner.state(router, "sla")["tracks"][1]["changes"] == before
    runner.apply(router, delayed, CONFIG)


def test_an_operation_from_an_interface_without_address_times_out(router):
    odd = {**OPERATION, "number": 2, "interface": "lo9"}
    wanted = {"sla": {**CONFIG["sla"], "operations": [OPERATION, odd]}}
    runner.apply(router, CONFIG, wanted)
    await_that(
        lambda: runner.state(router, "sla")["operations"][1]["code"] == "Timeout", lambda: runner.state(router, "sla")
    )
    runner.apply(router, wanted, CONFIG)


def test_an_operation_that_is_not_scheduled_does_nothing_and_its_object_is_down(router):
    idle = {"sla": {**CONFIG["sla"], "operations": [{**OPERATION, "scheduled": False}]}}
    runner.apply(router, CONFIG, idle)
    [operation] = runner.state(router, "sla")["operations"]
    assert (operation["active"], operation["code"]) == (False, "Unknown")
    await_tracks(router, {**UP, 10: False, 30: False, 40: False})
    runner.apply(router, idle, CONFIG)


def test_without_configuration_the_routes_are_gone(router):
    runner.apply(router, CONFIG, {})
    await_that(lambda: not has_route(router), lambda: "the route is still there")
    assert tracks(router) == {}
    runner.apply(router, {}, CONFIG)


def test_a_change_of_an_object_is_a_message_to_the_logging_hosts(lab, router):
    syslog = {"syslog": {"hosts": [{"address": "10.1.0.2"}], "severity": 6, "interface": "eth1"}}
    runner.apply(router, CONFIG, {**CONFIG, **syslog})
    with ThreadPoolExecutor() as pool:
        caught = pool.submit(frames, lab.nodes["a"], "eth0", "ip17", count=1, seconds=8)
        await_that(
            caught.done,
            lambda: "no datagram",
            ask=lambda: runner.command(router, "syslog", "send 5 SYS CONFIG_I Configured"),
        )
    [frame] = caught.result()
    assert re.search(rb"<189>\d+: \*\w{3} [ \d]\d [\d:.]{12}: %SYS-5-CONFIG_I: Configured$", frame)
    assert frame[26:30] == bytes((10, 2, 0, 1))
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "down"])
    await_tracks(router, {**UP, 20: False, 40: False})
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "up"])
    texts = [message["text"] for message in runner.state(router, "syslog")["messages"]]
    assert "20 interface GigabitEthernet0/1 line-protocol Up -> Down" in texts
    assert runner.state(router, "syslog")["sent"]["10.1.0.2"] >= 2
    runner.apply(router, {**CONFIG, **syslog}, CONFIG)


def test_a_list_with_thresholds_stays_as_it_is_between_them(lab, router):
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "down"])
    # 20 of 40 is less than 30 and more than 10
    await_tracks(router, {**UP, 20: False, 40: False})
    lab.nodes["a"].run(["ip", "address", "del", "10.1.0.2/24", "dev", "eth0"])
    await_tracks(router, {**UP, 10: False, 20: False, 30: False, 40: False, 50: True, 60: False})
    lab.nodes["a"].run(["ip", "address", "add", "10.1.0.2/24", "dev", "eth0"])
    await_tracks(router, {**UP, 20: False, 40: False, 60: False})
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "up"])
    await_tracks(router, UP)
