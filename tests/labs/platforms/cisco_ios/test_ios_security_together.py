"""Filters, translation, zones and reverse path checks on one IOS router: they act in IOS's order."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import Session, ios_task, type_lines
from tests.support.probes import answered, ask, pings, serve

ROUTER = """
zone security INSIDE
zone security OUTSIDE
class-map type inspect match-any ANYTHING
 match protocol tcp
 match protocol icmp
ip access-list extended SERVERS
 permit tcp any host 10.0.0.10 eq www
class-map type inspect match-all SERVERS
 match access-group name SERVERS
policy-map type inspect OUT
 class type inspect ANYTHING
  inspect
policy-map type inspect IN
 class type inspect SERVERS
  inspect
zone-pair security IO source INSIDE destination OUTSIDE
 service-policy type inspect OUT
zone-pair security OI source OUTSIDE destination INSIDE
 service-policy type inspect IN
interface Gi0/0
 ip address 10.0.0.1 255.255.255.0
 ip nat inside
 ip verify unicast source reachable-via rx
 zone-member security INSIDE
 no shutdown
interface Gi0/1
 ip address 192.0.2.1 255.255.255.0
 ip nat outside
 ip access-group OUTSIDE in
 zone-member security OUTSIDE
 no shutdown
ip access-list extended OUTSIDE
 deny tcp any host 192.0.2.50 eq 443
 permit ip any host 192.0.2.50
 permit ip any host 192.0.2.1
access-list 1 permit 10.0.0.0 0.0.0.255
ip nat inside source static 10.0.0.10 192.0.2.50
ip nat inside source list 1 interface Gi0/1 overload
"""
INSIDE = (
    "".join(f"ip address add 10.0.0.{n}/24 dev eth0\n" for n in (10, 11))
    + "ip address add 172.16.0.9/32 dev lo\nip route add default via 10.0.0.1\n"
)
OUTSIDE = "ip address add 192.0.2.100/24 dev eth0\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    task = ios_task({"R1": ROUTER}, ["R1 Gi0/0 - in eth0", "R1 Gi0/1 - out eth0"], hosts={"in": INSIDE, "out": OUTSIDE})
    lab = deploy_task(task)
    for name in ("in", "out"):
        serve(lab.nodes[name], (22, 80, 443))
    assert device_of(lab.nodes["R1"]).problems == []
    return lab


@pytest.fixture
def device(lab):
    return device_of(lab.nodes["R1"])


def test_inspected_sessions_are_translated_and_their_answers_come_back(lab):
    said = ask(lab.nodes["in"], "192.0.2.100", 443, source="10.0.0.11")
    assert said.startswith("seen as 192.0.2.1 ")
    assert ask(lab.nodes["in"], "192.0.2.100", source="10.0.0.10").startswith("seen as 192.0.2.50 ")


def test_zones_see_the_local_address_of_a_translated_server_and_lists_its_global_one(lab, device):
    outside = lab.nodes["out"]
    assert answered(ask(outside, "192.0.2.50", 80))
    assert ask(outside, "192.0.2.50", 22) == "silence"
    assert ask(outside, "192.0.2.50", 443) == "prohibited"
    text = Session(device).enter("show access-lists OUTSIDE")
    assert re.search(r"10 deny tcp any host 192\.0\.2\.50 eq 443 \(\d+ match(es)?\)", text)


def test_sources_that_are_not_routed_back_never_reach_translation(lab):
    assert ask(lab.nodes["in"], "192.0.2.100", source="172.16.0.9") == "silence"


def test_everything_comes_back_after_a_reload(lab, device):
    session = Session(device)
    session.enter("copy running-config startup-config")
    before = device.running_config()
    startup.reload(device)
    assert device.problems == []
    assert device.running_config() == before
    assert answered(ask(lab.nodes["in"], "192.0.2.100", 443, source="10.0.0.11"))
    assert answered(ask(lab.nodes["out"], "192.0.2.50", 80))
    assert pings(lab.nodes["out"], "192.0.2.50") != "answered"


def test_a_router_that_loses_its_lines_lets_everything_pass(lab):
    type_lines(
        lab.nodes["R1"],
        "interface gi0/1",
        "no zone-member security OUTSIDE",
        "no ip access-group OUTSIDE in",
        "interface gi0/0",
        "no zone-member security INSIDE",
        "no ip verify unicast source reachable-via rx",
        "no ip nat inside",
    )
    assert pings(lab.nodes["out"], "192.0.2.1") == "answered"
    assert pings(lab.nodes["in"], "192.0.2.1") == "answered"
    rules = lab.nodes["R1"].run(["ip", "rule"]).stdout
    assert "fwmark" not in rules
