"""A real wire between real namespaces: what it does to packets, measured."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.cable import Cable, Namespace, cable, namespaces_work

pytestmark = pytest.mark.skipif(
    not namespaces_work(),
    reason="unprivileged user namespaces are forbidden here; `netbench doctor` says how to allow them",
)

COUNT = """
import json, socket, sys, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
sock.bind(("0.0.0.0", 9))
sock.settimeout(float(sys.argv[1]))
print("listening", flush=True)
got, first, last = [], None, None
try:
    while True:
        data = sock.recv(65536)
        last = time.monotonic()
        first = first or last
        got.append((int.from_bytes(data[:4], "big"), len(data)))
except TimeoutError:
    pass
numbers, sizes = [n for n, _ in got], [size for _, size in got]
print(json.dumps({"numbers": numbers, "bytes": sum(sizes), "seconds": (last or 0) - (first or 0)}))
"""

BLAST = """
import json, socket, sys, time
count, size, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
start = time.monotonic()
for number in range(count):
    wait = start + number * size * 8 / rate - time.monotonic()
    if wait > 0:
        time.sleep(wait)
    sock.sendto(number.to_bytes(4, "big") + bytes(size - 4), ("10.0.0.2", 9))
print(json.dumps(count))
"""

HEAR = """
import json, socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("0.0.0.0", 9))
member = socket.inet_aton("224.0.0.5") + socket.inet_aton("10.0.0.2")
sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
sock.settimeout(1.5)
print("listening", flush=True)
heard = []
try:
    while True:
        heard.append(sock.recv(100).decode())
except TimeoutError:
    print(json.dumps(heard))
"""

SAY = """
import json, socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.0.0.1"))
for _ in range(3):
    sock.sendto(b"to a group", ("224.0.0.5", 9))
    sock.sendto(b"to all", ("10.0.0.255", 9))
print(json.dumps(None))
"""


@pytest.fixture(scope="module")
def program() -> Path:
    path = build.wire()
    if path is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    return path


def blast(line: Cable, *, count: int, size: int, rate: float, silence_s: float = 0.5) -> dict:
    """UDP from left to right; what arrived."""
    counter = line.right.popen("python3", "-c", COUNT, str(silence_s + 1))
    assert counter.stdout is not None
    assert counter.stdout.readline() == "listening\n"
    line.left.python(BLAST, str(count), str(size), str(rate))
    out, _ = counter.communicate(timeout=30)
    return json.loads(out)


def round_trips(node: Namespace, *, count: int, address: str = "10.0.0.2") -> list[float]:
    out = node.run("ping", "-n", "-i", "0.02", "-c", str(count), "-W", "2", address, check=False)
    return [float(ms) for ms in re.findall(r"time=([\d.]+) ms", out)]


def until(condition: Callable[[], bool], *, within_s: float = 3) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_a_plain_wire_forwards_both_ways_and_adds_little_delay(program):
    with cable(program) as line:
        assert sorted(round_trips(line.left, count=20))[10] < 5
        assert len(round_trips(line.right, count=5, address="10.0.0.1")) == 5


def test_the_delay_is_added_each_way(program):
    with cable(program, "--delay-us", "20000") as line:
        times: list[float] = []
        # none is early; beside others that take the processor, some or all of one series are late
        while len(times) < 200 and min(times, default=1000) > 43:
            times += round_trips(line.left, count=20)
        assert 40 <= min(times) <= 43


def test_jitter_spreads_the_delay_around_its_mean_and_keeps_the_order(program):
    with cable(program, "--delay-us", "20000", "--jitter-us", "10000") as line:
        times = sorted(round_trips(line.left, count=60))
        # a busy machine delays some further, so only the faster half is judged by its spread
        assert times[0] >= 20
        assert times[len(times) // 2] - times[3] > 5
        assert times[len(times) // 2] == pytest.approx(40, abs=12)
        numbers = blast(line, count=500, size=200, rate=2e6)["numbers"]
        assert numbers == list(range(500))


def test_the_share_that_is_lost_is_the_share_that_was_asked_for(program):
    with cable(program, "--loss-ppm", "200000", "--seed", "7") as line:
        arrived = blast(line, count=2000, size=100, rate=4e6)["numbers"]
        assert len(arrived) / 2000 == pytest.approx(0.8, abs=0.04)


def test_the_same_seed_loses_the_same_packets(program):
    def lost(seed: int) -> list[int]:
        with cable(program, "--loss-ppm", "300000", "--seed", str(seed)) as line:
            # the neighbour is known beforehand, so that the frames on the line are the same each time
            for node, other, address in ((line.left, line.right, "10.0.0.2"), (line.right, line.left, "10.0.0.1")):
                mac = json.loads(other.run("ip", "-j", "link", "show", "e0"))[0]["address"]
                node.run("ip", "neigh", "replace", address, "lladdr", mac, "dev", "e0", "nud", "permanent")
            return blast(line, count=200, size=100, rate=2e6)["numbers"]

    assert lost(3) == lost(3) != lost(4)


def test_the_rate_is_kept_within_a_tenth_and_the_queue_drops_at_its_tail(program):
    with cable(program, "--rate-bps", "5000000", "--queue-bytes", "20000") as line:
        arrived = blast(line, count=1500, size=1000, rate=10e6)
        packets = len(arrived["numbers"])
        measured = (packets - 1) * (1000 + 28) * 8 / arrived["seconds"]
        assert measured == pytest.approx(5e6, rel=0.1)
        assert 0.4 < packets / 1500 < 0.65
        assert arrived["numbers"] == sorted(arrived["numbers"])
        assert arrived["numbers"][:15] == list(range(15)), "the queue's head is not dropped"


@contextlib.contextmanager
def held_up(process: subprocess.Popen[str], *, for_s: float, every_s: float) -> Iterator[None]:
    """Stop a process again and again, as a machine that has others to serve."""
    over = threading.Event()

    def stop() -> None:
        while not over.wait(every_s - for_s):
            process.send_signal(signal.SIGSTOP)
            time.sleep(for_s)
            process.send_signal(signal.SIGCONT)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_line_that_is_held_up_is_no_slower(program):
    with cable(program, "--rate-bps", "2000000", "--queue-bytes", "10000") as line:
        with held_up(line.wire, for_s=0.06, every_s=0.15):
            arrived = blast(line, count=500, size=1000, rate=4e6)
        packets = len(arrived["numbers"])
        assert (packets - 1) * (1000 + 28) * 8 / arrived["seconds"] == pytest.approx(2e6, rel=0.08)
        assert arrived["numbers"] == sorted(arrived["numbers"])


def test_a_full_queue_delays_by_its_length_over_the_rate(program):
    with cable(program, "--rate-bps", "1000000", "--queue-bytes", "25000") as line:
        flood = line.left.popen("python3", "-c", BLAST, "400", "1000", "4e6")
        measured: list[float] = []
        while flood.poll() is None:
            measured += round_trips(line.right, count=10, address="10.0.0.1")
        flood.communicate(timeout=30)
        # the replies queue behind up to 25 kB at 1 Mbit/s
        assert 100 < max(measured, default=0) < 230


def test_tcp_with_segmentation_offload_survives(program):
    with cable(program) as line:
        server = line.right.popen("iperf3", "-s", "-1", "--forceflush")
        assert until(lambda: ":5201" in line.right.run("ss", "-ltn"))
        report = json.loads(line.left.run("iperf3", "-c", "10.0.0.2", "-t", "1", "-J"))
        server.communicate(timeout=10)
        assert report["end"]["sum_received"]["bits_per_second"] > 500e6


def test_a_delayed_wire_still_carries_hundreds_of_megabits(program):
    with cable(program, "--delay-us", "1000") as line:
        for node in (line.left, line.right):
            node.run("ip", "link", "set", "e0", "gso_max_segs", "65535")
        server = line.right.popen("iperf3", "-s", "-1", "--forceflush")
        assert until(lambda: ":5201" in line.right.run("ss", "-ltn"))
        report = json.loads(line.left.run("iperf3", "-c", "10.0.0.2", "-t", "1", "-J"))
        server.communicate(timeout=10)
        assert report["end"]["sum_received"]["bits_per_second"] > 200e6


def test_one_end_going_down_takes_the_carrier_from_the_other_and_gives_it_back(program):
    with cable(program) as line:
        assert until(lambda: line.left.has_carrier("e0") and line.right.has_carrier("e0"))
        line.left.run("ip", "link", "set", "e0", "down")
        assert until(lambda: not line.right.has_carrier("e0"))
        line.right.run("ip", "link", "set", "e0", "down")
        line.left.run("ip", "link", "set", "e0", "up")
        assert until(lambda: not line.left.has_carrier("e0"))
        line.right.run("ip", "link", "set", "e0", "up")
        assert until(lambda: line.left.has_carrier("e0") and line.right.has_carrier("e0"))
        assert round_trips(line.left, count=3)


def test_frames_larger_than_the_mtu_allow_are_not_lost_with_a_large_mtu(program):
    with cable(program) as line:
        for namespace, interface in ((line.middle, "wa"), (line.middle, "wb"), (line.left, "e0"), (line.right, "e0")):
            namespace.run("ip", "link", "set", interface, "mtu", "9000")
        out = line.left.run("ping", "-n", "-c", "3", "-i", "0.02", "-s", "8900", "-M", "do", "10.0.0.2", check=False)
        assert "3 received" in out


def test_the_wire_ends_when_its_stdin_ends(program):
    with cable(program) as line:
        assert line.wire.stdin is not None
        line.wire.stdin.close()
        assert line.wire.wait(2) == 0


def test_the_wire_ends_at_sigterm(program):
    with cable(program) as line:
        line.wire.send_signal(signal.SIGTERM)
        assert line.wire.wait(2) == -signal.SIGTERM


def test_an_unknown_interface_is_named(program):
    done = subprocess.run(
        [program, "nowhere0", "nowhere1"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 1
    assert "nowhere0" in done.stderr


@pytest.mark.parametrize("value", ["-1", "ten", "", "1000001"])
def test_a_number_out_of_range_is_refused_with_the_range(program, value):
    done = subprocess.run([program, "a", "b", "--loss-ppm", value], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--loss-ppm must be a whole number from 0 to 1000000" in done.stderr


CHECKED = """
import json
lines = [line.split() for line in open("/proc/net/snmp")]
names = {line[0]: [] for line in lines}
for line in lines:
    names[line[0]].append(line[1:])
print(json.dumps({key: dict(zip(*value)) for key, value in names.items()}))
"""
FLOWS = """
import json, select, socket
ports, socks = range(9000, 9064), {}
for port in ports:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("0.0.0.0", port))
    socks[sock] = port
print("listening", flush=True)
got = {port: 0 for port in ports}
while ready := select.select(list(socks), [], [], 0.7)[0]:
    for sock in ready:
        sock.recv(65536)
        got[socks[sock]] += 1
print(json.dumps(list(got.values())))
"""
SEND_FLOWS = """
import json, socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("10.0.0.1", 7000))
for _ in range(4):
    for port in range(9000, 9064):
        sock.sendto(b"x", ("10.0.0.2", port))
print(json.dumps(None))
"""


def test_corrupt_packets_arrive_and_checksums_fail_at_the_receiver(program: Path):
    with cable(program, "--corrupt-ppm", "1000000") as line:
        result = blast(line, count=100, size=500, rate=1e9)
        assert result["numbers"] == []
        counted = line.right.python(CHECKED)
        # each has one wrong bit: in the IP header, or in what the checksum of UDP covers
        assert int(counted["Ip:"]["InHdrErrors"]) + int(counted["Udp:"]["InCsumErrors"]) == 100
        assert int(counted["Udp:"]["InCsumErrors"]) > 50


def test_some_packets_are_corrupt_and_the_others_are_as_they_were_sent(program: Path):
    with cable(program, "--corrupt-ppm", "250000") as line:
        # ARP may be corrupt, too
        assert until(lambda: bool(round_trips(line.left, count=5)), within_s=20)
        result = blast(line, count=400, size=500, rate=1e9)
        assert 200 < len(result["numbers"]) < 380
        assert round_trips(line.left, count=30)


@pytest.mark.parametrize(("way", "arrives"), [("0", False), ("1", False), ("2", True)])
def test_a_defect_can_be_in_one_direction_only(program: Path, way: str, arrives: bool):
    with cable(program, "--most-bytes", "600", "--way", way) as line:
        result = blast(line, count=20, size=700, rate=1e9)
        assert len(result["numbers"]) == (20 if arrives else 0)


def test_a_part_of_the_frames_is_dropped(program: Path):
    with cable(program, "--drop-ppm", "250000", "--way", "1") as line:
        # ARP may be lost, too
        assert until(lambda: bool(round_trips(line.left, count=5)), within_s=20)
        result = blast(line, count=400, size=500, rate=1e9)
        assert 240 < len(result["numbers"]) < 360


def test_a_flow_is_lost_wholly_or_not_at_all(program: Path):
    with cable(program, "--flow-loss-ppm", "250000") as line:
        receiver = line.right.popen("python3", "-c", FLOWS)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "listening\n"
        line.left.python(SEND_FLOWS)
        got = json.loads(receiver.communicate(timeout=30)[0])
        assert set(got) == {0, 4}
        assert 4 < got.count(0) < 32
        # nothing but TCP and UDP has flows
        assert len(round_trips(line.left, count=20)) == 20


def test_only_packets_that_are_too_long_are_lost(program: Path):
    with cable(program, "--most-bytes", "600") as line:
        for size, answers in ((600, 5), (601, 0)):
            out = line.left.run(
                "ping", "-n", "-c", "5", "-i", "0.02", "-W", "1", "-s", str(size - 28), "10.0.0.2", check=False
            )
            assert f" {answers} received" in out, size


def test_above_a_policed_rate_packets_are_lost_and_none_waits(program: Path):
    with cable(program, "--police-bps", "1000000", "--way", "1") as line:
        assert round_trips(line.left, count=1)
        below = blast(line, count=100, size=500, rate=0.8e6)
        assert len(below["numbers"]) == 100
        above = blast(line, count=300, size=500, rate=3e6)
        # what the bucket holds comes on top of a third
        assert 90 < len(above["numbers"]) < 160
        assert max(above["numbers"]) > 290
        burst = blast(line, count=16, size=1000, rate=1e9)
        assert 6 <= len(burst["numbers"]) <= 9
        assert above["seconds"] < 1.2


@pytest.mark.parametrize(("port", "arrives"), [("9", False), ("10", True)])
def test_one_port_is_lost_and_nothing_else(program: Path, port: str, arrives: bool):
    with cable(program, "--lost-port", port) as line:
        assert len(round_trips(line.left, count=3)) == 3
        assert len(blast(line, count=20, size=100, rate=1e9)["numbers"]) == (20 if arrives else 0)


def test_multicast_is_lost_and_broadcast_is_not(program: Path):
    with cable(program, "--lost-groups", "1") as line:
        # ARP is a broadcast
        assert len(round_trips(line.left, count=3)) == 3
        receiver = line.right.popen("python3", "-c", HEAR)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "listening\n"
        line.left.python(SAY)
        assert json.loads(receiver.communicate(timeout=30)[0]) == ["to all"] * 3
    with cable(program, "--lost-port", "1") as line:
        receiver = line.right.popen("python3", "-c", HEAR)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "listening\n"
        line.left.python(SAY)
        assert sorted(json.loads(receiver.communicate(timeout=30)[0])) == ["to a group"] * 3 + ["to all"] * 3
