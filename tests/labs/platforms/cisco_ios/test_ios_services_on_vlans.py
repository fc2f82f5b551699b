"""HSRP and DHCP on VLAN interfaces: a router on a stick and a layer-3 switch."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios import CiscoIosDriver
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.ios import eventually
from tests.support.switches import switched_task

IOS = CiscoIosDriver()
SWITCH = """ip routing
vlan 10
spanning-tree mode rapid-pvst
interface Gi0/0
 switchport access vlan 10
 switchport mode access
 spanning-tree portfast
interface Gi0/1
 switchport access vlan 10
 switchport mode access
 spanning-tree portfast
interface Gi0/2
 switchport trunk encapsulation dot1q
 switchport mode trunk
 spanning-tree portfast trunk
interface Loopback0
 ip address 10.9.9.9 255.255.255.255
interface Vlan10
 ip address 10.0.10.2 255.255.255.0
 standby 10 ip 10.0.10.1
 standby 10 priority 120
 standby 10 preempt
 no shutdown
ip dhcp excluded-address 10.0.10.1 10.0.10.20
ip dhcp pool V10
 network 10.0.10.0 255.255.255.0
 default-router 10.0.10.1
"""
ROUTER = """interface Gi0/0
 no shutdown
interface Gi0/0.10
 encapsulation dot1Q 10
 ip address 10.0.10.3 255.255.255.0
 standby 10 ip 10.0.10.1
 standby 10 preempt
interface Loopback0
 ip address 10.9.9.9 255.255.255.255
"""
CLIENT = {"dhcp_client": {"interfaces": [{"interface": "eth0"}]}}


@pytest.fixture(scope="module")
def lab(deploy_task):
    links = ["SW Gi0/0 - a eth0", "SW Gi0/1 - b eth0", "SW Gi0/2 - R1 Gi0/0"]
    hosts = {"a": "10.0.10.11/24 10.0.10.1", "b": "192.0.2.9/32"}
    return deploy_task(switched_task({"SW": SWITCH, "R1": ROUTER}, links, switches=["SW"], hosts=hosts))


def states(lab):
    return {
        name: [entry["state"] for entry in parse_output(platform="cisco_ios", command="show standby brief", data=text)]
        for name in ("SW", "R1")
        if (text := IOS.execute(lab.nodes[name], "show standby brief"))
    }


def reaches(lab):
    return lab.nodes["a"].run(["ping", "-n", "-c", "1", "-W", "1", "10.9.9.9"]).returncode == 0


def test_an_svi_and_a_subinterface_elect_and_the_host_gets_through(lab):
    assert states(lab) == {"SW": ["Active"], "R1": ["Standby"]}
    assert reaches(lab)
    assert "00:00:0c:07:ac:0a" in lab.nodes["a"].run(["ip", "neigh", "show", "10.0.10.1"]).stdout


def test_the_subinterface_takes_over_and_gives_back(lab):
    IOS.apply(lab.nodes["SW"], ["interface Vlan10", "shutdown"])
    assert eventually(lambda: states(lab)["R1"] == ["Active"])
    assert eventually(lambda: reaches(lab))
    IOS.apply(lab.nodes["SW"], ["interface Vlan10", "no shutdown"])
    assert eventually(lambda: states(lab) == {"SW": ["Active"], "R1": ["Standby"]})
    assert eventually(lambda: reaches(lab))


def test_a_client_in_the_vlan_gets_an_address_from_the_switch(lab):
    node = lab.nodes["b"]
    runner.apply(node, {}, CLIENT)

    def lease():
        return runner.state(node, "dhcp_client")["interfaces"]["eth0"]

    assert eventually(lambda: lease()["state"] == "Bound"), lease()
    assert (lease()["address"], lease()["router"]) == ("10.0.10.21", "10.0.10.1")
    assert node.run(["ping", "-n", "-c", "1", "-W", "10", "10.9.9.9"]).returncode == 0
