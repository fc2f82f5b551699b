"""The program of pods as one file: all parts, and nothing that starts slowly."""

from __future__ import annotations

import ast
import os
import socket
import subprocess
import sys
import time

from pytest_netbench.lab.kubernetes import pod_program

FAST = {"_socket", "_thread", "posix", "select", "struct", "time", "_json", "collections.abc", "__future__"}


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for one in ast.walk(tree):
        if isinstance(one, ast.Import):
            found |= {name.name for name in one.names}
        elif isinstance(one, ast.ImportFrom):
            found.add(str(one.module))
    return found


def test_it_has_all_of_each_part_and_imports_only_what_starts_fast() -> None:
    whole = ast.parse(pod_program.text())
    named = [one.name for one in whole.body if isinstance(one, ast.ClassDef | ast.FunctionDef)]
    assert len(named) == len(set(named))
    assert {"Http", "Grpc", "Redis", "Dns", "Server", "Record", "caller", "main"} <= set(named)
    assert imported(whole) == FAST
    assert pod_program.path().read_text() == pod_program.text()


def test_it_serves_without_this_package() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    env = {"PATH": os.environ["PATH"], "NETBENCH_SERVE": f"http:{port}", "HOSTNAME": "web-1"}
    with subprocess.Popen([sys.executable, "-I", "-S", "-u", str(pod_program.path())], env=env) as process:
        try:
            answer = _asked(port)
        finally:
            process.kill()
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"web-1: ok\n")


def _asked(port: int) -> bytes:
    deadline = time.monotonic() + 20
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
                return client.recv(4096)
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
