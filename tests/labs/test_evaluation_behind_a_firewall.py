"""NAT, port forwards, filters, marking and rates of a real nftables router, set by an agent and checked by a task."""

from __future__ import annotations

import threading
import time

import pytest
from pydantic import TypeAdapter

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.model.task import Budget, Task
from pytest_netbench.model.testcase import Testcase

HOST = """ip address add {address} dev eth0
ip route add default via {gateway}
"""
TASK = Task.model_validate(
    {
        "task_name": "Firewall",
        "slug": "firewall",
        "platform": "linux",
        "intents": [{"text": "none"}],
        "topology": {
            "nodes": [{"name": "inside"}, {"name": "fw"}, {"name": "outside"}],
            "links": [
                {"endpoints": [{"node": "inside", "interface": "eth0"}, {"node": "fw", "interface": "eth0"}]},
                {"endpoints": [{"node": "fw", "interface": "eth1"}, {"node": "outside", "interface": "eth0"}]},
            ],
        },
        "startup_configs": {
            "inside": HOST.format(address="192.168.1.10/24", gateway="192.168.1.1"),
            "fw": (
                "ip address add 192.168.1.1/24 dev eth0\nip address add 203.0.113.1/24 dev eth1\n"
                "sysctl -w net.ipv4.ip_forward=1\n"
            ),
            "outside": HOST.format(address="203.0.113.10/24", gateway="203.0.113.1"),
        },
    }
)
RULES = [
    "nft add table ip nat",
    "nft add chain ip nat postrouting '{ type nat hook postrouting priority 100; }'",
    "nft add rule ip nat postrouting oif eth1 masquerade",
    "nft add chain ip nat prerouting '{ type nat hook prerouting priority -100; }'",
    "nft add rule ip nat prerouting iif eth1 tcp dport 8080 dnat to 192.168.1.10:80",
    "nft add table ip filter",
    "nft add chain ip filter forward '{ type filter hook forward priority 0; policy drop; }'",
    "nft add rule ip filter forward ct state established,related accept",
    "nft add rule ip filter forward iif eth0 accept",
    "nft add rule ip filter forward ct status dnat accept",
    "nft add chain ip filter marking '{ type filter hook postrouting priority -150; }'",
    "nft add rule ip filter marking udp dport 4000 ip dscp set 46",
    "tc qdisc add dev eth1 root tbf rate 2mbit burst 5kb latency 20ms",
]
BEFORE_AND_AFTER = [
    (
        {
            "kind": "reachability",
            "from": "inside",
            "to": "outside",
            "protocol": "tcp",
            "port": 443,
            "seen_source": "203.0.113.1",
        },
        False,
    ),
    (
        {
            "kind": "reachability",
            "from": "outside",
            "to": "203.0.113.1",
            "protocol": "tcp",
            "port": 8080,
            "listen_on": "inside",
            "listen_port": 80,
        },
        False,
    ),
    ({"kind": "reachability", "from": "outside", "to": "inside", "expected": "denied"}, False),
    (
        {
            "kind": "reachability",
            "from": "outside",
            "to": "inside",
            "protocol": "udp",
            "port": 53,
            "expected": "denied",
        },
        False,
    ),
    ({"kind": "reachability", "from": "inside", "to": "outside"}, True),
    ({"kind": "marking", "from": "inside", "to": "outside", "port": 4000, "expected_dscp": 46}, False),
    ({"kind": "marking", "from": "inside", "to": "outside", "port": 4001, "expected_dscp": 0}, True),
    (
        {
            "kind": "throughput",
            "flow": {"from": "inside", "to": "outside", "rate_bps": 4_000_000},
            "expected_bps": 2_000_000,
            "tolerance": 0.2,
        },
        False,
    ),
]


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(TASK)


def run(lab):
    adapter = TypeAdapter(Testcase)
    fields = [fields for fields, _ in BEFORE_AND_AFTER]
    testcases = [
        adapter.validate_python({"name": f"t{number}", "within_s": 5, **one}) for number, one in enumerate(fields)
    ]
    return TaskEvaluation(lab).run_testcases(testcases)


def test_testcases_tell_the_unconfigured_firewall_from_the_configured_one(lab):
    before = run(lab)
    assert [result.status == "pass" for result in before] == [holds for _, holds in BEFORE_AND_AFTER]
    assert "seen as from 192.168.1.10" in before[0].actual
    assert before[1].actual.startswith("refused")
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    results = ani.update_cfg("fw", RULES)["results"]
    assert [one for one in results if one["status"] == "error"] == []
    after = run(lab)
    assert [(result.expected, result.actual) for result in after if result.status == "fail"] == []


def test_agents_that_call_in_parallel_get_their_own_answers(lab):
    ani = AgentInterface(lab, policy=Policy(), budget=Budget(calls=30))
    answers = {}

    def work(number):
        device = ("inside", "fw", "outside")[number % 3]
        answers[number] = ani.execute_cmd(device, f"echo {number}; cat /proc/sys/kernel/hostname")["output"]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answers[number].split()[0] for number in range(12)] == [str(number) for number in range(12)]
    assert len(ani.steps) == 12


def test_a_read_command_ends_with_the_agents_time(lab):
    ani = AgentInterface(lab, policy=Policy(), budget=Budget(wall_s=0.5))
    began = time.monotonic()
    assert "ended after" in ani.execute_cmd("inside", "sleep 20")["output"]
    assert time.monotonic() - began < 3
    with pytest.raises(BudgetExhausted, match="wall_s"):
        ani.get_topology()


def test_a_flood_of_output_is_cut_and_the_device_goes_on(lab):
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    assert len(ani.execute_cmd("inside", "yes")["output"]) < 67_000
    assert ani.execute_cmd("inside", "echo well") == {"output": "well\n"}


@pytest.mark.parametrize(
    "command", ["ip address add 1.1.1.1/32 dev eth0", "nft flush ruleset", "touch /etc/x", "ip link set eth0 down"]
)
def test_a_read_command_does_not_change_a_linux_node(lab, command):
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    before = ani.get_running_cfg("fw")
    assert "exit status" in ani.execute_cmd("fw", command)["output"]
    assert ani.get_running_cfg("fw") == before


def test_after_the_end_a_device_is_no_longer_changed(lab):
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    ani.close()
    with pytest.raises(AniError, match="the trial has ended"):
        ani.update_cfg("fw", ["nft flush ruleset"])
