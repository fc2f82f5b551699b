"""BGP between IOS routers: sessions, advertised networks, and show commands in IOS's format."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, ios_task, type_lines

EDGE = """
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
interface Loopback0
 ip address 192.168.1.1 255.255.255.0
interface Loopback1
 ip address 1.1.1.1 255.255.255.255
router bgp 65001
 network 192.168.1.0
 neighbor 10.0.12.2 remote-as 65002
"""
PEER = """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Loopback0
 ip address 172.16.2.1 255.255.255.0
router bgp 65002
 network 172.16.2.0 mask 255.255.255.0
 network 172.16.0.0
 neighbor 10.0.12.1 remote-as 65001
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": EDGE, "R2": PEER}, ["R1 Gi0/0 - R2 Gi0/0"]))


def show(lab, node, command):
    return Session(device_of(lab.nodes[node])).enter(command)


def parsed(lab, node, command, template=None):
    return parse_output(platform="cisco_ios", command=template or command, data=show(lab, node, command))


def test_frr_takes_every_line_of_a_session(lab):
    assert device_of(lab.nodes["R1"]).problems == []
    assert device_of(lab.nodes["R2"]).problems == []


def test_an_external_session_brings_the_network_that_is_in_the_table_and_no_other(lab):
    table = lab.nodes["R1"].vty([("zebra", "show ip route bgp")])[0][0]
    assert "172.16.2.0/24" in table
    assert "172.16.0.0/16" not in table


@pytest.mark.parametrize("command", ["show ip bgp summary", "show bgp all summary", "show bgp ipv4 unicast summary"])
def test_the_summary_is_read_by_ntc_templates(lab, command):
    (row,) = parsed(lab, "R1", command, "show ip bgp summary")
    assert row["bgp_neighbor"] == "10.0.12.2"
    assert row["neighbor_as"] == "65002"
    assert row["router_id"] == "192.168.1.1"
    assert row["local_as"] == "65001"
    assert row["state_or_prefixes_received"] == "1"


def test_a_path_without_a_preference_has_the_default_one_of_the_process(lab):
    assert "localpref 100," in show(lab, "R1", "show ip bgp 172.16.2.0")
    type_lines(lab.nodes["R1"], "router bgp 65001", "bgp default local-preference 200")
    try:
        assert "localpref 200," in show(lab, "R1", "show ip bgp 172.16.2.0")
    finally:
        type_lines(lab.nodes["R1"], "router bgp 65001", "no bgp default local-preference 200")
