"""HSRP and DHCP on interfaces of a VRF, with the same addresses in the global table."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios import CiscoIosDriver
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.ios import eventually, ios_task

IOS = CiscoIosDriver()
CONFIG = """vrf definition RED
 address-family ipv4
 exit-address-family
ip dhcp excluded-address vrf RED 10.0.0.1 10.0.0.99
ip dhcp excluded-address 10.0.0.1 10.0.0.49
ip dhcp pool HOME
 network 10.0.0.0 255.255.255.0
 default-router 10.0.0.254
ip dhcp pool TENANT
 vrf RED
 network 10.0.0.0 255.255.255.0
 default-router 10.0.0.254
interface GigabitEthernet0/0
 ip address 10.0.0.1 255.255.255.0
 standby 1 ip 10.0.0.254
 no shutdown
interface GigabitEthernet0/1
 vrf forwarding RED
 ip address 10.0.0.1 255.255.255.0
 standby 1 ip 10.0.0.254
 standby 1 priority 120
 no shutdown
"""
CLIENT = {"dhcp_client": {"interfaces": [{"interface": "eth0"}]}}


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": CONFIG}, ["R1 Gi0/0 - a eth0", "R1 Gi0/1 - b eth0"], hosts={"a": "", "b": ""}))


def show(lab, command):
    return IOS.execute(lab.nodes["R1"], command)


def test_each_table_has_its_group_and_both_are_active(lab):
    entries = parse_output(platform="cisco_ios", command="show standby brief", data=show(lab, "show standby brief"))
    assert [(entry["interface"], entry["priority"], entry["state"]) for entry in entries] == [
        ("Gi0/0", "100", "Active"),
        ("Gi0/1", "120", "Active"),
    ]


@pytest.mark.parametrize(("name", "address"), [("a", "10.0.0.50"), ("b", "10.0.0.100")])
def test_a_client_is_served_by_the_pool_of_its_table_and_reaches_its_gateway(lab, name, address):
    node = lab.nodes[name]
    runner.apply(node, {}, CLIENT)

    def lease():
        return runner.state(node, "dhcp_client")["interfaces"]["eth0"]

    assert eventually(lambda: lease()["state"] == "Bound"), lease()
    assert lease()["address"] == address
    assert node.run(["ping", "-n", "-c", "1", "-W", "10", "10.0.0.254"]).returncode == 0
    assert address in show(lab, "show ip dhcp binding")


def test_a_tracked_route_of_a_vrf_follows_its_object(lab):
    node = lab.nodes["R1"]
    IOS.apply(
        node,
        ["track 1 interface Gi0/1 line-protocol", "exit", "ip route vrf RED 10.7.0.0 255.255.0.0 10.0.0.9 track 1"],
    )

    def has_route():
        return "10.7.0.0/16" in node.run(["nsenter", "--net=/run/netns/RED", "ip", "route"]).stdout

    assert not has_route()
    assert "interfaces of a VRF are not tracked" in show(lab, "show netbench unsupported")
    IOS.apply(node, ["no track 1", "track 1 interface Gi0/0 line-protocol"])
    assert eventually(has_route)
    IOS.apply(node, ["no ip route vrf RED 10.7.0.0 255.255.0.0 10.0.0.9 track 1", "no track 1"])
    assert eventually(lambda: not has_route())


def test_a_table_that_goes_takes_its_services_along_and_may_come_back(lab):
    node = lab.nodes["R1"]
    IOS.apply(node, ["interface Gi0/1", "no vrf forwarding", "shutdown", "exit", "no vrf definition RED"])
    assert "Gi0/1       1    120   Init " in show(lab, "show standby brief")
    assert "@RED" not in node.run(["ps", "-eo", "args"]).stdout
    statuses = IOS.apply(node, [*CONFIG.splitlines()[:3], "exit", *CONFIG.splitlines()[-6:]])
    assert {status.status for status in statuses} == {"success"}, statuses
    assert eventually(lambda: show(lab, "show standby brief").count("Active ") == 2)
    assert node.memory["cisco_ios"].problems == []
