"""JSON-RPC over a Unix socket: the draft's printed requests, JSON-RPC 2.0, bad input, many clients."""

import json
import socket
import stat
import threading

import jsonschema
import pytest

from pytest_netbench.ani.client import JsonRpcAni
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, BudgetExhausted, LabError
from pytest_netbench.lab.jsonrpc import MAX_MESSAGE_BYTES, Server
from pytest_netbench.model.task import Budget
from tests.support.memory_lab import DIALECTS, chain


@pytest.fixture
def lab():
    return chain()


@pytest.fixture
def ani(lab):
    return AgentInterface(lab, policy=Policy(), budget=Budget(calls=20), dialects=DIALECTS)


@pytest.fixture
def server(ani):
    with serve(ani) as server:
        yield server


class Raw:
    """A client that sends what it likes."""

    def __init__(self, server):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(str(server.path))
        self.file = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def ask(self, text):
        self.send(text if isinstance(text, str) else json.dumps(text) + "\n")
        return json.loads(self.file.readline())

    def close(self):
        self.file.close()
        self.socket.close()


@pytest.fixture
def raw(server):
    raw = Raw(server)
    yield raw
    raw.close()


PRINTED = {
    "get-topology": (
        """
          {
            "method": "get-topology",
            "params": {
              "devices": ["branch", "edge"]
            }
          }
        """,
        {"topology": {"nodes": ["branch", "edge"], "links": ["branch e0 <-> edge e0"]}},
    ),
    "get-running-cfg": (
        """
          {
            "method": "get-running-cfg",
            "params": {
              "device": "web"
            }
          }
        """,
        {"running_config": "address e0 10.0.2.10"},
    ),
    "update-cfg": (
        """
          {
            "method": "update-cfg",
            "params": {
              "device": "web",
              "commands": [
                "route 2.2.2.0/30 via 192.168.1.2",
                "configure terminal"
              ]
            }
          }
        """,
        {
            "results": [
                {"command": "route 2.2.2.0/30 via 192.168.1.2", "status": "success"},
                {
                    "command": "configure terminal",
                    "status": "error",
                    "message": "% Unknown command: configure terminal",
                },
            ]
        },
    ),
    "execute-cmd": (
        """
          {
            "method": "execute-cmd",
            "params": {
              "device": "web",
              "command": "show running-config"
            }
          }
        """,
        {"output": "address e0 10.0.2.10"},
    ),
}


@pytest.mark.parametrize("method", PRINTED)
def test_a_request_typed_as_the_draft_prints_it_gets_the_answer_the_draft_prints(raw, method):
    request, answer = PRINTED[method]
    assert raw.ask(request) == answer


def test_several_printed_requests_on_one_connection_are_answered_in_order(raw):
    raw.send("".join(request for request, _ in PRINTED.values()))
    answers = [json.loads(raw.file.readline()) for _ in PRINTED]
    assert answers[:3] == [answer for _, answer in list(PRINTED.values())[:3]]


def test_an_error_in_the_printed_form_is_an_error_object(raw):
    answer = raw.ask({"method": "get-running-cfg", "params": {"device": "wed"}})
    assert answer == {
        "error": {
            "code": -32602,
            "message": "unknown device 'wed' (known: 'branch', 'edge', 'web'). Did you mean 'web'?",
        }
    }


def test_json_rpc_2_gets_an_envelope_with_its_id(raw):
    answer = raw.ask({"jsonrpc": "2.0", "method": "get-running-cfg", "params": {"device": "web"}, "id": "a-1"})
    assert answer == {"jsonrpc": "2.0", "result": {"running_config": "address e0 10.0.2.10"}, "id": "a-1"}


def test_a_notification_is_carried_out_and_not_answered(raw, lab):
    raw.send('{"jsonrpc": "2.0", "method": "update-cfg", "params": {"device": "web", "commands": ["mark 7"]}}\n')
    assert raw.ask({"jsonrpc": "2.0", "method": "get-topology", "id": 1})["id"] == 1
    assert lab.nodes["web"].lines[-1] == "mark 7"


def test_a_batch_is_answered_as_a_batch_without_its_notifications(raw):
    topology = {"jsonrpc": "2.0", "method": "get-topology"}
    answer = raw.ask([topology | {"id": 1}, topology, 7, topology | {"id": 2, "method": "nope"}])
    assert [(one["id"], one.get("error", {}).get("code")) for one in answer] == [(1, None), (None, -32600), (2, -32601)]


def test_a_batch_of_nothing_but_notifications_is_not_answered(raw):
    raw.send('[{"jsonrpc": "2.0", "method": "get-topology"}]\n')
    assert raw.ask({"jsonrpc": "2.0", "method": "get-topology", "id": 9})["id"] == 9


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]\n', -32700, "not JSON"),
        ("hello\n", -32700, "not JSON"),
        ("{\n\n", -32700, "not JSON"),
        ("\xff\xfe\n", -32700, "not JSON"),
        ("[" * 100_000 + "\n\n", -32700, "not JSON"),
        ("[]\n", -32600, "a batch has 1 to 100 requests, not 0"),
        ("7\n", -32600, "a request is an object"),
        ('{"jsonrpc": "1.0", "method": "get-topology", "id": 1}\n', -32600, "jsonrpc must be '2.0', not '1.0'"),
        ('{"jsonrpc": "2.0", "method": 1, "id": 1}\n', -32600, "a request has a method, a string"),
        ('{"jsonrpc": "2.0", "method": "x", "params": 1, "id": 1}\n', -32600, "params must be an object"),
        ('{"jsonrpc": "2.0", "method": "x", "id": {}}\n', -32600, "an id is a string, a finite number or null"),
        ('{"jsonrpc": "2.0", "method": "get-topology", "params": [], "id": 1}\n', -32602, "params must be an object"),
    ],
)
def test_bad_input_gets_the_error_code_of_the_standard_and_the_connection_lives(raw, text, code, message):
    error = raw.ask(text)["error"]
    assert error["code"] == code
    assert message in error["message"]
    assert raw.ask({"jsonrpc": "2.0", "method": "get-topology", "id": 1})["id"] == 1


def test_an_oversized_request_is_refused_and_the_connection_closed(raw, server):
    sender = threading.Thread(target=lambda: raw.send(b"x" * (MAX_MESSAGE_BYTES + 1)))
    sender.start()
    error = json.loads(raw.file.readline())["error"]
    sender.join()
    assert error == {"code": -32600, "message": "the request is larger than 1048576 bytes; connection closed"}
    assert raw.file.readline() == b""
    with JsonRpcAni(server.path) as client:
        assert client.get_topology()


def test_a_client_that_neither_reads_nor_finishes_does_not_delay_others(server):
    slow = Raw(server)
    slow.send('{"method": "get-topology"')
    flood = Raw(server)
    flood.socket.settimeout(0.2)
    request = b'{"jsonrpc":"2.0","method":"nope","id":1}\n' * 1000
    for _ in iter(lambda: sends(flood, request), False):
        pass
    with JsonRpcAni(server.path, timeout_s=5) as client:
        assert client.budget_left()["wall_s"] > 0
    slow.close()
    flood.close()


def sends(raw, data):
    try:
        raw.send(data)
    except TimeoutError:
        return False
    return True


def test_many_clients_are_served_side_by_side(server):
    seen = []

    def work():
        with JsonRpcAni(server.path) as client:
            seen.append(client.get_running_cfg("edge"))

    threads = [threading.Thread(target=work) for _ in range(15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 15


def test_the_socket_lies_in_a_directory_of_its_own_that_only_its_user_may_enter_and_is_gone_after(ani):
    with serve(ani) as server:
        directory = server.path.parent
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert not directory.exists()


def test_close_ends_connections_and_threads(ani):
    before = set(threading.enumerate())
    server = serve(ani)
    raw = Raw(server)
    raw.ask({"method": "get-topology"})
    server.close()
    server.close()
    assert raw.file.readline() == b""
    raw.close()
    assert set(threading.enumerate()) <= before


def test_a_path_that_is_too_long_says_so(ani, tmp_path):
    path = tmp_path / ("x" * 120)
    with pytest.raises(LabError, match=r"cannot serve JSON-RPC on .*: the path has \d+ bytes, at most 107 work"):
        serve(ani, path)


def test_the_client_speaks_all_methods_and_raises_as_the_ani_does(server, ani, lab):
    lab.nodes["web"].outputs["show clock"] = "12:00"
    with JsonRpcAni(server.path) as client:
        assert client.get_topology(["web"]) == {"topology": {"nodes": ["web"], "links": []}}
        assert client.get_running_cfg("web") == {"running_config": "address e0 10.0.2.10"}
        assert client.update_cfg("web", ["mark 1"]) == {"results": [{"command": "mark 1", "status": "success"}]}
        assert client.execute_cmd("web", "show clock") == {"output": "12:00"}
        with pytest.raises(AniError, match="unknown method 'reboot'") as caught:
            client.call("reboot", {})
        assert caught.value.code == -32601
        assert client.budget_left()["calls"] == 15
        for _ in range(15):
            client.get_topology()
        with pytest.raises(BudgetExhausted, match=r"budget exhausted: calls \(allowed 20\)"):
            client.get_topology()


def test_asking_for_the_budget_costs_nothing_and_takes_no_parameters(server, ani):
    with JsonRpcAni(server.path) as client:
        client.budget_left()
        with pytest.raises(AniError, match="budget-left takes no parameters"):
            client.call("budget-left", {"x": 1})
    assert ani.budget_used.calls == 0


def test_a_broken_lab_is_told_without_the_hosts_words(server, ani):
    with (
        JsonRpcAni(server.path) as client,
        pytest.raises(LabError, match="the lab failed; this trial cannot be scored"),
    ):
        client.execute_cmd("web", "die")
    assert ani.lab_error is not None


def test_a_client_without_a_server_says_where_it_looked(tmp_path):
    with pytest.raises(LabError, match=r"no ANI answers at .*/nothing\.sock"):
        JsonRpcAni(tmp_path / "nothing.sock")


def test_a_client_whose_server_went_away_says_at_what(ani):
    server = serve(ani)
    client = JsonRpcAni(server.path)
    server.close()
    with pytest.raises(LabError, match=r"(closed the connection at|did not answer) get-topology"):
        client.get_topology()
    client.close()


def test_what_a_handler_did_not_foresee_is_kept_and_answered_as_internal_error():
    def handler(method, params):
        raise ZeroDivisionError(method)

    with Server(handler) as server:
        raw = Raw(server)
        answer = raw.ask({"method": "x"})
        raw.close()
    assert answer == {"error": {"code": -32603, "message": "internal error: ZeroDivisionError"}}
    assert isinstance(server.failures[0], ZeroDivisionError)


def test_a_program_outside_discovers_the_methods_it_may_call_with_their_schemas(raw):
    document = raw.ask({"jsonrpc": "2.0", "method": "rpc.discover", "id": 1})["result"]
    offered = {method["name"]: method for method in document["methods"]}
    assert list(offered) == ["get-topology", "get-running-cfg", "update-cfg", "execute-cmd", "budget-left"]
    device, *others = offered["get-running-cfg"]["params"]
    assert [(one["name"], one["required"]) for one in others] == [("section", False), ("page", False)]
    assert device == {
        "name": "device",
        "required": True,
        "schema": {"type": "string", "description": "device name as get-topology spells it"},
    }
    assert document["components"]["errors"]["BUDGET_EXHAUSTED"]["code"] == -32001


def test_answers_fit_the_schemas_that_were_discovered(raw):
    document = raw.ask({"jsonrpc": "2.0", "method": "rpc.discover", "id": 1})["result"]
    requests = {
        "get-topology": {},
        "get-running-cfg": {"device": "edge"},
        "update-cfg": {"device": "edge", "commands": ["policy x", "nonsense"]},
        "execute-cmd": {"device": "edge", "command": "show"},
        "budget-left": {},
    }
    for method in document["methods"]:
        answer = raw.ask({"jsonrpc": "2.0", "method": method["name"], "params": requests[method["name"]], "id": 1})
        jsonschema.validate(answer["result"], method["result"]["schema"])


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_an_id_that_json_cannot_say_is_refused(raw, number):
    raw.send('{"jsonrpc": "2.0", "method": "budget-left", "id": ' + number + "}\n")
    line = raw.file.readline()
    assert json.loads(line, parse_constant=pytest.fail)["error"]["code"] == -32600


def test_a_lone_surrogate_as_a_key_is_answered_and_recorded(raw, ani):
    answer = raw.ask('{"jsonrpc": "2.0", "method": "get-topology", "params": {"\\ud800": 1}, "id": 1}\n')
    assert answer["error"]["code"] == -32602
    assert ani.steps[-1].data["params"] == {r"\ud800": 1}
    assert ani.steps[-1].model_dump_json()
