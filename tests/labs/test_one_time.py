"""All of a lab tells one time, also after hours that were run forward, and what ages does so in it."""

from __future__ import annotations

import re
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.families.diagnose.telemetry import Telemetry
from pytest_netbench.lab import request
from pytest_netbench.platforms.capabilities import CAPTURES, CLOCK, LOGS
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.ios import await_that, show, type_lines
from tests.support.netns_networks import network

R1 = """
hostname R1
ip dhcp excluded-address 10.2.0.1 10.2.0.9
ip dhcp pool LAN
 network 10.2.0.0 255.255.255.0
 default-router 10.2.0.1
 lease 0 1
logging host 10.1.0.2
interface Gi0/0
 ip address 10.0.12.1 255.255.255.252
 no shutdown
interface Gi0/1
 ip address 10.1.0.1 255.255.255.0
 no shutdown
interface Gi0/2
 ip address 10.2.0.1 255.255.255.0
 no shutdown
router ospf 1
 network 10.0.12.0 0.0.0.3 area 0
"""
CPE = """
interface Gi0/0
 ip address dhcp
 no shutdown
"""
F1 = """
interface eth0
 ip address 10.0.12.2/30
 ip ospf area 0
exit
router ospf
exit
"""
H1 = "ip address add 10.1.0.2/24 dev eth0\nip route add default via 10.1.0.1\n"
HOURS_S = 6 * 3600.0
ANYTHING = struct.pack("=HBBI", 6, 0, 0, 0xFFFF)


def seconds(text: str, form: str) -> float:
    return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()


class Watch:
    """Whether what is told at a moment is the lab's date of that moment, within a second."""

    def __init__(self, lab: Any) -> None:
        self._clock = lab.nodes["R1"].capability(CLOCK)
        self.told: dict[str, float] = {}

    def date(self) -> float:
        return self._clock.at(time.time())

    @contextmanager
    def asking(self, what: str) -> Iterator[None]:
        """Around the question; the answer is put into ``told`` as a date."""
        before = self.date()
        yield
        assert before - 1 <= self.told[what] <= self.date() + 1, (what, self.told[what] - before)


@pytest.fixture(scope="module")
def task() -> Any:
    nodes = {"R1": "cisco_ios", "CPE": "cisco_ios", "F1": "frr", "h1": "linux"}
    cables = ["R1 Gi0/0 - F1 eth0", "R1 Gi0/1 - h1 eth0", "R1 Gi0/2 - CPE Gi0/0"]
    return network(nodes, cables, {"R1": R1, "CPE": CPE, "F1": F1, "h1": H1})


@pytest.fixture
def lab(task: Any, deploy_task: Any) -> Iterator[Any]:
    lab = deploy_task(task)
    yield lab
    lab.destroy()


def clock_of(lab: Any) -> Any:
    return lab.nodes["R1"].capability(CLOCK)


def shell(lab: Any, command: str, *, writable: bool = False) -> str:
    done = lab.nodes["h1"].shell(command, writable=writable)
    return str(done.stdout)


def uptime_s(lab: Any, node: str) -> float:
    text = show(lab.nodes[node], "show version")
    parts = re.search(r"uptime is (.*)", text)[1]  # type: ignore[index]
    units = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60}
    return sum(int(count) * units[unit] for count, unit in re.findall(r"(\d+) (\w+?)s?\b", parts) if unit in units)


def ospf_up_s(lab: Any) -> float:
    """For how long the neighbor of F1 has been up, by ospfd."""
    text = lab.nodes["F1"].vty([("ospfd", "show ip ospf neighbor json")])[0][0]
    return int(re.search(r'"upTimeInMsec":(\d+)', text)[1]) / 1000  # type: ignore[index]


def ages(lab: Any, telemetry: Telemetry) -> dict[str, float]:
    """How long something has lasted, by all that tells it."""
    return {
        "date": Watch(lab).date(),
        "telemetry": telemetry.moment[1],
        "ospfd": ospf_up_s(lab),
        **{node: uptime_s(lab, node) for node in ("R1", "CPE")},
    }


def newest(text: str) -> float:
    """The stamp of the last line of a log of FRR."""
    return seconds(re.findall(r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)", text, re.MULTILINE)[-1], "%Y/%m/%d %H:%M:%S")


def look(lab: Any) -> None:
    """Ask all that tell the time."""
    watch, first = Watch(lab), lab.nodes["R1"]
    year = datetime.fromtimestamp(watch.date(), UTC).year
    with watch.asking("show clock"):
        words = show(first, "show clock").strip().lstrip("*")
        watch.told["show clock"] = seconds(words, "%H:%M:%S.%f UTC %a %b %d %Y")
    for writable in (False, True):
        with watch.asking("date"):
            watch.told["date"] = float(shell(lab, "date +%s.%N", writable=writable))
    with watch.asking("a log of IOS"):
        type_lines(first, "hostname R1")
        words = re.findall(r"^\*?(\w+ +\d+ [\d:.]+): %SYS-5-CONFIG_I", show(first, "show logging"), re.MULTILINE)[-1]
        watch.told["a log of IOS"] = seconds(f"{year} {words}", "%Y %b %d %H:%M:%S.%f")
    with watch.asking("a log of FRR"):
        words = ("enable", "configure terminal", "log commands", "no log commands", "end")
        lab.nodes["F1"].vty([("ospfd", one) for one in words])
        watch.told["a log of FRR"] = newest(lab.nodes["F1"].capability(LOGS).log("ospfd"))
    with watch.asking("a capture"):
        watch.told["a capture"] = struct.unpack_from("=I", captured(lab), 24)[0]


def captured(lab: Any) -> bytes:
    """A capture of a ping that h1 sends meanwhile."""
    pinging = threading.Thread(target=lab.nodes["h1"].run, args=[["ping", "-c", "3", "-i", "0.2", "10.1.0.1"]])
    pinging.start()
    try:
        found = lab.nodes["h1"].capability(CAPTURES).capture("eth0", program=ANYTHING, packets=1, duration_s=5.0)
    finally:
        pinging.join()
    return bytes(found)


def test_six_hours_later_all_clocks_stamps_and_ages_agree(lab: Any, task: Any) -> None:
    clock, telemetry = clock_of(lab), Telemetry(lab, (), nodes=())
    clock.change(1.0)  # else what is asked in turn is not asked at one time
    began = Watch(lab).date()
    assert request.first(task) <= began < request.first(task) + 600
    look(lab)
    before = ages(lab, telemetry)
    clock.forward(HOURS_S)
    after = ages(lab, telemetry)
    passed = {what: age - before[what] for what, age in after.items()}
    assert HOURS_S <= passed["date"] < HOURS_S + 60
    assert passed["telemetry"] == pytest.approx(passed["date"], abs=1)
    assert passed["ospfd"] == pytest.approx(passed["date"], abs=1)
    for node in ("R1", "CPE"):
        assert passed[node] == pytest.approx(passed["date"], abs=60)  # ``show version`` counts minutes
    look(lab)


@pytest.fixture(scope="module")
def small() -> Any:
    configs = {"F1": "interface eth0\n ip address 10.1.0.1/24\nexit\n", "h1": H1}
    return network({"F1": "frr", "h1": "linux"}, ["F1 eth0 - h1 eth0"], configs)


def test_a_task_begins_on_one_date_however_its_time_passes(small: Any, deploy_task: Any) -> None:
    for options in ({}, {"time_scale": 1.0}, {"time_scale": 50.0}, {"clock": "calls"}, {"clock": "events"}):
        lab = deploy_task(small, **options)
        try:
            date = float(shell(lab, "date +%s.%N"))
        finally:
            lab.destroy()
        assert request.first(small) <= date < request.first(small) + 600
    assert abs(request.first(small) - time.time()) > 3600


@pytest.fixture(scope="module")
def shells(small: Any, deploy_task: Any) -> Any:
    lab = deploy_task(small, time_scale=20.0)
    yield lambda command, *, writable: shell(lab, command, writable=writable).split()
    lab.destroy()


@pytest.mark.parametrize("writable", [False, True])
class TestShells:
    def test_a_sleep_is_as_long_as_date_tells_and_passes_fast(self, shells: Any, writable: bool) -> None:
        command = "a=$(date +%s.%N); sleep 60; b=$(date +%s.%N); cat /proc/uptime; echo $a $b"
        began = time.monotonic()
        *_, first, last = map(float, shells(command, writable=writable))
        assert 60 <= last - first < 20 * (time.monotonic() - began)
        assert time.monotonic() - began < 30

    def test_a_limit_counts_in_the_time_of_what_it_limits(self, shells: Any, writable: bool) -> None:
        began = time.monotonic()
        assert shells("timeout 120 sh -c 'sleep 3600'; echo $?", writable=writable) == ["124"]
        assert shells("timeout -k 1 --signal KILL 120 sleep 3600; echo $?", writable=writable) == ["137"]
        assert time.monotonic() - began < 60
        assert shells("timeout 5 ping -q -c 6 -i 0.2 10.1.0.1 > /dev/null; echo $?", writable=writable) == ["0"]
        assert shells("timeout 0.3 tail -f /dev/null; echo $?", writable=writable) == ["124"]
        assert shells("timeout 5 sh -c 'exit 7'; echo $?", writable=writable) == ["7"]

    def test_what_a_program_in_lab_time_starts_is_not_preloaded(self, shells: Any, writable: bool) -> None:
        told = shells("timeout 5 sh -c env; timeout 5 env; env", writable=writable)
        assert not [one for one in told if one.startswith(("LD_PRELOAD", "NETBENCH"))]

    def test_nobody_writes_the_page_which_holds_the_clock_alone(self, shells: Any, writable: bool) -> None:
        page = "/opt/netbench/lib/clock"
        tries = [
            f"echo x > {page}",
            f"chmod 777 {page}",
            f"rm -f {page}",
            f"mv {page} /tmp/clock",
            "mount -o remount,rw /opt/netbench/lib",
            "umount /opt/netbench/lib",
            "mount -t tmpfs none /opt/netbench/lib/timed",
            "touch /opt/netbench/lib/timed/date",
        ]
        for one in tries:
            told = shells(f"({one}) 2> /dev/null && echo done; wc -c < {page}", writable=writable)
            assert told == [str(LabClock.SIZE)], one
        opened = shells("timeout 5 sh -c 'ls -l /proc/self/fd; ls -l /proc/$PPID/fd'", writable=writable)
        assert not [one for one in opened if "slots" in one or "clock" in one]


def lease(lab: Any) -> dict[str, Any]:
    [found] = runner.state(lab.nodes["CPE"], "dhcp_client")["interfaces"].values()
    return dict(found)


def test_a_lease_ends_while_its_server_is_dead(lab: Any) -> None:
    clock = clock_of(lab)
    clock.forward(3000.0)
    assert lease(lab)["left_s"] > 1200, "it was renewed after half of it"
    assert lab.nodes["R1"].run(["sh", "-c", 'kill -9 "$(cat /run/frr/ios-dhcp.pid)"']).returncode == 0
    clock.change(1.0)
    clock.forward(lease(lab)["left_s"] - 60)
    assert re.search(r"^GigabitEthernet0/0 +10\.2\.0\.10 ", brief(lab), re.MULTILINE)
    clock.forward(120.0)
    assert re.search(r"^GigabitEthernet0/0 +unassigned ", brief(lab), re.MULTILINE)
    assert lease(lab)["state"] != "Bound"


def brief(lab: Any) -> str:
    return show(lab.nodes["CPE"], "show ip interface brief")


def test_a_time_range_ends_and_begins_by_the_clock_of_its_router(lab: Any) -> None:
    clock, first = clock_of(lab), lab.nodes["R1"]
    clock.change(1.0)

    def reached() -> bool:
        return lab.nodes["h1"].run(["ping", "-c", "1", "-W", "2", "10.1.0.1"]).returncode == 0

    ends = datetime.fromtimestamp(Watch(lab).date() + 600, UTC)
    begins = ends + timedelta(hours=2)
    acl = (
        "ip access-list extended ENTERS",
        "permit icmp any any time-range NOW",
        "permit icmp any any time-range LATER",
    )
    type_lines(
        first,
        *("time-range NOW", f"absolute end {ends:%H:%M} {ends.day} {ends:%B} {ends.year}"),
        *("time-range LATER", f"absolute start {begins:%H:%M} {begins.day} {begins:%B} {begins.year}"),
        *acl,
        *("interface Gi0/1", "ip access-group ENTERS in"),
    )
    assert reached()
    clock.forward(900.0)
    assert not reached()
    assert re.findall(r"time-range (\w+) \((\w+)\)", show(first, "show access-lists ENTERS")) == [
        ("NOW", "inactive"),
        ("LATER", "inactive"),
    ]
    type_lines(first, "ip access-list extended ENTERS", "permit tcp any any")  # a new ruleset
    assert not reached()
    clock.forward(7200.0)
    assert reached()
    assert "time-range LATER (active)" in show(first, "show access-lists ENTERS")
    type_lines(first, "interface Gi0/1", "no ip access-group ENTERS in")


def test_an_arp_entry_ages_and_is_forgotten_after_four_hours(lab: Any) -> None:
    clock = clock_of(lab)
    clock.change(1.0)

    def age() -> int | None:
        found = re.search(r"^Internet +10\.1\.0\.2 +(\d+) ", show(lab.nodes["R1"], "show ip arp"), re.MULTILINE)
        return None if found is None else int(found[1])

    show(lab.nodes["R1"], "clear arp-cache")
    assert "!!!!" in show(lab.nodes["R1"], "ping 10.1.0.2")
    assert age() in {0, 1}
    # the kernel of h1 asks for R1 in its turn, some seconds after its first packet to it
    asked = ["ip", "neigh", "show", "10.1.0.1", "nud", "reachable"]
    await_that(lambda: lab.nodes["h1"].run(asked).stdout, lambda: "h1 does not ask for R1")
    assert age() in {0, 1}
    clock.forward(1800.0)
    assert age() in {30, 31}
    clock.forward(3 * 3600.0)
    assert age() in {210, 211}
    clock.forward(1800.0)
    assert age() is None
    assert "!!!!" in show(lab.nodes["R1"], "ping 10.1.0.2")
    assert age() in {0, 1}
