"""A real switch between real interfaces: what it forwards, tags, learns and hands over."""

from __future__ import annotations

import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.cable import Namespace, namespaces_work

pytestmark = pytest.mark.skipif(
    not namespaces_work(),
    reason="unprivileged user namespaces are forbidden here; `netbench doctor` says how to allow them",
)
PATIENCE_S = 20  # for what happens at once on an idle machine
HOSTS = {"h0": "02:00:00:00:00:01", "h1": "02:00:00:00:00:02", "h2": "02:00:00:00:00:03"}


@pytest.fixture(scope="module")
def program() -> Path:
    path = build.switch()
    if path is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    return path


class Bench:
    """A switch with three hosts 10.0.0.1 to 10.0.0.3 at its ports 0 to 2, and whoever controls it."""

    def __init__(self, program: Path) -> None:
        self.middle = Namespace("unshare", "-Urn")
        self.hosts = [Namespace(*self.middle.enter, "unshare", "-n") for _ in HOSTS]
        for number, (host, mac) in enumerate(zip(self.hosts, HOSTS.values(), strict=True)):
            peer = ("peer", "name", "e0", "index", "1000", "address", mac, "netns", str(host.pid))
            self.middle.run("ip", "link", "add", f"p{number}", "type", "veth", *peer)
            self.middle.run("ip", "link", "set", f"p{number}", "up", "addrgenmode", "none")
            host.run("ip", "addr", "add", f"10.0.0.{number + 1}/24", "dev", "e0")
            host.run("ip", "link", "set", "e0", "addrgenmode", "none", "up")
            # one question for an address, with all the time that a busy machine takes for the answer, and no later ones
            once = {"mcast_solicit": 1, "retrans_time_ms": 1000 * PATIENCE_S, "delay_first_probe_time": PATIENCE_S}
            for key, value in once.items():
                host.run("sh", "-c", f"echo {value} >/proc/sys/net/ipv4/neigh/e0/{key}")
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(PATIENCE_S)
        with theirs:
            self.process = subprocess.Popen([*self.middle.enter, str(program)], stdin=theirs)

    def order(self, *lines: str) -> None:
        self.control.send("\n".join(lines).encode())

    def ask(self, line: str) -> list[str]:
        self.order(line)
        lines: list[str] = []
        while not lines or not (lines[-1] == "end" or lines[-1].startswith("error ")):
            message = self.control.recv(1 << 18)
            lines += message.decode().splitlines() if message[0] else []
        return lines

    def open(self, *, domain: int = 10, state: int = 2) -> None:
        for port in range(3):
            self.order(f"open {port} p{port}", f"join {port} {domain} 0", f"state {port} {domain} {state}")
        self.settle()

    def settle(self) -> None:
        """Wait until all orders are obeyed, and every interface sends what it is given.

        The program and the kernel's work on carriers are late on a busy machine. Frames before that are lost.
        """
        self.ask("list")
        for number, host in enumerate(self.hosts):
            assert until(lambda host=host: host.is_up("e0"))
            assert until(lambda number=number: self.middle.is_up(f"p{number}"))

    def addresses(self) -> set[tuple[str, ...]]:
        return {tuple(line.split()[:4]) for line in self.ask("list")[:-1]}

    def reaches(self, source: int, target: int) -> bool:
        """Whether one ping, sent after all orders so far, is answered."""
        return self._ping(source, target, within_s=PATIENCE_S)

    def is_cut_off(self, source: int, target: int) -> bool:
        """Whether one ping is not answered for a while. For what is right this never depends on time."""
        return not self._ping(source, target, within_s=0.3)

    def _ping(self, source: int, target: int, *, within_s: float) -> bool:
        self.ask("list")
        self.hosts[source].run("ip", "neigh", "flush", "all")  # else it waits a second before it asks again
        ping = ("ping", "-n", "-c", "1", "-W", str(within_s), f"10.0.0.{target + 1}")
        return " 1 received" in self.hosts[source].run(*ping, check=False)

    def close(self) -> None:
        self.control.close()
        self.process.wait(PATIENCE_S)
        for namespace in (*self.hosts, self.middle):
            namespace.close()


@pytest.fixture
def bench(program) -> Iterator[Bench]:
    made = Bench(program)
    yield made
    made.close()


def until(condition: Callable[[], bool], *, within_s: float = PATIENCE_S) -> bool:
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_ports_of_one_domain_reach_each_other_and_are_learned(bench):
    bench.open()
    assert bench.reaches(0, 1)
    known = bench.addresses()
    assert {("0", "10", HOSTS["h0"], "dynamic"), ("1", "10", HOSTS["h1"], "dynamic")} <= known


def test_a_port_blocks_until_it_is_told_otherwise_and_learns_before_it_forwards(bench):
    bench.open(state=0)
    assert bench.is_cut_off(0, 1)
    assert bench.addresses() == set()
    bench.order("state 0 10 1")
    assert bench.is_cut_off(0, 1)
    assert until(lambda: bench.addresses() == {("0", "10", HOSTS["h0"], "dynamic")})
    bench.order("state 0 10 2", "state 1 10 2")
    assert bench.reaches(0, 1)


def test_isolated_ports_reach_all_but_each_other(bench):
    bench.open()
    bench.order("isolate 0 1", "isolate 1 1")
    assert bench.is_cut_off(0, 1)
    assert bench.reaches(0, 2)
    assert bench.reaches(1, 2)
    bench.order("isolate 1 0")
    assert bench.reaches(0, 1)


def test_domains_are_apart(bench):
    bench.open()
    bench.order("leave 2 10", "join 2 20 0", "state 2 20 2")
    assert bench.reaches(0, 1)
    assert bench.is_cut_off(0, 2)


def test_an_address_that_is_fixed_elsewhere_does_not_speak(bench):
    bench.open()
    bench.order(f"static 2 10 {HOSTS['h0']}")
    assert bench.is_cut_off(0, 1)
    bench.order(f"forget 10 {HOSTS['h0']}")
    assert bench.reaches(0, 1)


def test_addresses_age_and_are_flushed(bench):
    bench.open()
    assert bench.reaches(0, 1)
    bench.order("flush 0 10")
    assert not any(line[0] == "0" for line in bench.addresses())
    bench.order("age 10 0")
    assert bench.addresses() == set()


def test_link_local_frames_are_handed_over_where_they_are_watched(bench):
    bench.open(state=0)
    bench.order("watch 10 1")
    frame = bytes.fromhex("0180c2000000" + HOSTS["h0"].replace(":", "") + "0003424203").ljust(60, b"\0")
    code = (
        f"import socket; s = socket.socket(17, 3); s.bind(('e0', 0)); s.send(bytes.fromhex('{frame.hex()}')); print(1)"
    )
    bench.ask("list")
    bench.hosts[0].python(code)
    message = bench.control.recv(1 << 16)
    zero, why, port, domain, tci = struct.unpack_from("=BBHHH", message)
    assert (zero, why, port, domain, tci) == (0, 1, 0, 10, 0)
    assert message[18:] == frame


def test_frames_of_the_controller_leave_with_the_tag_of_the_port(bench):
    bench.open()
    bench.order("join 1 10 30")
    sniffer = bench.hosts[1].popen(
        "python3",
        "-c",
        "import socket\ns = socket.socket(17, 3, 768)\ns.bind(('e0', 3))\ns.setsockopt(263, 8, 1)\nprint('on',"
        " flush=True)\nwhile True:\n d, a, _, f = s.recvmsg(2048, 64)\n if d[:6] == b'\\xff' * 6:"
        " print(int.from_bytes(a[0][2][16:18], 'little')); break",
    )
    assert sniffer.stdout is not None
    assert sniffer.stdout.readline() == "on\n"
    head = struct.pack("=BBHHH10s", 0, 0, 1, 10, 0, bytes(10))
    bench.control.send(head + b"\xff" * 6 + b"\x02" * 6 + b"\x88\xb5" + bytes(50))
    assert sniffer.communicate(timeout=PATIENCE_S)[0] == "30\n"


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("open 1 nothing", "No such device"),
        ("close 7", "the port is not open"),
        ("open 9999 p0", "no such port"),
        ("join 0 0 0", "no such domain"),
        ("join 0 10 9999", "out of range"),
        ("join 0 10", "incomplete"),
        ("dance 0 10 1", "not understood"),
        ("flush", "incomplete"),
    ],
)
def test_an_order_that_makes_no_sense_is_answered(bench, order, why):
    bench.order("open 0 p0")
    [answer] = bench.ask(order)
    assert answer.startswith(f"error {order}")
    assert why in answer


def test_it_ends_with_whoever_controls_it(bench):
    bench.open()
    bench.control.close()
    assert bench.process.wait(PATIENCE_S) == 0


def test_an_interface_that_goes_away_does_not_end_it(bench):
    bench.open()
    bench.middle.run("ip", "link", "del", "p2")
    assert until(lambda: bench.reaches(0, 1))
    bench.order("close 2")
    assert bench.reaches(0, 1)
