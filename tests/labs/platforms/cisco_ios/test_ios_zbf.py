"""Zones of an IOS router, tested with packets: an inside, an outside, and an interface in no zone."""

from __future__ import annotations

import re
import time
from functools import partial

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, ios_task, type_lines
from tests.support.probes import answered, ask, pings, serve

ROUTER = """
zone security INSIDE
zone security OUTSIDE
ip access-list extended FROM-INSIDE
 permit tcp 10.0.1.0 0.0.0.255 any
class-map type inspect match-any WEB
 match protocol http
 match protocol icmp
class-map type inspect match-all SECURE
 match protocol https
 match access-group name FROM-INSIDE
class-map type inspect match-any NAMES
 match protocol dns
policy-map type inspect OUT
 class type inspect WEB
  inspect
 class type inspect SECURE
  inspect
 class type inspect NAMES
  pass
 class class-default
  drop log
zone-pair security IO source INSIDE destination OUTSIDE
 service-policy type inspect OUT
interface Gi0/0
 ip address 10.0.1.1 255.255.255.0
 zone-member security INSIDE
 no shutdown
interface Gi0/1
 ip address 10.0.2.1 255.255.255.0
 zone-member security OUTSIDE
 no shutdown
interface Gi0/2
 ip address 10.0.3.1 255.255.255.0
 no shutdown
"""


def host(subnet):
    return f"ip address add 10.0.{subnet}.10/24 dev eth0\nip route add default via 10.0.{subnet}.1\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    hosts = {f"h{n}": host(n) for n in (1, 2, 3)}
    lab = deploy_task(ios_task({"R1": ROUTER}, [f"R1 Gi0/{n - 1} - h{n} eth0" for n in (1, 2, 3)], hosts=hosts))
    for name in hosts:
        serve(lab.nodes[name], (22, 53, 80, 443))
    assert device_of(lab.nodes["R1"]).problems == []
    return lab


@pytest.fixture
def device(lab):
    return device_of(lab.nodes["R1"])


@pytest.fixture
def configure(lab):
    return partial(type_lines, lab.nodes["R1"])


def show(device, command):
    return Session(device).enter(command)


def test_inspected_sessions_get_their_answers_and_nothing_begins_from_the_other_side(lab):
    h1, h2 = lab.nodes["h1"], lab.nodes["h2"]
    assert answered(ask(h1, "10.0.2.10", 80))
    assert pings(h1, "10.0.2.10") == "answered"
    assert ask(h2, "10.0.1.10", 80) == "silence"
    assert pings(h2, "10.0.1.10") == "silence"


def test_a_class_that_wants_all_its_lines_takes_no_packet_that_fits_one(lab, configure):
    h1 = lab.nodes["h1"]
    assert answered(ask(h1, "10.0.2.10", 443))
    configure("ip access-list extended FROM-INSIDE", "5 deny tcp host 10.0.1.10 any")
    assert ask(h1, "10.0.2.10", 443) == "silence"
    configure("ip access-list extended FROM-INSIDE", "no 5")


def test_what_no_class_takes_is_dropped_and_counted(lab, device):
    assert ask(lab.nodes["h1"], "10.0.2.10", 22) == "silence"
    text = show(device, "show policy-map type inspect zone-pair IO")
    deadline = time.monotonic() + 5
    wanted = (
        r"%FW-6-DROP_PKT: Dropping tcp session 10\.0\.1\.10:\d+ 10\.0\.2\.10:22 on zone-pair IO class class-default"
    )
    while not re.search(wanted, log := show(device, "show logging")):
        assert time.monotonic() < deadline, log
        time.sleep(0.05)
    assert re.search(r"Class-map: class-default \(match-any\)\n +Match: any\n\n +Drop log\n +[1-9]\d* packets", text)


def test_what_is_passed_needs_a_pair_of_its_own_for_the_way_back(lab, configure):
    h1 = lab.nodes["h1"]
    assert ask(h1, "10.0.2.10", 53, kind="udp") == "silence"
    configure(
        "ip access-list extended ANSWERS",
        "permit udp any eq domain any",
        "class-map type inspect match-any ANSWERS",
        "match access-group name ANSWERS",
    )
    configure("policy-map type inspect IN", "class type inspect ANSWERS", "pass")
    configure("zone-pair security OI source OUTSIDE destination INSIDE", "service-policy type inspect IN")
    assert answered(ask(h1, "10.0.2.10", 53, kind="udp"))
    assert answered(ask(h1, "10.0.2.10", 80))
    configure("no zone-pair security OI source OUTSIDE destination INSIDE")


def test_zones_and_interfaces_without_one_do_not_talk(lab):
    assert ask(lab.nodes["h1"], "10.0.3.10", 80) == "silence"
    assert ask(lab.nodes["h3"], "10.0.2.10", 80) == "silence"


def test_interfaces_without_a_zone_and_of_one_zone_talk_freely(lab, configure):
    configure("interface gi0/2", "zone-member security OUTSIDE")
    assert answered(ask(lab.nodes["h3"], "10.0.2.10", 22))
    configure("interface gi0/2", "no zone-member security OUTSIDE")


def test_the_router_may_be_spoken_to_until_a_pair_with_self_says_otherwise(lab, device, configure):
    h1, h2 = lab.nodes["h1"], lab.nodes["h2"]
    assert pings(h2, "10.0.2.1") == "answered"
    assert "100 percent" in show(device, "ping 10.0.2.10 repeat 2")
    configure("policy-map type inspect NOTHING", "class class-default", "drop")
    configure("zone-pair security OS source OUTSIDE destination self", "service-policy type inspect NOTHING")
    assert pings(h2, "10.0.2.1") == "silence"
    assert pings(h1, "10.0.1.1") == "answered"
    configure(
        "policy-map type inspect OWN",
        "class type inspect WEB",
        "inspect",
        "zone-pair security SO source self destination OUTSIDE",
        "service-policy type inspect OWN",
    )
    assert "100 percent" in show(device, "ping 10.0.2.10 repeat 2")
    assert pings(h2, "10.0.2.1") == "silence"
    configure(
        "no zone-pair security OS source OUTSIDE destination self",
        "no zone-pair security SO source self destination OUTSIDE",
    )


def test_sessions_are_told(lab, device):
    assert pings(lab.nodes["h1"], "10.0.2.10") == "answered"
    text = show(device, "show policy-map type inspect zone-pair sessions")
    assert "policy exists on zp IO\n  Zone-pair: IO\n\n  Service-policy inspect : OUT\n" in text
    assert re.search(r"Session [0-9A-F]+ \(10\.0\.1\.10:\d+\)=>\(10\.0\.2\.10:\d+\) icmp SIS_OPEN", text)
    assert re.search(r"Session creations since subsystem startup or last reset [1-9]", text)


def test_zones_and_pairs_are_told(device):
    assert "zone INSIDE\n  Member Interfaces:\n    GigabitEthernet0/0\n" in show(device, "show zone security")
    assert show(device, "show zone-pair security") == (
        "Zone-pair name IO\n    Source-Zone INSIDE  Destination-Zone OUTSIDE \n    service-policy OUT\n"
    )


def test_a_policy_that_loses_a_class_ends_its_sessions(lab, device, configure):
    h1 = lab.nodes["h1"]
    client = "import socket,time,sys\ns=socket.create_connection(('10.0.2.10',80),2)\nprint(s.recv(99))"
    assert "10.0.1.10" in h1.run(["/usr/bin/python3", "-c", client]).stdout
    configure("policy-map type inspect OUT", "no class type inspect WEB")
    assert ask(h1, "10.0.2.10", 80) == "silence"
    assert "SIS_OPEN" not in show(device, "show policy-map type inspect zone-pair IO sessions")
