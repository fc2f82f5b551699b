"""Areas of OSPF on IOS routers: virtual link, totally stubby, NSSA, authentication, summaries, filters, externals.

h4 - R4 -area 2- R3 -area 1- R2 -area 0- R1 -area 3, totally stubby- R5
                                         R1 -area 4, NSSA-           R6 - partner 203.0.113.0/24
"""

from __future__ import annotations

import re

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, eventually, ios_task, settle, type_lines

CONFIGS = {
    "R1": """
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 ip ospf message-digest-key 1 md5 cisco123
 no shutdown
interface Gi0/1
 ip address 10.3.15.1 255.255.255.0
 no shutdown
interface Gi0/2
 ip address 10.4.16.1 255.255.255.0
 no shutdown
router ospf 1
 router-id 1.1.1.1
 area 0 authentication message-digest
 area 3 stub no-summary
 area 4 nssa
 network 1.1.1.1 0.0.0.0 area 0
 network 10.0.0.0 0.0.255.255 area 0
 network 10.3.0.0 0.0.255.255 area 3
 network 10.4.0.0 0.0.255.255 area 4
""",
    "R2": """
interface Loopback0
 ip address 2.2.2.2 255.255.255.255
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 ip ospf message-digest-key 1 md5 7 02050D4808095E731F
 no shutdown
interface Gi0/1
 ip address 10.1.23.2 255.255.255.0
 no shutdown
router ospf 1
 router-id 2.2.2.2
 area 0 authentication message-digest
 area 1 virtual-link 3.3.3.3 authentication message-digest
 area 1 virtual-link 3.3.3.3 message-digest-key 1 md5 vlink
 network 10.0.12.0 0.0.0.255 area 0
 network 10.1.0.0 0.0.255.255 area 1
""",
    "R3": """
interface Gi0/0
 ip address 10.1.23.3 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.2.34.3 255.255.255.0
 no shutdown
router ospf 1
 router-id 3.3.3.3
 area 0 authentication message-digest
 area 1 virtual-link 2.2.2.2 authentication message-digest message-digest-key 1 md5 vlink
 network 10.1.0.0 0.0.255.255 area 1
 network 10.2.0.0 0.0.255.255 area 2
""",
    "R4": """
interface Gi0/0
 ip address 10.2.34.4 255.255.255.0
 no shutdown
interface Loopback1
 ip address 172.16.1.1 255.255.255.0
 ip ospf network point-to-point
interface Loopback2
 ip address 172.16.2.1 255.255.255.0
 ip ospf network point-to-point
router ospf 4
 router-id 4.4.4.4
 network 0.0.0.0 255.255.255.255 area 2
""",
    "R5": """
interface Gi0/0
 ip address 10.3.15.5 255.255.255.0
 no shutdown
router ospf 5
 router-id 5.5.5.5
 area 3 stub
 network 10.3.15.5 0.0.0.0 area 3
""",
    "R6": """
interface Gi0/0
 ip address 10.4.16.6 255.255.255.0
 no shutdown
router ospf 1
 router-id 6.6.6.6
 area 4 nssa
 redistribute static metric 7 metric-type 1 subnets tag 66
 network 10.4.16.6 0.0.0.0 area 4
ip route 203.0.113.0 255.255.255.0 Null0
ip route 198.51.100.0 255.255.255.128 Null0
""",
}
LINKS = [
    "R1 Gi0/0 - R2 Gi0/0",
    "R2 Gi0/1 - R3 Gi0/0",
    "R3 Gi0/1 - R4 Gi0/0",
    "R1 Gi0/1 - R5 Gi0/0",
    "R1 Gi0/2 - R6 Gi0/0",
]


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task(CONFIGS, LINKS))


@pytest.fixture
def show(lab):
    return lambda name, command: Session(device_of(lab.nodes[name])).enter(command)


def route(show, name, network, mask="255.255.255.0"):
    """Return the table's line of exactly that network, and the details of the route to its first address."""
    return show(name, f"show ip route {network} {mask}") + show(name, f"show ip route {network}")


def test_no_line_was_refused_by_a_daemon(lab):
    assert [device_of(lab.nodes[name]).problems for name in CONFIGS] == [[]] * 6


def test_the_far_area_is_joined_by_the_virtual_link_with_its_own_key(show):
    assert "type inter area" in route(show, "R4", "10.0.12.0")
    assert "type inter area" in route(show, "R1", "10.2.34.0")
    assert "Adjacency State FULL" in show("R3", "show ip ospf virtual-links")


def test_a_totally_stubby_area_has_one_default_and_nothing_else_from_outside(show):
    table = show("R5", "show ip route ospf")
    assert "O*IA  0.0.0.0/0 [110/2] via 10.3.15.1" in table
    assert "10.0.12.0" not in table
    assert "203.0.113.0" not in table


def test_type_7_of_the_nssa_is_type_5_beyond_and_keeps_metric_type_and_tag(show):
    assert "O N1  203.0.113.0/24 [110/8] via 10.4.16.6" in show("R1", "show ip route ospf")
    assert eventually(lambda: "type extern 1" in route(show, "R2", "203.0.113.0"))
    assert "Tag 66" in route(show, "R2", "203.0.113.0")


def test_both_ends_must_share_the_key(show, say):
    def adjacent():
        listed = show("R1", "show ip ospf neighbor").splitlines()
        return any("2.2.2.2" in line and "FULL" in line for line in listed)

    say("R2", "interface gi0/0", "ip ospf message-digest-key 1 md5 other")
    assert eventually(lambda: not adjacent())
    say("R2", "interface gi0/0", "ip ospf message-digest-key 1 md5 cisco123")
    assert eventually(adjacent)
    assert eventually(lambda: "via" in route(show, "R1", "172.16.1.0"))


def test_loopbacks_made_point_to_point_are_subnets_and_a_range_joins_them(show, say):
    assert "via" in route(show, "R1", "172.16.1.0")
    say("R3", "router ospf 1", "area 2 range 172.16.0.0 255.255.0.0")
    assert eventually(lambda: "via" in route(show, "R1", "172.16.0.0", "255.255.0.0"))
    assert eventually(lambda: "172.16.1.0" not in show("R1", "show ip route"))
    assert "172.16.0.0/16 is a summary" in show("R3", "show ip route ospf")
    say("R3", "router ospf 1", "area 2 range 172.16.0.0 255.255.0.0 not-advertise")
    assert eventually(lambda: "172.16" not in show("R1", "show ip route"))
    say("R3", "router ospf 1", "no area 2 range 172.16.0.0 255.255.0.0")
    assert eventually(lambda: "via" in route(show, "R1", "172.16.2.0"))


def test_a_summary_that_is_withdrawn_is_neither_shown_nor_counted_any_more(show, say):
    before = show("R1", "show ip ospf database").count("172.16.2.0"), _counts(show)
    assert before[0]
    say("R3", "router ospf 1", "area 2 range 172.16.2.0 255.255.255.0 not-advertise")
    assert eventually(lambda: "172.16.2.0" not in show("R1", "show ip route"))
    assert "172.16.2.0" not in show("R1", "show ip ospf database")
    assert "172.16.2.0" not in show("R1", "show ip ospf database summary")
    assert sum(_counts(show)) < sum(before[1])
    say("R3", "router ospf 1", "no area 2 range 172.16.2.0 255.255.255.0")
    assert eventually(lambda: "via" in route(show, "R1", "172.16.2.0"))
    assert eventually(lambda: (show("R1", "show ip ospf database").count("172.16.2.0"), _counts(show)) == before)


def _counts(show):
    return [int(count) for count in re.findall(r"Number of LSA (\d+)\.", show("R1", "show ip ospf"))]


def test_a_loopback_is_a_host_route_until_its_network_type_says_otherwise(show, say):
    say("R4", "interface lo1", "no ip ospf network")
    assert eventually(lambda: "[110/2] via" in route(show, "R3", "172.16.1.1", "255.255.255.255"))
    assert "172.16.1.0 " not in show("R3", "show ip route ospf")
    own = show("R4", "show ip route")
    assert "C        172.16.1.0/24 is directly connected, Loopback1" in own
    assert "L        172.16.1.1/32 is directly connected, Loopback1" in own
    assert "Internet Address 172.16.1.1/24" in show("R4", "show ip ospf interface lo1")
    say("R4", "interface lo1", "ip ospf network point-to-point")
    assert "via" in route(show, "R3", "172.16.1.0")


def test_connected_networks_of_the_process_are_no_external_routes_of_it(show, say):
    say("R4", "interface lo1", "no ip ospf network", "router ospf 4", "redistribute connected subnets")
    assert "172.16.1.0" not in show("R4", "show ip ospf database external")
    assert "172.16.2.0" not in show("R4", "show ip ospf database external")
    say("R4", "interface lo8", "ip address 172.18.8.1 255.255.255.0", "ip ospf 4 area 2", "exit", "no interface lo8")
    say("R4", "router ospf 4", "no redistribute connected", "interface lo1", "ip ospf network point-to-point")


def test_only_whole_classes_are_redistributed_without_subnets(show, say):
    say("R6", "router ospf 1", "no redistribute static subnets")
    assert "203.0.113.0/24" in show("R1", "show ip route")
    assert "198.51.100.0" not in show("R1", "show ip route")
    say("R6", "router ospf 1", "redistribute static metric 7 metric-type 1 subnets tag 66")
    assert "198.51.100.0" in show("R1", "show ip route")


def test_a_default_route_is_originated_always_or_only_if_there_is_one(show, say):
    say("R4", "router ospf 4", "default-information originate")
    assert "not set" in show("R1", "show ip route")
    say("R4", "router ospf 4", "default-information originate always metric 5")
    assert "O*E2  0.0.0.0/0 [110/5]" in show("R1", "show ip route")
    say("R4", "router ospf 4", "no default-information originate")
    assert "not set" in show("R1", "show ip route")


def test_distances_are_those_configured(show, say):
    say("R4", "router ospf 4", "distance ospf inter-area 130 external 140")
    assert "distance 130" in route(show, "R4", "10.0.12.0")
    assert "distance 140" in route(show, "R4", "203.0.113.0")
    say("R4", "router ospf 4", "no distance ospf")
    assert "distance 110" in route(show, "R4", "10.0.12.0")


LATER = '% OSPF: Reload or use "clear ip ospf process" command, for this to take effect\n'


def test_another_router_id_takes_effect_when_the_process_is_cleared(show, lab):
    session = Session(device_of(lab.nodes["R5"]))
    typed = [session.enter(line) for line in ("configure terminal", "router ospf 5", "router-id 55.55.55.55", "end")]
    assert typed == ["", "", LATER, ""]
    settle(lab)
    assert "55.55.55.55" not in show("R1", "show ip ospf neighbor")
    assert "Router ID 5.5.5.5" in show("R5", "show ip protocols")
    show("R5", "clear ip ospf process")
    settle(lab)
    assert "55.55.55.55" in show("R1", "show ip ospf neighbor")
    assert "Router ID 55.55.55.55" in show("R5", "show ip protocols")
    typed = [session.enter(line) for line in ("configure terminal", "router ospf 5", "router-id 5.5.5.5", "end")]
    assert typed[2] == LATER
    show("R5", "clear ip ospf process")
    settle(lab)
    assert "5.5.5.5" in show("R1", "show ip ospf neighbor").split()


def test_a_router_id_of_a_process_without_neighbors_takes_effect_at_once(show, say):
    say("R6", "interface gi0/0", "shutdown")
    say("R6", "router ospf 1", "router-id 66.66.66.66")
    assert "with ID 66.66.66.66" in show("R6", "show ip ospf")
    say("R6", "router ospf 1", "router-id 6.6.6.6", "interface gi0/0", "no shutdown")
    assert "with ID 6.6.6.6" in show("R6", "show ip ospf")


def test_a_port_that_becomes_passive_has_no_neighbor_from_then_on(show, say, lab):
    assert "FULL" in show("R5", "show ip ospf neighbor")
    type_lines(lab.nodes["R5"], "router ospf 5", "passive-interface gi0/0")
    assert "FULL" not in show("R5", "show ip ospf neighbor")
    assert eventually(lambda: "5.5.5.5" not in show("R1", "show ip ospf neighbor"))
    assert "passive" in show("R5", "show ip ospf interface gi0/0").lower() or "No Hellos" in show(
        "R5", "show ip ospf interface gi0/0"
    )
    say("R5", "router ospf 5", "no passive-interface gi0/0")
    assert eventually(lambda: "FULL" in show("R5", "show ip ospf neighbor"))


def test_a_router_id_stays_when_a_higher_loopback_comes_until_the_process_is_cleared(show, say, lab):
    session = Session(device_of(lab.nodes["R4"]))
    for line in ("configure terminal", "router ospf 4", "no router-id", "end"):
        session.enter(line)
    kept = show("R4", "show ip ospf").split("with ID ")[1].split()[0]
    say("R4", "interface lo9", "ip address 199.9.9.9 255.255.255.255")
    assert f"with ID {kept}" in show("R4", "show ip ospf")
    show("R4", "clear ip ospf process")
    settle(lab)
    assert "with ID 199.9.9.9" in show("R4", "show ip ospf")
    assert "FULL" in show("R4", "show ip ospf neighbor")


def test_a_process_that_goes_takes_its_routes_and_comes_back_whole(show, say):
    before = device_lines(show("R5", "show running-config"), "router ospf 5")
    say("R5", "no router ospf 5")
    assert "0.0.0.0/0" not in show("R5", "show ip route")
    say("R5", *before)
    assert "O*IA  0.0.0.0/0" in show("R5", "show ip route")


def device_lines(text, opening):
    lines = text.splitlines()
    start = lines.index(opening)
    end = next(at for at in range(start + 1, len(lines)) if not lines[at].startswith(" "))
    return lines[start:end]
