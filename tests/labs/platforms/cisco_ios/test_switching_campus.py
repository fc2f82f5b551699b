"""Switching with dependent features: redundant gateways on SVIs, VRFs on subinterfaces."""

from __future__ import annotations

import time

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.switches import reaches, switched_task

DISTRIBUTION = """
ip routing
spanning-tree mode rapid-pvst
spanning-tree vlan 10,20 priority {tree}
vlan 10,20
interface range Gi0/1 - 2
 switchport mode trunk
interface Vlan10
 ip address 10.0.10.{host} 255.255.255.0
 standby 1 ip 10.0.10.1
 standby 1 priority {priority}
 standby 1 preempt
interface Vlan20
 ip address 10.0.20.{host} 255.255.255.0
"""
ACCESS = """
spanning-tree mode rapid-pvst
vlan 10,20
interface range Gi0/0 - 1
 switchport mode access
 spanning-tree portfast
interface Gi0/0
 switchport access vlan 10
interface Gi0/1
 switchport access vlan 20
interface range Gi0/2 - 3
 switchport mode trunk
"""
TENANTS = """
ip vrf RED
 rd 1:1
ip vrf BLUE
 rd 1:2
interface Gi0/0
 no shutdown
interface Gi0/0.10
 encapsulation dot1Q 10
 ip vrf forwarding RED
 ip address 10.0.0.1 255.255.255.0
interface Gi0/0.20
 encapsulation dot1Q 20
 ip vrf forwarding BLUE
 ip address 10.0.0.1 255.255.255.0
"""


@pytest.fixture(scope="module")
def campus(deploy_task):
    """Two routing switches and an access switch in a triangle; h in VLAN 10, g in VLAN 20."""
    configs = {
        "D1": DISTRIBUTION.format(tree=4096, host=2, priority=110),
        "D2": DISTRIBUTION.format(tree=8192, host=3, priority=90),
        "A": ACCESS,
    }
    links = ["D1 Gi0/1 - D2 Gi0/1", "A Gi0/2 - D1 Gi0/2", "A Gi0/3 - D2 Gi0/2", "A Gi0/0 - h eth0", "A Gi0/1 - g eth0"]
    hosts = {"h": "10.0.10.11/24 10.0.10.1", "g": "10.0.20.11/24 10.0.20.3"}
    return deploy_task(switched_task(configs, links, switches=list(configs), hosts=hosts), time_scale=20)


def test_a_gateway_on_svis_survives_its_switch_being_cut_off(campus, platform):
    h = campus.nodes["h"]
    assert reaches(h, "10.0.10.1")
    assert reaches(h, "10.0.20.11")
    assert "Active  local" in platform.execute(campus.nodes["D1"], "show standby brief")
    platform.apply(campus.nodes["D1"], ["interface range Gi0/1 - 2", "shutdown", "end"])
    started = time.monotonic()
    while not reaches(h, "10.0.20.11", count=1):
        # hold time and spanning tree: about 10 s of lab time; the rest is for load
        assert (time.monotonic() - started) * campus.time_scale < 60
    assert "Active  local" in platform.execute(campus.nodes["D2"], "show standby brief")
    brief = platform.execute(campus.nodes["D1"], "show ip interface brief")
    assert [line.split()[-1] for line in brief.splitlines() if line.startswith("Vlan")] == ["down", "down"]


def test_it_comes_back_and_takes_over_again(campus, platform):
    platform.apply(campus.nodes["D1"], ["interface range Gi0/1 - 2", "no shutdown", "end"])
    started = time.monotonic()
    while "Active  local" in platform.execute(campus.nodes["D2"], "show standby brief"):
        assert (time.monotonic() - started) * campus.time_scale < 120
        time.sleep(0.05)
    assert reaches(campus.nodes["h"], "10.0.20.11")
    assert [device_of(campus.nodes[name]).problems for name in ("D1", "D2", "A")] == [[], [], []]


def test_subinterfaces_of_one_port_may_be_in_different_vrfs(deploy_task, platform):
    """Both tenants use the same addresses and are isolated from each other."""
    links = ["A Gi0/0 - a eth0", "A Gi0/1 - b eth0", "A Gi0/2 - R Gi0/0", "A Gi0/3 - x eth0"]
    hosts = {"a": "10.0.0.11/24", "b": "10.0.0.12/24", "x": "10.9.9.9/24"}
    lab = deploy_task(switched_task({"A": ACCESS, "R": TENANTS}, links, switches=["A"], hosts=hosts), time_scale=20)
    assert reaches(lab.nodes["a"], "10.0.0.1")
    assert reaches(lab.nodes["b"], "10.0.0.1")
    assert not reaches(lab.nodes["a"], "10.0.0.12")
    assert "!!!!!" in platform.execute(lab.nodes["R"], "ping vrf RED 10.0.0.11")
    assert "!" not in platform.execute(lab.nodes["R"], "ping vrf BLUE 10.0.0.11 repeat 2 timeout 1")
    assert device_of(lab.nodes["R"]).problems == []
