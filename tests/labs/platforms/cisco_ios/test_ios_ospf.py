"""OSPF of IOS routers in real labs: adjacencies, paths of packets, areas, authentication."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import ios_task, show

# a triangle whose direct side from R1 to R3 is a serial line; h1 behind R1, h3 behind R3
R1 = """
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
interface Serial0/0/0
 ip address 10.0.13.1 255.255.255.252
 no shutdown
interface Gi0/1
 ip address 192.168.1.1 255.255.255.0
 no shutdown
router ospf 1
 passive-interface GigabitEthernet0/1
 network 1.1.1.1 0.0.0.0 area 0
 network 10.0.0.0 0.0.255.255 area 0
 network 192.168.1.0 0.0.0.255 area 0
"""
R2 = """
interface Loopback0
 ip address 2.2.2.2 255.255.255.0
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.23.2 255.255.255.0
 no shutdown
router ospf 1
 network 0.0.0.0 255.255.255.255 area 0
"""
R3 = """
interface Loopback0
 ip address 3.3.3.3 255.255.255.255
interface Gi0/0
 ip address 10.0.23.3 255.255.255.0
 no shutdown
interface Serial0/0/0
 ip address 10.0.13.2 255.255.255.252
 no shutdown
interface Gi0/1
 ip address 192.168.3.1 255.255.255.0
 ip ospf 7 area 0
 no shutdown
router ospf 7
 passive-interface GigabitEthernet0/1
 network 10.0.0.0 0.255.255.255 area 0
 network 3.3.3.3 0.0.0.0 area 0
"""


def host(subnet):
    return f"ip address add 192.168.{subnet}.10/24 dev eth0\nip route add default via 192.168.{subnet}.1\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(
        ios_task(
            {"R1": R1, "R2": R2, "R3": R3},
            [
                "R1 Gi0/0 - R2 Gi0/0",
                "R2 Gi0/1 - R3 Gi0/0",
                "R1 Serial0/0/0 - R3 Serial0/0/0",
                "R1 Gi0/1 - h1 eth0",
                "R3 Gi0/1 - h3 eth0",
            ],
            hosts={"h1": host(1), "h3": host(3)},
        )
    )


def hops(lab, source, target):
    """Return the routers that answer on the path from one host to another."""
    text = lab.nodes[source].run(["traceroute", "-n", "-q", "1", "-w", "1", "-m", "6", target]).stdout
    return [line.split()[1] for line in text.splitlines()[1:]]


def test_no_router_had_anything_refused_by_its_daemons(lab):
    assert [device_of(lab.nodes[name]).problems for name in ("R1", "R2", "R3")] == [[], [], []]


def test_packets_avoid_the_serial_line_because_its_cost_is_64(lab):
    assert hops(lab, "h1", "192.168.3.10") == ["192.168.1.1", "10.0.12.2", "10.0.23.3", "192.168.3.10"]


def test_a_loopback_is_local_to_its_router_and_a_host_route_to_others(lab):
    at_home = show(lab.nodes["R2"], "show ip route | include 2\\.2\\.2\\.").splitlines()
    assert [line.split()[:2] for line in at_home] == [["C", "2.2.2.0/24"], ["L", "2.2.2.2/32"]]
    assert "O        2.2.2.2 [110/" in show(lab.nodes["R1"], "show ip route ospf")


def test_a_cost_on_the_way_moves_packets_to_the_serial_line_and_back(lab, say):
    say("R1", "interface gi0/0", "ip ospf cost 200")
    assert hops(lab, "h1", "192.168.3.10") == ["192.168.1.1", "10.0.13.2", "192.168.3.10"]
    say("R1", "interface gi0/0", "no ip ospf cost")
    assert hops(lab, "h1", "192.168.3.10")[1] == "10.0.12.2"


def test_bandwidth_decides_the_cost(lab, say):
    say("R1", "interface gi0/0", "bandwidth 1000")
    assert hops(lab, "h1", "192.168.3.10")[1] == "10.0.13.2"
    say("R1", "interface gi0/0", "no bandwidth")


def test_maximum_metric_turns_traffic_away(lab, say):
    say("R2", "router ospf 1", "max-metric router-lsa")
    assert hops(lab, "h1", "192.168.3.10")[1] == "10.0.13.2"
    say("R2", "router ospf 1", "no max-metric router-lsa")
    assert hops(lab, "h1", "192.168.3.10")[1] == "10.0.12.2"
