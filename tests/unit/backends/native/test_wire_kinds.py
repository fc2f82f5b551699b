"""A real wire that loses packets of a kind, at times, under load, or of flows that it does not know."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.native import build
from tests.support.cable import Cable, Namespace, cable, namespaces_work

pytestmark = pytest.mark.skipif(
    not namespaces_work(), reason="needs user namespaces: sysctl -w user.max_user_namespaces=10000"
)
KINDS = {"forwarded": 1, "udp": 2, "openings": 3, "fragments": 4, "too-big": 5}
LISTEN = """
import socket
server = socket.create_server(("0.0.0.0", 7))
print("listening", flush=True)
connection, _ = server.accept()
while data := connection.recv(100):
    connection.sendall(data)
"""
CONNECT = """
import json, socket
try:
    socket.create_connection(("10.0.0.2", 7), timeout=1.5).close()
    print(json.dumps(True))
except TimeoutError:
    print(json.dumps(False))
"""
SEND = """
import json, socket, sys, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("10.0.0.1", int(sys.argv[1])))
for number in range(int(sys.argv[2])):
    sock.sendto(number.to_bytes(4, "big").ljust(int(sys.argv[3])), ("10.0.0.2", 9))
    time.sleep(float(sys.argv[4]))
print(json.dumps(None))
"""
COUNT = """
import json, socket, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
sock.bind(("0.0.0.0", 9))
sock.settimeout(1.5)
print("listening", flush=True)
numbers = []
try:
    while True:
        numbers.append(int.from_bytes(sock.recv(70000)[:4], "big"))
except TimeoutError:
    print(json.dumps(numbers))
"""


@pytest.fixture(scope="module")
def program() -> Path:
    path = build.wire()
    if path is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    return path


def listening(node: Namespace, program: str) -> subprocess.Popen[str]:
    process = node.popen("python3", "-c", program)
    assert process.stdout is not None
    assert process.stdout.readline() == "listening\n"
    return process


def connects(line: Cable) -> bool:
    process = listening(line.right, LISTEN)
    try:
        return bool(line.left.python(CONNECT))
    finally:
        process.kill()
        process.wait()


def arrived(line: Cable, **packets: Any) -> int:
    return len(numbers(line, **packets))


def numbers(line: Cable, *, port: int = 5000, count: int = 10, size: int = 100, pause_s: float = 0.0) -> list[int]:
    receiver = listening(line.right, COUNT)
    line.left.python(SEND, *map(str, (port, count, size, pause_s)))
    return [int(one) for one in json.loads(receiver.communicate(timeout=30)[0])]


def answered(line: Cable, *options: str) -> int:
    done = line.left.run("ping", "-n", "-q", "-c", "5", "-i", "0.05", "-W", "1", *options, "10.0.0.2", check=False)
    return int(done.split(" received")[0].split()[-1])


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("forwarded", (0, 0, 0, False)),
        ("udp", (5, 5, 0, True)),
        ("openings", (5, 5, 10, False)),
        ("fragments", (5, 0, 10, True)),
        ("too-big", (5, 5, 10, True)),
    ],
)
def test_packets_of_a_kind_are_lost_and_all_others_pass(
    program: Path, kind: str, seen: tuple[int, int, int, bool]
) -> None:
    with cable(program, "--lost-kind", str(KINDS[kind])) as line:
        assert (answered(line), answered(line, "-s", "3000"), arrived(line), connects(line)) == seen


def test_what_says_that_a_packet_is_too_long_is_lost(program: Path) -> None:
    for options, is_told in (([], True), (["--lost-kind", "5"], False)):
        with cable(program, *options) as line:
            line.right.run("sh", "-c", "sysctl -qw net.ipv4.ip_forward=1; ip link add d0 type veth peer name d1")
            line.right.run(
                "sh", "-c", "ip address add 10.9.0.1/24 dev d0; ip link set d0 mtu 600 up; ip link set d1 up"
            )
            line.left.run("ip", "route", "add", "10.9.0.0/24", "via", "10.0.0.2")
            said = line.left.run("ping", "-n", "-c", "2", "-W", "1", "-M", "do", "-s", "1000", "10.9.0.7", check=False)
            assert ("Frag needed" in said) is is_told, said


def test_flows_that_began_before_the_table_was_full_go_on_and_no_other(program: Path) -> None:
    with cable(program, "--known-ms", "1000") as line:
        assert answered(line) == 5
        assert arrived(line, port=5000) == 10
        time.sleep(1.1)
        assert arrived(line, port=5000) == 10
        assert arrived(line, port=5001) == 0
        assert not connects(line)
        assert answered(line) == 5


def test_in_each_period_all_is_lost_for_a_time(program: Path) -> None:
    # no part of the second after which a host asks for an address again, or each question might be lost
    with cable(program, "--dark-ms", "280", "--period-ms", "700") as line:
        found = set(numbers(line, count=300, pause_s=0.01))
        assert 30 < len(found) < 270
        # what is lost is lost in a few runs: at random there would be more than a hundred
        assert sum((number in found) != (number + 1 in found) for number in range(299)) < 40


def test_a_part_is_lost_only_while_more_comes_than_a_rate(program: Path) -> None:
    with cable(program, "--busy-bps", "1000000", "--busy-drop-ppm", "600000") as line:
        assert arrived(line, count=60, size=500, pause_s=0.01) == 60
        assert 180 <= arrived(line, count=500, size=1000, pause_s=0.0) <= 280
