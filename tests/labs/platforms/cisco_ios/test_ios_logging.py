"""What happens in a network is in the logs of its routers, with lab time."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.ios import await_that, ios_task, show, type_lines

CONFIG = """
interface Gi0/0
 ip address 10.0.12.{own} 255.255.255.0
 no shutdown
router ospf 7
 router-id {own}.{own}.{own}.{own}
 network 10.0.0.0 0.255.255.255 area 0
router eigrp 9
 network 10.0.0.0
router bgp 6500{own}
 neighbor 10.0.12.{other} remote-as 6500{other}
"""
LIMIT = " neighbor 10.0.12.2 maximum-prefix 1\n"


@pytest.fixture
def lab(deploy_task):
    configs = {"R1": CONFIG.format(own=1, other=2) + LIMIT, "R2": CONFIG.format(own=2, other=1)}
    return deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))


def log(lab, node):
    """The messages of a node's log, without stamps."""
    text = show(lab.nodes[node], "show logging").split("bytes):\n\n")[1]
    return [line.partition(": ")[2] for line in text.splitlines()]


def await_message(lab, node, message):
    await_that(lambda: any(message in line for line in log(lab, node)), lambda: f"{message}: {log(lab, node)}")


def test_a_link_that_is_shut_is_reported_at_both_ends_with_its_neighbors(lab):
    type_lines(lab.nodes["R2"], "interface Gi0/0", "shutdown")
    await_message(lab, "R2", "%LINK-5-CHANGED: Interface GigabitEthernet0/0, changed state to administratively down")
    await_message(lab, "R1", "%LINK-3-UPDOWN: Interface GigabitEthernet0/0, changed state to down")
    await_message(lab, "R1", "%BGP-5-ADJCHANGE: neighbor 10.0.12.2 Down Interface flap")
    await_message(lab, "R1", "%DUAL-5-NBRCHANGE: EIGRP-IPv4 9: Neighbor 10.0.12.2 (GigabitEthernet0/0) is down")
    await_message(
        lab,
        "R1",
        (
            "%OSPF-5-ADJCHG: Process 7, Nbr 2.2.2.2 on GigabitEthernet0/0 from FULL to DOWN, Neighbor Down: Interface"
            " down or detached"
        ),
    )
    type_lines(lab.nodes["R2"], "interface Gi0/0", "no shutdown")
    await_message(lab, "R1", "%LINK-3-UPDOWN: Interface GigabitEthernet0/0, changed state to up")
    full = "%OSPF-5-ADJCHG: Process 7, Nbr 2.2.2.2 on GigabitEthernet0/0 from LOADING to FULL, Loading Done"
    full_too = full.replace("LOADING", "EXCHANGE").replace("Loading", "Exchange")
    await_that(lambda: sum(line in {full, full_too} for line in log(lab, "R1")) == 2, lambda: log(lab, "R1"))
    lines = [line for line in log(lab, "R1") if "LINEPROTO" in line]
    assert [line.rsplit(" ", 1)[1] for line in lines[-2:]] == ["down", "up"]


DOWN = "%OSPF-5-ADJCHG: Process 7, Nbr 1.1.1.1 on GigabitEthernet0/0 from {} to DOWN, Neighbor Down: {}"


def test_a_neighbor_with_another_mtu_is_given_up_and_ignored_for_a_minute(lab):
    """As in a capture with ``debug ip ospf adj``: "Killing nbr … due to excessive (25) retransmissions"."""
    type_lines(lab.nodes["R2"], "interface Gi0/0", "ip mtu 1400")
    show(lab.nodes["R2"], "clear ip ospf process")
    given_up = DOWN.format("EXSTART", "Too many retransmissions")
    await_that(lambda: "Ignore timer" in log(lab, "R2")[-1], lambda: log(lab, "R2"), within_s=40)
    adjacencies = [line for line in show(lab.nodes["R2"], "show logging").splitlines() if "%OSPF-5-ADJCHG" in line]
    told = [line.partition(": ")[2] for line in adjacencies]
    assert told[-2:] == [given_up, DOWN.format("DOWN", "Ignore timer expired")]
    cleared, ended, again = (stamp(line) for line in adjacencies[-3:])
    assert 130 <= ended - cleared <= 150
    assert again - ended == pytest.approx(60, abs=2)
    type_lines(lab.nodes["R1"], "interface Gi0/0", "ip mtu 1400")
    await_that(lambda: " to FULL, " in log(lab, "R2")[-1], lambda: log(lab, "R2"), within_s=20)


def stamp(line):
    """The seconds of the day in a line of the log: ``*Nov 26 20:13:04.123: %…``."""
    hours, minutes, seconds = re.search(r" (\d+):(\d+):(\d+\.\d+)", line).groups()
    return (int(hours) * 60 + int(minutes)) * 60 + float(seconds)


def test_a_hello_of_the_backbone_in_another_area_is_an_invalid_packet(lab):
    wrong = (
        "%OSPF-4-ERRRCV: Received invalid packet: mismatched area ID, from backbone area must be virtual-link but not"
        " found from 10.0.12.1, GigabitEthernet0/0"
    )
    assert wrong not in log(lab, "R2")
    type_lines(
        lab.nodes["R2"], "router ospf 7", "no network 10.0.0.0 0.255.255.255 area 0", "network 10.0.12.2 0.0.0.0 area 1"
    )
    await_that(lambda: log(lab, "R2").count(wrong) > 1, lambda: log(lab, "R2"))
    assert not any("ERRRCV" in line for line in log(lab, "R1")), "only the side that is not in the backbone says so"


def test_too_many_prefixes_are_reported_and_end_the_session(lab):
    lines = [
        text
        for number in range(4)
        for text in (
            f"interface Loopback{number}",
            f"ip address 99.0.{number}.1 255.255.255.0",
            "router bgp 65002",
            f"network 99.0.{number}.0 mask 255.255.255.0",
        )
    ]
    type_lines(lab.nodes["R2"], *lines)
    await_message(
        lab, "R1", "%BGP-3-MAXPFXEXCEED: Number of prefixes received from 10.0.12.2 (afi 0): 2 exceeds limit 1"
    )
    await_message(lab, "R1", "%BGP-5-ADJCHANGE: neighbor 10.0.12.2 Down BGP Notification sent")
    await_message(lab, "R2", "%LINEPROTO-5-UPDOWN: Line protocol on Interface Loopback3, changed state to up")


def test_stamps_run_in_lab_time_and_a_cleared_log_stays_empty(lab):
    stamps = re.findall(r"^\*\w+ +\d+ (\d+):(\d+):(\d+)\.", show(lab.nodes["R1"], "show logging"), re.MULTILINE)
    seconds = [(int(hours) * 60 + int(minutes)) * 60 + int(second) for hours, minutes, second in stamps]
    assert len(seconds) > 2
    # an OSPF adjacency takes at least ten seconds of lab time, in less than two of wall time
    assert (seconds[-1] - seconds[0]) % 86400 >= 9
    assert show(lab.nodes["R1"], "clear logging") == ""
    assert log(lab, "R1") == []


def clock(lab, node):
    """The time of ``show clock``: ``*20:13:04.123 UTC Thu Nov 26 2026``."""
    text = show(lab.nodes[node], "show clock").strip().lstrip("*")
    return datetime.strptime(text, "%H:%M:%S.%f UTC %a %b %d %Y").replace(tzinfo=UTC)


def test_the_clock_the_log_and_uptimes_are_in_one_lab_time(lab):
    began, before = time.monotonic(), clock(lab, "R1")
    type_lines(lab.nodes["R1"], "no banner motd")
    typed = show(lab.nodes["R1"], "show logging").strip().splitlines()[-1]
    assert "%SYS-5-CONFIG_I" in typed
    words = f"{before.year} {typed.lstrip('*').partition(': ')[0]}"
    stamp = datetime.strptime(words, "%Y %b %d %H:%M:%S.%f").replace(tzinfo=UTC)
    after = clock(lab, "R1")
    lasted = (time.monotonic() - began) * lab.time_scale + 2
    assert before <= stamp <= after
    assert after - before <= timedelta(seconds=lasted)

    began = time.monotonic() - 0.05
    after = clock(lab, "R1")
    other = clock(lab, "R2")
    assert after <= other <= after + timedelta(seconds=(time.monotonic() - began) * lab.time_scale)

    version = show(lab.nodes["R1"], "show version")
    restarted = re.search(r"System restarted at (\S+ UTC \w+ \w+ \d+ \d+)", version)
    booted = datetime.strptime(restarted[1], "%H:%M:%S UTC %a %b %d %Y").replace(tzinfo=UTC)
    assert booted <= before - timedelta(seconds=9), "an OSPF adjacency takes ten seconds"
    peer = re.search(r"10\.0\.12\.2 .*?(\d+):(\d+):(\d+)", show(lab.nodes["R1"], "show ip bgp summary"))
    if peer is not None:  # the session is up
        up = timedelta(hours=int(peer[1]), minutes=int(peer[2]), seconds=int(peer[3]))
        assert up <= clock(lab, "R1") - booted


def test_a_reload_does_not_set_the_clock_back(lab):
    before = clock(lab, "R2")
    show(lab.nodes["R2"], "reload")
    assert clock(lab, "R2") > before
