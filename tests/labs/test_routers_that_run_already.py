"""Routers whose daemons run already: their configuration is exchanged, and put back line by line."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.containerlab.attached.routers import RouterConfigs
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.frr import FrrDriver, adoption
from pytest_netbench.platforms.frr.processes import running
from tests.support.netns_networks import network

OWN = """\
hostname r
log syslog informational
ip route 198.51.100.0/24 10.0.0.9
ip prefix-list SECOND seq 5 permit 10.0.0.0/8
ip prefix-list FIRST seq 5 permit 10.1.0.0/16 le 24
ip prefix-list FIRST seq 10 deny any
bgp as-path access-list A seq 5 permit ^65001$
interface eth1
 description to the neighbor
 ip address 10.0.0.1/24
 ip address 10.0.5.1/24
 ip ospf cost 7
interface lo
 ip address 10.255.0.1/32
 ipv6 address 2001:db8::1/128
router bgp 65000
 bgp router-id 10.255.0.1
 no bgp ebgp-requires-policy
 neighbor PEERS peer-group
 neighbor PEERS remote-as 65001
 neighbor 10.0.0.2 peer-group PEERS
 neighbor 10.0.0.3 remote-as 65002
 address-family ipv4 unicast
  network 10.255.0.1/32
  neighbor PEERS route-map OUT out
  neighbor 10.0.0.3 prefix-list FIRST in
 exit-address-family
 address-family ipv6 unicast
  redistribute connected
 exit-address-family
router ospf
 ospf router-id 10.255.0.1
 redistribute static metric 20
 passive-interface lo
 network 10.0.0.0/8 area 0
route-map OUT permit 10
 match ip address prefix-list FIRST
 set metric 30
route-map OUT deny 20
"""
OTHER = """\
hostname other
ip route 203.0.113.0/24 Null0
ip prefix-list FIRST seq 5 permit 172.16.0.0/12
interface eth1
 ip address 192.0.2.1/24
 ip ospf network point-to-point
router bgp 64999
 neighbor 192.0.2.2 remote-as 64998
router ospf
 network 192.0.2.0/24 area 1
route-map OUT permit 5
"""


@pytest.fixture
def router(deploy_task):
    lab = deploy_task(network({"r": "frr", "h": "linux"}, ["r eth1 - h eth1"], {"r": OWN}))
    node = lab.nodes["r"]
    node.memory.clear()
    return node


def test_a_configuration_is_exchanged_and_put_back_line_by_line(router):
    before = adoption.running_config(router)
    daemons = adoption.adopt(router)
    configs = RouterConfigs(router, FrrDriver())
    seen = []
    assert configs.load(OTHER, before_typing=lambda: seen.append(adoption.running_config(router))) == []
    # between the two nothing is configured but what always stays
    assert {line.split()[0] for line in seen[0].splitlines()} <= {"frr", "hostname", "log", "service", "!", "end", "no"}
    during = adoption.running_config(router)
    for line in (
        "router bgp 64999",
        " ip address 192.0.2.1/24",
        "ip route 203.0.113.0/24 Null0",
        "log syslog informational",
    ):
        assert line in during.splitlines()
    assert "65001" not in during
    FrrDriver().apply(
        router,
        [
            "router ospf",
            "network 10.3.0.0/16 area 3",
            "interface eth1",
            "shutdown",
            "interface nosuch",
            "description x",
        ],
    )
    configs.restore(before)
    assert adoption.running_config(router) == before
    assert running(router) == daemons


def test_a_line_that_needs_a_daemon_which_does_not_run_is_refused_and_none_is_started(router):
    before = adoption.running_config(router)
    daemons = adoption.adopt(router)
    assert "isisd" not in daemons
    configs = RouterConfigs(router, FrrDriver())
    refused = configs.load("interface eth1\n ip address 192.0.2.1/24\nrouter isis X\n", before_typing=lambda: None)
    assert [(one.line_number, one.line) for one in refused] == [(3, "router isis X")]
    assert adoption.adopt(router) == daemons
    configs.restore(before)
    assert adoption.running_config(router) == before


def test_what_cannot_be_put_back_is_an_error_with_the_lines(router):
    adoption.adopt(router)
    configs = RouterConfigs(router, FrrDriver())
    wanted = adoption.running_config(router) + "router isis X\n"
    with pytest.raises(LabError, match=r"r: lines differ from the saved configuration:\n\+ router isis X"):
        configs.restore(wanted)
