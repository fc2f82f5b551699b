"""DHCP on IOS routers: a server, a relay, a client, and a host."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios import CiscoIosDriver
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.ios import apply_lines, await_that, ios_task

IOS = CiscoIosDriver()
SERVER = """ip dhcp excluded-address 10.0.0.1 10.0.0.9
ip dhcp pool LAN
 network 10.0.0.0 255.255.255.0
 default-router 10.0.0.1
 dns-server 8.8.8.8
 domain-name lab.example
ip dhcp pool BRANCH
 network 10.5.0.0 255.255.255.0
 default-router 10.5.0.1
 lease 0 1
interface GigabitEthernet0/0
 ip address 10.0.0.1 255.255.255.0
 no shutdown
interface GigabitEthernet0/1
 ip address 10.1.0.1 255.255.255.252
 no shutdown
ip route 10.5.0.0 255.255.255.0 10.1.0.2
"""
RELAY = """interface GigabitEthernet0/0
 ip address 10.5.0.1 255.255.255.0
 ip helper-address 10.1.0.1
 no shutdown
interface GigabitEthernet0/1
 ip address 10.1.0.2 255.255.255.252
 no shutdown
ip route 0.0.0.0 0.0.0.0 10.1.0.1
"""
CLIENT = """interface GigabitEthernet0/0
 ip address dhcp
 no shutdown
"""
LINKS = ("R1 Gi0/0 - CPE Gi0/0", "R1 Gi0/1 - R2 Gi0/1", "R2 Gi0/0 - h eth0")
HOST = {"dhcp_client": {"interfaces": [{"interface": "eth0"}]}}


@pytest.fixture(scope="module")
def lab(deploy_task):
    lab = deploy_task(ios_task({"R1": SERVER, "R2": RELAY, "CPE": CLIENT}, LINKS, hosts={"h": ""}))
    runner.apply(lab.nodes["h"], {}, HOST)
    await_that(lambda: leased(lab)["state"] == "Bound", lambda: leased(lab))
    return lab


def leased(lab):
    return runner.state(lab.nodes["h"], "dhcp_client")["interfaces"]["eth0"]


def show(lab, name, command):
    return IOS.execute(lab.nodes[name], command)


def parsed(lab, name, command):
    return parse_output(platform="cisco_ios", command=command, data=show(lab, name, command))


def test_a_lab_is_ready_when_its_dhcp_clients_have_addresses(lab):
    [entry] = [e for e in parsed(lab, "CPE", "show ip interface brief") if e["interface"] == "GigabitEthernet0/0"]
    assert entry["ip_address"] == "10.0.0.10"
    [route] = [route for route in IOS.routes(lab.nodes["CPE"], "0.0.0.0/0") if route.protocol == "static"]
    assert (route.next_hops, route.distance) == (("10.0.0.1",), 254)
    [lease] = parsed(lab, "CPE", "show dhcp lease")
    assert (lease["ip_address"], lease["server"], lease["gateway"]) == ("10.0.0.10", "10.0.0.1", "10.0.0.1")
    assert (lease["interface"], lease["state"], lease["time_lease"]) == ("GigabitEthernet0/0", "Bound", "86400")
    assert lease["hostname"] == "CPE"


def test_a_host_behind_a_relay_is_served_from_the_pool_of_its_network(lab):
    assert (leased(lab)["address"], leased(lab)["router"], leased(lab)["lease_s"]) == ("10.5.0.2", "10.5.0.1", 3600)
    assert lab.nodes["h"].run(["ping", "-c", "1", "-W", "10", "10.0.0.10"]).returncode == 0


def test_bindings_pools_and_statistics_are_shown(lab):
    bindings = {entry["ip_address"]: entry for entry in parsed(lab, "R1", "show ip dhcp binding")}
    assert set(bindings) == {"10.0.0.10", "10.5.0.2"}
    assert {entry["type"] for entry in bindings.values()} == {"Automatic"}
    assert all(len(entry["hardware_address"]) == 17 for entry in bindings.values())
    pool = show(lab, "R1", "show ip dhcp pool LAN")
    assert (
        " Total addresses                : 254\n Leased addresses               : 1\n Excluded addresses            "
        " : 9\n" in pool
    )
    assert "DHCPDISCOVER         " in show(lab, "R1", "show ip dhcp server statistics")
    # the relay's own address is not excluded, and answers
    conflict = show(lab, "R1", "show ip dhcp conflict").splitlines()[1]
    assert conflict.split()[:2] == ["10.5.0.1", "Ping"]


def test_an_access_list_on_the_interface_keeps_clients_from_the_server(lab):
    host = lab.nodes["h"]
    apply_lines(lab.nodes["R2"], "access-list 101 deny udp any any eq bootps", "access-list 101 permit ip any any")
    apply_lines(lab.nodes["R2"], "interface gi0/0", "ip access-group 101 in")
    runner.apply(host, HOST, {})
    runner.apply(host, {}, HOST)
    await_that(lambda: leased(lab)["attempts"] >= 3, lambda: leased(lab))
    apply_lines(lab.nodes["R2"], "interface gi0/0", "no ip access-group 101 in")
    await_that(lambda: leased(lab)["state"] == "Bound", lambda: leased(lab))


def test_clearing_forgets_bindings(lab):
    node = lab.nodes["R1"]
    assert show(lab, "R1", "clear ip dhcp binding *").startswith("% Not here")
    [status] = IOS.apply(node, ["do clear ip dhcp binding *"])
    assert (status.status, status.message) == ("success", "")
    assert parsed(lab, "R1", "show ip dhcp binding") == []
    [status] = IOS.apply(node, ["do clear ip dhcp binding 10.0.0.77"])
    assert "10.0.0.77" in status.message


def test_no_service_dhcp_serves_nobody(lab):
    host = lab.nodes["h"]
    runner.apply(host, HOST, {})
    apply_lines(lab.nodes["R1"], "no service dhcp")
    runner.apply(host, {}, HOST)
    await_that(lambda: leased(lab)["attempts"] >= 3, lambda: leased(lab))
    apply_lines(lab.nodes["R1"], "service dhcp")
    await_that(lambda: leased(lab)["state"] == "Bound", lambda: leased(lab))


def test_a_lease_can_be_released_and_asked_for_again(lab):
    def lease():
        return show(lab, "CPE", "show dhcp lease")

    assert IOS.apply(lab.nodes["CPE"], ["do release dhcp GigabitEthernet0/0"])[0].message == ""
    assert lease() == ""
    assert "10.0.0.10" not in show(lab, "R1", "show ip dhcp binding")
    assert IOS.apply(lab.nodes["CPE"], ["do renew dhcp GigabitEthernet0/0"])[0].message == ""
    await_that(lambda: "10.0.0.10" in lease(), lease)
    [status] = IOS.apply(lab.nodes["CPE"], ["do renew dhcp Loopback0"])
    assert status.message == "Interface Loopback0 does not have a DHCP originated address"


def test_an_interface_that_no_longer_asks_has_no_address(lab):
    apply_lines(lab.nodes["CPE"], "interface gi0/0", "no ip address")
    assert lab.nodes["CPE"].run(["ip", "-4", "-br", "address", "show", "dev", "gi0-0"]).stdout.split()[2:] == []
    assert show(lab, "CPE", "show dhcp lease") == ""
