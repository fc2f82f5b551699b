"""Lab time in networks with servers and Open vSwitch: their waits, leases, flows and dates go by the lab's clock."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.platforms.capabilities import CLOCK
from pytest_netbench.platforms.linux.dhcp import LEASE_H, has_address
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial.execution import run_trial
from tests.labs.netns.test_lab_time import TASKS, forward
from tests.support.netns_networks import network

HOUR_S = 3600.0
MAC = "02:00:00:00:00:01"
ROUTER = "interface eth0\n ip address 10.0.0.1/24\nexit\ninterface eth1\n ip address 10.0.1.1/24\nexit\n"
SWITCH = """
ovs-vsctl add-br br0
ovs-vsctl add-port br0 eth0
ovs-vsctl add-port br0 eth1
ip link set eth0 up
ip link set eth1 up
"""


def with_services(services: Any, *args: Any, **fields: Any) -> Any:
    """A network in which nodes have services."""
    return serving_also(network(*args, **fields), services)


def serving_also(task: Any, services: Any) -> Any:
    """The task with services on its nodes. No reference behaviour is recorded for it."""
    raw = task.model_dump(by_alias=True, mode="json", exclude_unset=True)
    if "testcases" in raw:
        raw["testcases"] = [one for one in raw["testcases"] if one["kind"] != "reference"]
    for node in raw["topology"]["nodes"]:
        node["services"] = services.get(node["name"], [])
    return type(task).model_validate(raw)


def leasing() -> Any:
    """A server of DHCP, and a client of its."""
    configs = {
        "server": "ip address add 10.0.0.2/24 dev eth0\n",
        "client": f"ip link set eth0 address {MAC}\nip link set eth0 up\n",
    }
    services = {
        "server": [{"kind": "dhcp", "prefix": "10.0.0.0/24", "gateway": "10.0.0.2", "leases": {MAC: "10.0.0.10"}}],
        "client": [{"kind": "dhcp-client", "interface": "eth0"}],
    }
    return with_services(services, dict.fromkeys(configs, "linux"), ["server eth0 - client eth0"], configs)


def serving() -> Any:
    """A host with servers of names and pages and a balancer of them, behind a router."""
    configs = {"R1": ROUTER, "server": "ip address add 10.0.0.2/24 dev eth0\n", "lb": ""}
    services = {
        "server": [
            {"kind": "dns", "domain": "corp.example", "records": {"www": "10.0.0.2"}},
            {"kind": "web"},
        ],
        "lb": [{"kind": "lb", "servers": {"one": "10.0.0.2:80"}}],
    }
    configs["lb"] = "ip address add 10.0.1.2/24 dev eth0\nip route add default via 10.0.1.1\n"
    configs["server"] += "ip route add default via 10.0.0.1\n"
    nodes = {"R1": "frr", "server": "linux", "lb": "linux"}
    return with_services(services, nodes, ["R1 eth0 - server eth0", "R1 eth1 - lb eth0"], configs)


def switched(**fields: Any) -> Any:
    nodes = {"s1": "openvswitch", "a": "linux", "b": "linux"}
    hosts = {name: f"ip address add 10.0.0.{n}/24 dev eth0\n" for n, name in enumerate("ab", start=1)}
    configs = {"s1": SWITCH, **hosts}
    return network(nodes, ["s1 eth0 - a eth0", "s1 eth1 - b eth0"], configs, **fields)


def addressed(lab: Any) -> bool:
    return has_address(lab.nodes["client"], "eth0")


@pytest.fixture(scope="module")
def leased(deploy: Any) -> Any:
    return deploy(leasing(), clock="events")


@pytest.mark.parametrize("task", [leasing(), serving(), switched()], ids=["dhcp", "web", "openvswitch"])
def test_the_clock_of_a_network_with_servers_or_switches_is_moved_by_events(task: Any, deploy: Any) -> None:
    assert stopwatch_of(deploy(task, clock="events")).mode == "events"


def test_a_lease_is_kept_while_its_server_lives_and_ends_when_that_is_dead(leased: Any) -> None:
    assert addressed(leased)
    assert forward(leased, (LEASE_H / 2 + 1) * HOUR_S).wall_s < 300
    server = leased.nodes["server"]
    leased.driver("server").end_server(server, "dhcp")  # the lease was renewed after half of it
    forward(leased, (LEASE_H - 1.1) * HOUR_S)
    assert addressed(leased)
    forward(leased, 0.2 * HOUR_S)
    assert not addressed(leased)
    leased.driver("server").start_server(server, "dhcp")
    forward(leased, 60)
    assert addressed(leased)


def test_a_web_server_and_a_balancer_answer_with_the_lab_s_date_after_ten_minutes(deploy: Any) -> None:
    lab = deploy(serving(), clock="events")
    clock = lab.nodes["R1"].capability(CLOCK)
    assert forward(lab, 600).wall_s < 300
    for node in ("server", "lb"):
        clock.change(1.0)
        before = clock.at(time.time())
        answer = lab.nodes[node].run(["curl", "-sI", "http://127.0.0.1/"]).stdout
        found = re.search(r"^Date: (.*)$", answer, re.MULTILINE | re.IGNORECASE)
        assert answer.startswith("HTTP/1.1 200"), answer
        assert found, answer
        assert before - 1.5 <= parsedate_to_datetime(found[1].strip()).timestamp() <= clock.at(time.time()) + 0.5


def asked(lab: Any, node: str, command: str) -> str:
    done = lab.nodes[node].run(["sh", "-c", command])
    assert done.returncode == 0, done
    return str(done.stdout)


def flows(lab: Any) -> list[str]:
    return [line for line in asked(lab, "s1", "ovs-ofctl dump-flows br0").splitlines() if "table=" in line]


@pytest.fixture(scope="module")
def switch(deploy: Any) -> Any:
    return deploy(switched(time_scale=1.0), clock="events")


def test_a_flow_that_is_not_used_ends_at_its_lab_second(switch: Any) -> None:
    asked(switch, "s1", "ovs-ofctl add-flow br0 idle_timeout=600,priority=7,udp,tp_dst=9,actions=drop")
    assert len(flows(switch)) == 2
    assert forward(switch, 540).wall_s < 300
    assert len(flows(switch)) == 2  # a minute is left for what is asked
    forward(switch, 63)  # Open vSwitch looks for old flows at times
    assert len(flows(switch)) == 1


def test_a_flow_that_is_used_lasts_and_its_age_is_in_lab_seconds(switch: Any) -> None:
    asked(switch, "s1", "ovs-ofctl add-flow br0 idle_timeout=60,priority=8,icmp,actions=normal")
    for _ in range(4):
        forward(switch, 40)
        asked(switch, "a", "ping -c 1 -W 2 10.0.0.2")
    [flow] = [line for line in flows(switch) if "priority=8" in line]
    assert 160 <= float(re.search(r"duration=([0-9.]+)s", flow)[1]) <= 200
    forward(switch, 75)
    assert not [line for line in flows(switch) if "priority=8" in line]


def test_a_flow_does_not_age_while_the_lab_stands_still(switch: Any) -> None:
    switch.clock.change(1.0)
    asked(switch, "s1", "ovs-ofctl add-flow br0 hard_timeout=30,priority=9,icmp,actions=normal")
    switch.clock.halt()
    time.sleep(8)
    switch.clock.change(1.0)
    [flow] = [line for line in flows(switch) if "priority=9" in line]
    assert float(re.search(r"duration=([0-9.]+)s", flow)[1]) < 8


OSPF = load_task(TASKS / "routing/ospf-single-area.task.yaml")
SERVED = {
    "h1": [{"kind": "web"}, {"kind": "dns", "domain": "corp.example", "records": {"www": "10.1.0.10"}}],
    "h2": [{"kind": "lb", "servers": {"one": "10.1.0.10:80"}}],
}


@pytest.mark.parametrize("clock", ["events", "scaled"])
@pytest.mark.parametrize(("agent", "passes"), [("oracle", True), ("nop", False)])
def test_a_task_with_servers_has_one_verdict_however_its_time_passes(agent: str, passes: bool, clock: Any) -> None:
    result = run_trial(serving_also(OSPF, SERVED), agent, clock=clock)
    assert (result.status == "passed") is passes
    assert result.environment.clock == clock
