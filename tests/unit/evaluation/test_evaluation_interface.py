"""The Task Evaluation Interface and its wire form."""

import json
import socket

import pytest

from pytest_netbench.errors import AniError, LabDied
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.jsonrpc import serve
from tests.support.memory_lab import chain


@pytest.fixture
def lab():
    return chain()


@pytest.fixture
def evaluation(lab):
    return TaskEvaluation(lab)


def test_final_configs_come_in_topology_order(evaluation):
    configs = evaluation.final_configs()
    assert list(configs) == ["branch", "edge", "web"]
    assert configs["web"] == "address e0 10.0.2.10"


def test_a_config_that_cannot_be_read_is_an_error(evaluation, lab):
    lab.nodes["edge"].alive = False
    with pytest.raises(LabDied, match="edge is gone"):
        evaluation.final_configs()


def test_export_final_cfg_has_the_drafts_shape(evaluation):
    assert evaluation.call("export-final-cfg") == {"configs": evaluation.final_configs()}
    assert evaluation.call("export-final-cfg", {}) == {"configs": evaluation.final_configs()}


def test_run_testcases_takes_the_drafts_form_and_answers_in_the_drafts_shape(evaluation, lab):
    lab.nodes["edge"].outputs["show ip route 2.2.2.0 255.255.255.252"] = "S 2.2.2.0/30 [1/0] via 192.168.1.2"
    named = {
        "name": "Verify primary static route on edge",
        "device": "edge",
        "commands": ["show ip route 2.2.2.0 255.255.255.252"],
        "expected_output": "S 2.2.2.0/30 [1/0] via 192.168.1.2",
    }
    unnamed = {"device": "edge", "commands": ["show clock"], "expected_output": "^12:00$"}
    assert evaluation.call("run-testcases", {"testcases": [named, unnamed]}) == {
        "results": [
            {"name": "Verify primary static route on edge", "status": "pass"},
            {"name": "edge: show clock", "status": "fail"},
        ]
    }


def test_run_testcases_takes_the_form_of_task_files_as_well(evaluation):
    ping = {"name": "web answers", "kind": "reachability", "from": "branch", "to": "web"}
    assert evaluation.call("run-testcases", {"testcases": [ping]}) == {
        "results": [{"name": "web answers", "status": "pass"}]
    }


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("get-topology", {}, -32601, r"unknown method 'get-topology' \(known: 'export-final-cfg', 'run-testcases'\)"),
        ("export-final-cfg", {"x": 1}, -32602, "export-final-cfg takes no parameters"),
        ("run-testcases", {}, -32602, "params must be an object with a list 'testcases'"),
        ("run-testcases", None, -32602, "params must be an object with a list 'testcases'"),
        ("run-testcases", {"testcases": [{"name": "x", "kind": "magic"}]}, -32602, "testcase 1: Input tag 'magic'"),
        (
            "run-testcases",
            {"testcases": [{"device": "a", "commands": 3, "expected_output": ""}]},
            -32602,
            "testcase 1: show.commands: ",
        ),
        (
            "run-testcases",
            {"testcases": [{"device": "a", "commands": [], "expected_output": ""}]},
            -32602,
            "testcase 1: show.commands: ",
        ),
        ("run-testcases", {"testcases": [7]}, -32602, "testcase 1: "),
    ],
)
def test_a_wrong_request_is_refused_and_says_what_is_wrong(evaluation, method, params, code, message):
    with pytest.raises(AniError, match=message) as caught:
        evaluation.call(method, params)
    assert caught.value.code == code


def test_it_is_served_on_a_socket_of_its_own_that_knows_nothing_of_the_ani(evaluation, lab):
    with serve(evaluation) as server, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(server.path))
        stream = client.makefile("rwb")
        for request in ({"method": "export-final-cfg"}, {"method": "get-topology"}):
            stream.write(json.dumps(request).encode() + b"\n")
        stream.flush()
        assert json.loads(stream.readline()) == {"configs": evaluation.final_configs()}
        assert json.loads(stream.readline())["error"]["code"] == -32601
        lab.nodes["edge"].alive = False
        stream.write(b'{"jsonrpc": "2.0", "method": "export-final-cfg", "id": 1}\n')
        stream.flush()
        assert json.loads(stream.readline())["error"] == {"code": -32603, "message": "edge is gone"}
        stream.close()
