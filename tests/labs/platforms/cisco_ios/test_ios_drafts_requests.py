"""The requests of draft-cui-nmrg-llm-benchmark §4.2 and §4.3 on IOS routers, sent as printed over JSON-RPC sockets."""

from __future__ import annotations

import json
import socket

import pytest

from pytest_netbench.ani import jsonrpc as agents_side
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.evaluation import jsonrpc as evaluators_side
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.model.task import Budget
from tests.support.ios import ios_task

R1 = "version 15.2\nhostname R1\ninterface Gig0/0\n ip address 192.168.1.1 255.255.255.0\n"
R2 = (
    "version 15.2\nhostname R2\ninterface Gig0/0\n ip address 192.168.1.2 255.255.255.0\ninterface Loopback0\n ip"
    " address 2.2.2.1 255.255.255.252\n"
)
TOPOLOGY = """
          {
            "method": "get-topology",
            "params": {
              "devices": ["R1", "R2"]
            }
          }
"""
RUNNING = """
          {
            "method": "get-running-cfg",
            "params": {
              "device": "R1"
            }
          }
"""
UPDATE = """
          {
            "method": "update-cfg",
            "params": {
              "device": "R1",
              "commands": [
                "configure terminal",
                "ip route 2.2.2.0 255.255.255.252 192.168.1.2"
              ]
            }
          }
"""
EXECUTE = """
          {
            "method": "execute-cmd",
            "params": {
              "device": "R1",
              "command": "show ip route 2.2.2.0 255.255.255.252"
            }
          }
"""
EXPORT = """
         {
           "method": "export-final-cfg"
         }
"""
TESTCASES = """
         {
           "method": "run-testcases",
           "params": {
             "testcases": [
               {
                 "device": "R1",
                 "commands": ["show ip route 2.2.2.0 255.255.255.252"],
                 "expected_output": "S 2.2.2.0/30 [1/0] via 192.168.1.2"
               },
               {
                 "name": "Verify backup static route on R1",
                 "device": "R1",
                 "commands": ["show ip route 2.2.2.0 255.255.255.252"],
                 "expected_output": "S 2.2.2.0/30 [100/0] via 192.168.2.2"
               }
             ]
           }
         }
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2}, ["R1 Gig0/0 - R2 Gig0/0"]))


@pytest.fixture
def ask(lab):
    """Send a request as text to the agents' or the evaluators' socket; return the fields of the answer."""
    ani = AgentInterface(
        lab,
        policy=Policy(devices=frozenset(lab.nodes)),
        budget=Budget(calls=None, commands=None, wall_s=None, tokens=None),
    )

    def asked(text, *, evaluation=False):
        serving = evaluators_side.serve(TaskEvaluation(lab)) if evaluation else agents_side.serve(ani)
        with serving as server, socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(server.path))
            client.sendall(text.encode())
            return json.loads(client.makefile().readline())

    yield asked
    ani.close()


def test_the_topology_is_answered_in_the_drafts_shape(ask):
    assert ask(TOPOLOGY) == {"topology": {"nodes": ["R1", "R2"], "links": ["R1 Gig0/0 <-> R2 Gig0/0"]}}


def test_the_running_config_is_a_text_with_the_interfaces(ask):
    answer = ask(RUNNING)
    assert set(answer) == {"running_config"}
    assert "interface GigabitEthernet0/0\n ip address 192.168.1.1 255.255.255.0\n" in answer["running_config"]


def test_an_update_is_answered_command_by_command_and_the_route_is_there(ask):
    assert ask(UPDATE) == {
        "results": [
            {"command": "configure terminal", "status": "success"},
            {"command": "ip route 2.2.2.0 255.255.255.252 192.168.1.2", "status": "success"},
        ]
    }
    answer = ask(EXECUTE)
    assert set(answer) == {"output"}
    assert answer["output"].strip() == "S 2.2.2.0/30 [1/0] via 192.168.1.2"


def test_the_final_configs_are_exported_by_device(ask):
    answer = ask(EXPORT, evaluation=True)
    assert list(answer["configs"]) == ["R1", "R2"]
    for name, text in answer["configs"].items():
        assert text.startswith("!\nversion 15.")
        assert f"hostname {name}\n" in text


def test_testcases_are_answered_with_name_and_verdict(ask):
    ask(UPDATE)
    results = ask(TESTCASES, evaluation=True)["results"]
    assert [result["status"] for result in results] == ["pass", "fail"]
    assert results[1] == {"name": "Verify backup static route on R1", "status": "fail"}
    assert all(set(result) == {"name", "status"} for result in results)


def test_a_warning_about_a_line_that_is_taken_reaches_the_agent(deploy_task):
    lab = deploy_task(ios_task({"R1": R1, "R2": R2}, ["R1 Gig0/0 - R2 Gig0/0"]))
    ani = AgentInterface(
        lab,
        policy=Policy(devices=frozenset(lab.nodes)),
        budget=Budget(calls=None, commands=None, wall_s=None, tokens=None),
    )
    answer = ani.update_cfg("R1", ["ip vrf RED", "rd 1:1", "interface Gig0/0", "ip vrf forwarding RED"])
    assert [one["status"] for one in answer["results"]] == ["success"] * 4
    assert "message" not in answer["results"][0]
    assert "% Interface GigabitEthernet0/0 IPv4 disabled and address(es) removed" in answer["results"][3]["message"]
