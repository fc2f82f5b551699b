"""``show ip protocols``, line by line as captures of devices have it (Genie's and those of public labs)."""

from __future__ import annotations

import re

import pytest

from tests.support.ios import ios_task, show

R1 = """
key chain RIP-KEYS
 key 1
  key-string secret
interface Loopback0
 ip address 172.16.1.1 255.255.255.0
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 ip rip authentication key-chain RIP-KEYS
 ip rip send version 1 2
 ip ospf 1 area 0
 no shutdown
interface Gi0/1
 ip address 10.0.13.1 255.255.255.0
 ip ospf 1 area 0
 no shutdown
interface Gi0/2
 ip address 10.0.14.1 255.255.255.0
 no shutdown
access-list 21 permit any
access-list 30 permit any
ip prefix-list P24 permit 0.0.0.0/0 le 32
router ospf 1
 router-id 1.1.1.1
 default-information originate always
 distribute-list prefix P24 in
 distribute-list 30 in GigabitEthernet0/1
router rip
 version 2
 no auto-summary
 network 10.0.0.0
 passive-interface Gi0/2
 redistribute connected
 redistribute ospf 1 metric 2
 default-metric 3
 neighbor 10.0.12.2
 offset-list 21 in 10
 distribute-list 21 out
 timers basic 10 21 22 23
router bgp 65001
 bgp router-id 1.1.1.1
 bgp cluster-id 0.0.0.1
 neighbor 10.0.12.2 remote-as 65001
 neighbor 10.0.12.2 route-reflector-client
 neighbor 10.0.13.3 remote-as 65001
 neighbor 10.0.13.3 route-reflector-client
 auto-summary
"""
R2 = """
interface Loopback0
 ip address 172.16.2.1 255.255.255.0
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 ip ospf 1 area 0
 no shutdown
ip route 99.0.0.0 255.0.0.0 Null0
router ospf 1
 router-id 2.2.2.2
router bgp 65001
 bgp router-id 2.2.2.2
 network 99.0.0.0
 neighbor 10.0.12.1 remote-as 65001
"""
R3 = """
interface Gi0/0
 ip address 10.0.13.3 255.255.255.0
 no shutdown
router rip
 network 10.0.0.0
router bgp 65001
"""


@pytest.fixture(scope="module")
def blocks(deploy_task):
    """The blocks of the answers by node and protocol, with neither times nor what is due."""
    lab = deploy_task(ios_task({"R1": R1, "R2": R2, "R3": R3}, ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R3 Gi0/0"]))
    found = {}
    for name in ("R1", "R2", "R3"):
        text = re.sub(r"\d\d:\d\d:\d\d|(?<=due in )\d+", "T", show(lab.nodes[name], "show ip protocols"))
        head, *parts = text.split("Routing Protocol is ")
        assert head == "*** IP Routing is NSF aware ***\n\n"
        for part in parts:
            first, *lines = part.rstrip("\n").splitlines()
            found[name, first.strip('"').split()[0]] = lines
    return found


def test_programs_beside_the_system_come_first(blocks):
    assert next(protocol for _, protocol in blocks) == "application"
    assert blocks["R1", "application"][:2] == [
        "  Sending updates every 0 seconds",
        "  Invalid after 0 seconds, hold down 0, flushed after 0",
    ]


def test_ospf(blocks):
    assert blocks["R1", "ospf"] == [
        "  Outgoing update filter list for all interfaces is not set",
        "  Incoming update filter list for all interfaces is (prefix-list) P24",
        "    GigabitEthernet0/1 filtered by 30 (per-user), default is not set",
        "  Router ID 1.1.1.1",
        "  It is an autonomous system boundary router",
        " Redistributing External Routes from,",
        "  Number of areas in this router is 1. 1 normal 0 stub 0 nssa",
        "  Maximum path: 4",
        "  Routing for Networks:",
        "  Routing on Interfaces Configured Explicitly (Area 0):",
        "    GigabitEthernet0/1",
        "    GigabitEthernet0/0",
        "  Routing Information Sources:",
        "    Gateway         Distance      Last Update",
        "  Distance: (default is 110)",
    ]


def test_rip(blocks):
    assert blocks["R1", "rip"] == [
        "  Outgoing update filter list for all interfaces is 21",
        "  Incoming update filter list for all interfaces is not set",
        "  Incoming routes will have 10 added to metric if on list 21",
        "  Sending updates every 10 seconds, next due in T seconds",
        "  Invalid after 21 seconds, hold down 22, flushed after 23",
        "  Default redistribution metric is 3",
        "  Redistributing: connected, ospf 1, rip",
        "  Neighbor(s):",
        "    10.0.12.2",
        "  Default version control: send version 2, receive version 2",
        "    Interface                           Send  Recv  Triggered RIP  Key-chain",
        "    GigabitEthernet0/0                  1 2   2          No        RIP-KEYS        ",
        "    GigabitEthernet0/1                  2     2          No        none            ",
        "  Automatic network summarization is not in effect",
        "  Maximum path: 4",
        "  Routing for Networks:",
        "    10.0.0.0",
        "  Passive Interface(s):",
        "    GigabitEthernet0/2",
        "  Routing Information Sources:",
        "    Gateway         Distance      Last Update",
        *[line for line in blocks["R1", "rip"] if "10.0.13.3" in line],
        "  Distance: (default is 120)",
    ]
    assert "  Default version control: send version 1, receive any version" in blocks["R3", "rip"]
    assert "    GigabitEthernet0/0                  1     1 2        No        none            " in blocks["R3", "rip"]


def test_bgp(blocks):
    assert blocks["R1", "bgp"] == [
        "  Outgoing update filter list for all interfaces is not set",
        "  Incoming update filter list for all interfaces is not set",
        "  Route Reflector for address family IPv4 Unicast with the cluster-id 0.0.0.1, 2 clients",
        "  IGP synchronization is disabled",
        "  Automatic route summarization is enabled",
        "  Neighbor(s):",
        "    Address          FiltIn FiltOut DistIn DistOut Weight RouteMap",
        "    10.0.12.2",
        "    10.0.13.3",
        "  Maximum path: 1",
        "  Routing Information Sources:",
        "    Gateway         Distance      Last Update",
        "    10.0.12.2            200      T",
        "  Distance: external 20 internal 200 local 200",
    ]
    assert not any("Neighbor" in line or "Address  " in line for line in blocks["R3", "bgp"])
