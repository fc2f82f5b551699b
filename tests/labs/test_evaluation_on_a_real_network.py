"""ANI and testcases on real routers: each kind passes when it should, fails when it should, and says why."""

from __future__ import annotations

import json
import socket

import pytest
from pydantic import TypeAdapter

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.model.task import Budget, Task
from pytest_netbench.model.testcase import Testcase

HOST = """ip address add {address}/24 dev eth0
ip route add default via {gateway}
"""
ROUTER = """hostname {name}
interface eth0
 ip address {lan}/24
 ip ospf area 0
 ip ospf passive
exit
interface eth1
 ip address {core}/30
 ip ospf area 0
 ip ospf network point-to-point
exit
router ospf
exit
"""
TASK = Task.model_validate(
    {
        "task_name": "Evaluation",
        "slug": "evaluation",
        "intents": [{"text": "none"}],
        "topology": {
            "nodes": [
                {"name": "h1", "platform": "linux"},
                {"name": "r1"},
                {"name": "r2"},
                {"name": "h2", "platform": "linux"},
            ],
            "links": [
                {"endpoints": [{"node": "h1", "interface": "eth0"}, {"node": "r1", "interface": "eth0"}]},
                {"endpoints": [{"node": "r1", "interface": "eth1"}, {"node": "r2", "interface": "eth1"}]},
                {"endpoints": [{"node": "r2", "interface": "eth0"}, {"node": "h2", "interface": "eth0"}]},
            ],
        },
        "startup_configs": {
            "h1": HOST.format(address="10.1.0.10", gateway="10.1.0.1"),
            "r1": ROUTER.format(name="r1", lan="10.1.0.1", core="10.0.0.1"),
            "r2": ROUTER.format(name="r2", lan="10.2.0.1", core="10.0.0.2"),
            "h2": HOST.format(address="10.2.0.10", gateway="10.2.0.1"),
        },
    }
)


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(TASK)


@pytest.fixture
def ani(lab):
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    yield ani
    ani.close()


def run(lab, *fields):
    adapter = TypeAdapter(Testcase)
    testcases = [
        adapter.validate_python({"name": f"t{number}", "within_s": 5, **one}) for number, one in enumerate(fields)
    ]
    return TaskEvaluation(lab).run_testcases(testcases)


PASSING = [
    {"kind": "show", "device": "r1", "commands": ["show ip ospf neighbor"], "expected_output": "Full/"},
    {"kind": "show", "device": "h1", "commands": ["ip route"], "expected_output": "^default via 10.1.0.1 "},
    {
        "kind": "route",
        "device": "r1",
        "prefix": "10.2.0.0/24",
        "protocol": "ospf",
        "next_hops": ["10.0.0.2"],
        "distance": 110,
    },
    {"kind": "route", "device": "r1", "prefix": "10.9.0.0/24", "present": False},
    {"kind": "route", "device": "h1", "prefix": "0.0.0.0/0", "next_hops": ["10.1.0.1"]},
    {"kind": "reachability", "from": "h1", "to": "h2"},
    {"kind": "reachability", "from": "h1", "to": "h2", "protocol": "tcp", "port": 443},
    {
        "kind": "reachability",
        "from": "h1",
        "to": "10.2.0.10",
        "protocol": "udp",
        "port": 53,
        "seen_source": "10.1.0.10",
    },
    {"kind": "reachability", "from": "h1", "to": "203.0.113.1", "expected": "denied"},
    {"kind": "path", "from": "h1", "to": "h2", "hops": ["r1", "r2", "h2"]},
    {"kind": "marking", "from": "h1", "to": "h2", "port": 4000, "sent_dscp": 46, "expected_dscp": 46},
    {"kind": "config", "device": "r1", "parents": ["interface eth1"], "line": r"ip address 10\.0\.0\.1/30"},
    {
        "kind": "throughput",
        "flow": {"from": "h1", "to": "h2", "rate_bps": 4_000_000},
        "expected_bps": 4_000_000,
        "tolerance": 0.2,
    },
]
FAILING = [
    (
        {"kind": "show", "device": "r1", "commands": ["show ip ospf neighbor"], "expected_output": "Down"},
        "no match in:",
    ),
    ({"kind": "route", "device": "r1", "prefix": "10.2.0.0/24", "protocol": "bgp"}, "10.2.0.0/24 ospf via 10.0.0.2"),
    ({"kind": "reachability", "from": "h1", "to": "h2", "expected": "denied"}, "got through"),
    ({"kind": "reachability", "from": "h1", "to": "h2", "seen_source": "9.9.9.9"}, "seen as from 10.1.0.10"),
    (
        {"kind": "path", "from": "h1", "to": "h2", "hops": ["r2", "h2"]},
        "r1 (10.1.0.1) > r2 (10.0.0.2) > h2 (10.2.0.10)",
    ),
    ({"kind": "marking", "from": "h1", "to": "h2", "sent_dscp": 46, "expected_dscp": 0}, "arrived with DSCP 46"),
    (
        {"kind": "config", "device": "r1", "parents": ["interface eth1"], "line": "shutdown"},
        "under these parents stand only: ip address",
    ),
    (
        {"kind": "throughput", "flow": {"from": "h1", "to": "h2", "rate_bps": 4_000_000}, "max_bps": 1_000_000},
        "Mbit/s received of",
    ),
]


def test_what_is_true_of_the_network_passes(lab):
    results = run(lab, *PASSING)
    assert [(result.name, result.command, result.actual) for result in results if result.status == "fail"] == []


def test_what_is_not_true_of_the_network_fails_and_says_what_is(lab):
    results = run(lab, *(fields for fields, _ in FAILING))
    assert [result.status for result in results] == ["fail"] * len(FAILING)
    for result, (_, words) in zip(results, FAILING, strict=True):
        assert words in result.actual


def test_an_agent_sees_and_changes_the_network(lab, ani):
    assert ani.get_topology()["topology"]["links"][1] == "r1 eth1 <-> r2 eth1"
    assert "ip address 10.0.0.1/30" in ani.get_running_cfg("r1")["running_config"]
    route = "ip route 10.9.0.0/24 10.0.0.2"
    results = ani.update_cfg("r1", ["configure terminal", route, "ip route nonsense"])["results"]
    assert [one["status"] for one in results] == ["success", "success", "error"]
    assert results[2]["message"].startswith("%")
    (result,) = run(lab, {"kind": "route", "device": "r1", "prefix": "10.9.0.0/24", "protocol": "static"})
    assert result.status == "pass"
    assert "10.9.0.0/24" in ani.execute_cmd("r1", "show ip route static")["output"]
    assert route in TaskEvaluation(lab).final_configs()["r1"]
    ani.update_cfg("r1", [f"no {route}"])
    (result,) = run(lab, {"kind": "route", "device": "r1", "prefix": "10.9.0.0/24", "present": False})
    assert result.status == "pass"


@pytest.mark.parametrize("command", ["configure terminal", "ip route 1.1.1.0/24 10.0.0.2", "router bgp 1"])
def test_a_read_command_does_not_change_a_router(ani, command):
    before = ani.get_running_cfg("r1")
    assert ani.execute_cmd("r1", command)["output"].startswith("%")
    assert ani.get_running_cfg("r1") == before


def test_keystrokes_in_a_read_command_never_reach_the_router(ani):
    with pytest.raises(AniError, match="control character"):
        ani.execute_cmd("r1", "show version\x0fconfigure terminal")


def test_the_drafts_printed_request_is_answered_over_the_socket(lab, ani):
    with serve(ani) as server, socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(server.path))
        client.sendall(
            b'{\n  "method": "execute-cmd",\n  "params": {\n    "device": "r1",\n    "command": "show ip route'
            b' 10.2.0.0/24"\n  }\n}\n'
        )
        answer = json.loads(client.makefile().readline())
    assert set(answer) == {"output"}
    assert "10.0.0.2" in answer["output"]


def test_a_probe_from_a_port_on_which_its_node_listens_for_another_one_is_sent(lab):
    both = {"kind": "reachability", "protocol": "tcp", "port": 443, "within_s": 1, "expected": "denied"}
    testcases = [
        {"name": "from 443", "from": "h1", "to": "h2", "source_port": 443, **both},
        {"name": "to 443", "from": "h2", "to": "h1", **both},
    ]
    results = TaskEvaluation(lab).run_testcases(TypeAdapter(list[Testcase]).validate_python(testcases))
    assert ["got through" in result.actual for result in results] == [True, True], [one.actual for one in results]


def test_packets_of_no_session_are_held_beside_a_session_with_the_same_ports(lab):
    fields = {"kind": "reachability", "from": "h1", "to": "h2", "within_s": 1}
    ports = {"port": 4445, "source_port": 4446}
    testcases = [
        {"name": "a segment", "protocol": "segment", **ports, **fields},
        {"name": "a session", "protocol": "tcp", **ports, **fields},
        {"name": "an error", "protocol": "unreachable", **fields},
    ]
    results = TaskEvaluation(lab).run_testcases(TypeAdapter(list[Testcase]).validate_python(testcases))
    assert ["got through" in result.actual for result in results] == [True] * 3, [one.actual for one in results]
    assert [result.expected for result in results] == [
        "tcp segment of no session to port 4445 from port 4446 from h1 to h2: allowed",
        "tcp port 4445 from port 4446 from h1 to h2: allowed",
        "icmp error of no session from h1 to h2: allowed",
    ]
