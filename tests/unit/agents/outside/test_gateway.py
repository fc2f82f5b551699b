from __future__ import annotations

import json
import socket
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.agents.external.gateway import Gateway
from pytest_netbench.agents.external.relay import Relay
from pytest_netbench.lab.jsonrpc import Server

CHECKS = b'{"task": 1}\n'


def asked(gateway: Gateway, path: str, content: bytes | None = None) -> tuple[int, Any]:
    request = urllib.request.Request(f"http://127.0.0.1:{gateway.port}{path}", data=content)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def gateway():
    with Gateway(("127.0.0.1", 0), accept=lambda message: CHECKS if message in (CHECKS, b"key") else None) as one:
        yield one


def rpc(method: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}, indent=1).encode()


def test_requests_are_answered_from_the_begin_to_the_end(gateway):
    assert asked(gateway, "/health")[0] == 503
    assert asked(gateway, "/rpc", rpc("x")) == (410, {"error": "the trial is not open"})
    ani = Server(lambda method, _: {"method": method})
    try:
        gateway.begin(ani.path)
        assert asked(gateway, "/health") == (200, {"open": True})
        assert asked(gateway, "/rpc", rpc("get-topology"))[1]["result"] == {"method": "get-topology"}
        assert asked(gateway, "/rpc", b"{")[0] == 400
        gateway.end()
        assert asked(gateway, "/rpc", rpc("x"))[0] == 410
        gateway.begin(ani.path)
    finally:
        ani.close()
    assert asked(gateway, "/rpc", rpc("x"))[0] == 410


def test_only_the_checks_of_the_task_end_the_work(gateway):
    assert asked(gateway, "/checks", b"{}") == (403, {"error": "these are not the checks of this task"})
    assert gateway.wait(0) is None
    got: list[Any] = []
    asker = threading.Thread(target=lambda: got.append(asked(gateway, "/checks", CHECKS)))
    asker.start()
    assert gateway.wait(20) == CHECKS
    assert not got
    gateway.answer(200, {"reward": 1.0})
    asker.join(20)
    assert got == [(200, {"reward": 1.0})]
    assert asked(gateway, "/checks", CHECKS) == (200, {"reward": 1.0})


def test_a_lab_that_broke_is_an_error_to_whoever_sent_the_checks(gateway):
    gateway.answer(500, {"error": "it broke"})
    assert asked(gateway, "/checks", CHECKS) == (500, {"error": "it broke"})


@pytest.mark.parametrize("path", ["/", "/etc/passwd", "/tests/checks.json"])
def test_there_is_nothing_else(gateway, path):
    assert asked(gateway, path)[0] == 404
    assert asked(gateway, path, b"{}")[0] == 404


def test_a_request_that_is_too_long_is_refused(gateway):
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        connection.sendall(b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_relay_carries_both_ways_and_ends(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as echo:
        port = echo.getsockname()[1]

        def answer() -> None:
            connection, _ = echo.accept()
            with connection:
                connection.sendall(connection.recv(100).upper())

        threading.Thread(target=answer, daemon=True).start()
        with Relay("127.0.0.2", port), socket.create_connection(("127.0.0.2", port), timeout=20) as client:
            client.sendall(b"hello")
            assert client.recv(100) == b"HELLO"
            assert client.recv(100) == b""
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=20)
