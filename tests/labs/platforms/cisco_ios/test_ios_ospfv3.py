"""OSPF for IPv6 in the form with address families, with a neighbor in the classic form.

The tests cover packets, areas, external routes and show commands. The topology:

h1 - R1 -area 0- R2 -area 1, totally stubby- R3 - h3
"""

from __future__ import annotations

import re

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, eventually, ios_task

CONFIGS = {
    "R1": (
        """
ipv6 unicast-routing
interface Loopback0
 ipv6 address 2001:DB8:FF::1/128
 ospfv3 1 ipv6 area 0
interface Gi0/0
 ipv6 address 2001:DB8:12::1/64
 ospfv3 network point-to-point
 ospfv3 1 ipv6 area 0
interface Gi0/1
 ipv6 address 2001:DB8:1::1/64
 ospfv3 1 ipv6 area 0
ipv6 route 2001:DB8:99::/48 Null0
router ospfv3 1
 router-id 1.1.1.1
 address-family ipv6 unicast
  passive-interface default
  no passive-interface Gi0/0
  redistribute static metric 50
 exit-address-family
"""
    ),
    "R2": (
        """
ipv6 unicast-routing
interface Gi0/0
 ipv6 address 2001:DB8:12::2/64
 ospfv3 network point-to-point
 ospfv3 1 ipv6 area 0
interface Gi0/1
 ipv6 address 2001:DB8:23::2/64
 ospfv3 1 ipv6 area 1
router ospfv3 1
 router-id 2.2.2.2
 area 1 stub no-summary
"""
    ),
    "R3": (
        """
ipv6 unicast-routing
interface Gi0/0
 ipv6 address 2001:DB8:23::3/64
 ipv6 ospf 7 area 1
interface Gi0/1
 ipv6 address 2001:DB8:3::1/64
 ipv6 ospf 7 area 1
ipv6 router ospf 7
 router-id 3.3.3.3
 area 1 stub
 passive-interface Gi0/1
"""
    ),
}
LINKS = ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0", "R1 Gi0/1 - h1 eth0", "R3 Gi0/1 - h3 eth0"]
HOSTS = {
    f"h{n}": (
        f"ip -6 address add 2001:db8:{n}::10/64 dev eth0 nodad\nip -6 route add default via 2001:db8:{n}::1 metric 10\n"
    )
    for n in (1, 3)
}
NEIGHBOR = re.compile(r"^(\S+) +(\d+) +(\w+/ *[\w-]+) +([\d:]+) +(\d+) +(\S+)$", re.MULTILINE)
"""A row of ``show ospfv3 neighbor``, as genie's parser reads it."""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task(CONFIGS, LINKS, hosts=HOSTS))


@pytest.fixture
def show(lab):
    return lambda name, command: Session(device_of(lab.nodes[name]), read_only=True).enter(command)


def reaches(lab):
    return lab.nodes["h1"].run(["ping", "-c", "1", "-W", "2", "2001:db8:3::10"]).returncode == 0


def test_packets_cross_both_areas(lab):
    assert [device_of(lab.nodes[name]).problems for name in CONFIGS] == [[]] * 3
    assert reaches(lab)


def test_a_totally_stubby_area_has_a_default_route_and_no_external_one(show):
    stub = show("R3", "show ipv6 route ospf")
    assert "OI  ::/0 [110/2]" in stub
    assert "2001:DB8:99::/48" not in stub
    backbone = show("R2", "show ipv6 route ospf")
    assert "OE2 2001:DB8:99::/48 [110/50]" in backbone
    assert "O   2001:DB8:FF::1/128 [110/2]" in backbone


def test_a_port_towards_hosts_sends_no_hello(show):
    assert "No Hellos (Passive interface)" in show("R1", "show ospfv3 interface gi0/1")
    assert "Hello due in" in show("R1", "show ospfv3 1 ipv6 interface gi0/0")


def test_neighbors_are_shown_as_parsers_read_them(show):
    text = show("R2", "show ospfv3 neighbor")
    assert text.startswith(
        "\n          OSPFv3 1 address-family ipv6 (router-id 2.2.2.2)\n\nNeighbor ID     Pri   State "
    )
    rows = {row[0]: row for row in NEIGHBOR.findall(text)}
    assert set(rows) == {"1.1.1.1", "3.3.3.3"}
    assert rows["1.1.1.1"][2:3] == ("FULL/  -",)
    assert rows["3.3.3.3"][2].startswith("FULL/")
    assert rows["3.3.3.3"][5] == "GigabitEthernet0/1"
    classic = show("R2", "show ipv6 ospf neighbor")
    assert "OSPFv3 Router with ID (2.2.2.2) (Process ID 1)" in classic
    assert {row[0] for row in NEIGHBOR.findall(classic)} == set(rows)
    assert "Neighbor 3.3.3.3" in show("R2", "show ospfv3 1 neighbor gi0/1 detail")


def test_either_form_of_show_speaks_of_either_form_of_process(show):
    assert "OSPFv3 7 address-family ipv6 (router-id 3.3.3.3)" in show("R3", "show ospfv3 neighbor")
    assert 'Routing Process "ospfv3 1" with ID 1.1.1.1' in show("R1", "show ipv6 ospf")
    assert " OSPFv3 1 address-family ipv6\n Router ID 1.1.1.1\n" in show("R1", "show ospfv3")
    assert show("R1", "show ospfv3 2 neighbor") == ""


def test_interfaces_in_brief_name_their_family(show):
    header, *rows = show("R2", "show ospfv3 interface brief").rstrip().splitlines()
    assert header == "Interface    PID   Area            AF         Cost  State Nbrs F/C"
    assert [row.split()[:5] for row in rows] == [["Gi0/1", "1", "1", "ipv6", "1"], ["Gi0/0", "1", "0", "ipv6", "1"]]
    assert all(row.endswith("1/1") for row in rows)


def test_the_database_has_the_link_states_of_both_areas(show):
    text = show("R2", "show ospfv3 database")
    assert "OSPFv3 1 address-family ipv6 (router-id 2.2.2.2)" in text
    for title in ("Router Link States (Area 0)", "Router Link States (Area 1)", "Type-5 AS External Link States"):
        assert title in text


def test_protocols_name_the_process(show):
    text = show("R1", "show ipv6 protocols")
    assert (
        'IPv6 Routing Protocol is "ospf 1"\n  Router ID 1.1.1.1\n  Number of areas: 1 normal, 0 stub, 0 nssa\n' in text
    )
    assert "Redistributing protocol static" in text


def test_a_cost_of_the_family_beats_one_of_the_interface(say, show):
    say("R2", "interface gi0/0", "ospfv3 cost 20", "ospfv3 1 ipv6 cost 10")
    assert eventually(lambda: "2001:DB8:1::/64 [110/11]" in show("R2", "show ipv6 route ospf"))
    say("R2", "interface gi0/0", "no ospfv3 1 ipv6 cost")
    assert eventually(lambda: "2001:DB8:1::/64 [110/21]" in show("R2", "show ipv6 route ospf"))
    say("R2", "interface gi0/0", "no ospfv3 cost 20")


def test_a_router_that_goes_over_to_the_newer_form_keeps_its_neighbors(lab, say, show):
    before = device_of(lab.nodes["R3"]).applied
    say("R3", "router ospfv3 7", "log-adjacency-changes")
    assert "router ospfv3 7" in show("R3", "show running-config")
    assert device_of(lab.nodes["R3"]).applied == before
    assert "FULL/" in show("R3", "show ospfv3 neighbor")
    assert reaches(lab)


def test_a_process_goes_and_comes_back(lab, say, show):
    say("R1", "no router ospfv3 1")
    assert eventually(lambda: "2001:DB8:1::/64" not in show("R2", "show ipv6 route ospf"))
    assert not reaches(lab)
    say(
        "R1",
        "interface gi0/0",
        "ospfv3 1 ipv6 area 0",
        "interface gi0/1",
        "ospfv3 1 ipv6 area 0",
        "router ospfv3 1",
        "router-id 1.1.1.1",
        "passive-interface gi0/1",
    )
    assert eventually(lambda: reaches(lab))
