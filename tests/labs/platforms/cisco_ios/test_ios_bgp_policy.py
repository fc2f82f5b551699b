"""Routing policy of IOS routers: routes that BGP neighbors accept, change and advertise."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, eventually, ios_task, type_lines

# R2 (65002) - R1 (65001, reflects routes) - R3, R4 (65001)
CORE = """
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.13.1 255.255.255.0
 no shutdown
interface Gi0/2
 ip address 10.0.14.1 255.255.255.0
 no shutdown
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
ip route 50.0.0.0 255.0.0.0 Null0
ip prefix-list CUSTOMER permit 172.16.0.0/16 ge 24 le 24
ip as-path access-list 1 permit ^65002$
ip access-list standard FIRST
 permit 172.16.1.0
ip community-list standard GOLD permit 65002:77
route-map IN deny 5
 match ip address FIRST
route-map IN permit 10
 match as-path 1
 match ip address prefix-list CUSTOMER
 set local-preference 250
 set community 65001:1 additive
router bgp 65001
 neighbor INSIDE peer-group
 neighbor INSIDE remote-as 65001
 neighbor INSIDE route-reflector-client
 neighbor INSIDE next-hop-self
 neighbor INSIDE send-community
 neighbor 10.0.12.2 remote-as 65002
 neighbor 10.0.12.2 route-map IN in
 neighbor 10.0.12.2 soft-reconfiguration inbound
 neighbor 10.0.12.2 password lab
 neighbor 10.0.13.3 peer-group INSIDE
 neighbor 10.0.13.3 description a router inside
 neighbor 10.0.14.4 peer-group INSIDE
 redistribute static
"""
OUTSIDE = """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Loopback1
 ip address 172.16.1.1 255.255.255.0
interface Loopback2
 ip address 172.16.2.1 255.255.255.0
interface Loopback3
 ip address 172.17.3.1 255.255.255.0
route-map OUT permit 10
 set community 65002:77
 set metric 50
router bgp 65002
 neighbor 10.0.12.1 remote-as 65001
 neighbor 10.0.12.1 password lab
 neighbor 10.0.12.1 send-community
 neighbor 10.0.12.1 route-map OUT out
 network 172.16.1.0 mask 255.255.255.0
 network 172.16.2.0 mask 255.255.255.0
 network 172.17.3.0 mask 255.255.255.0
 network 0.0.0.0
"""
INSIDE = """
interface Gi0/0
 ip address 10.0.1{n}.{n} 255.255.255.0
 no shutdown
interface Loopback0
 ip address {n}.{n}.{n}.{n} 255.255.255.255
ip bgp-community new-format
router bgp 65001
 neighbor 10.0.1{n}.1 remote-as 65001
 network {n}.{n}.{n}.{n} mask 255.255.255.255
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    configs = {"R1": CORE, "R2": OUTSIDE, "R3": INSIDE.format(n=3), "R4": INSIDE.format(n=4)}
    lab = deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R3 Gi0/0", "R1 Gi0/2 - R4 Gi0/0"]))
    for name in configs:
        assert device_of(lab.nodes[name]).problems == []
    return lab


def show(lab, node, command):
    return Session(device_of(lab.nodes[node])).enter(command)


def table(lab, node, command="show ip bgp"):
    rows = parse_output(platform="cisco_ios", command="show ip bgp", data=show(lab, node, command))
    return {row["network"]: row for row in rows}


def test_a_route_map_takes_what_all_of_its_lists_permit(lab):
    assert set(table(lab, "R1", "show ip bgp neighbors 10.0.12.2 routes")) == {"172.16.2.0/24"}
    received = table(lab, "R1", "show ip bgp neighbors 10.0.12.2 received-routes")
    assert set(received) >= {"172.16.1.0/24", "172.16.2.0/24", "172.17.3.0/24"}


def test_what_a_route_map_sets_reaches_the_routers_inside(lab):
    row = table(lab, "R3")["172.16.2.0/24"]
    assert (row["local_pref"], row["metric"], row["next_hop"]) == ("250", "50", "10.0.13.1")
    assert "Community: 65001:1 65002:77" in show(lab, "R3", "show ip bgp 172.16.2.0")


def test_a_route_reflector_passes_on_what_its_clients_say(lab):
    assert "4.4.4.4/32" in table(lab, "R3")
    assert "Originator: 4.4.4.4, Cluster list: 1.1.1.1" in show(lab, "R3", "show ip bgp 4.4.4.4/32")


def test_communities_are_numbers_unless_the_new_format_is_set(lab):
    assert "Community: 4259905537 4259971149" in show(lab, "R1", "show ip bgp 172.16.2.0/24")


def test_a_redistributed_route_goes_inside_and_the_default_route_does_not(lab):
    assert table(lab, "R4")["50.0.0.0"]["origin"] == "?"
    type_lines(lab.nodes["R1"], "ip route 0.0.0.0 0.0.0.0 Null0", "ip route 51.0.0.0 255.0.0.0 Null0")
    assert eventually(lambda: "51.0.0.0" in table(lab, "R4"))
    assert "0.0.0.0" not in table(lab, "R4")
    type_lines(lab.nodes["R1"], "router bgp 65001", "default-information originate")
    assert eventually(lambda: "0.0.0.0" in table(lab, "R4"))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("show ip bgp regexp ^65002$", {"172.16.2.0/24"}),
        ("show ip bgp community 65001:1", {"172.16.2.0/24"}),
        ("show ip bgp prefix-list CUSTOMER", {"172.16.2.0/24"}),
        ("show ip bgp filter-list 1", {"172.16.2.0/24"}),
        ("show ip bgp community-list GOLD", {"172.16.2.0/24"}),
    ],
)
def test_parts_of_the_table_can_be_asked_for(lab, command, expected):
    assert set(table(lab, "R1", command)) == expected


def test_neighbors_are_read_by_ntc_templates(lab):
    rows = parse_output(
        platform="cisco_ios", command="show ip bgp neighbors", data=show(lab, "R1", "show ip bgp neighbors")
    )
    by_address = {row["neighbor"]: row for row in rows}
    assert set(by_address) == {"10.0.12.2", "10.0.13.3", "10.0.14.4"}
    assert by_address["10.0.12.2"]["inbound_routemap"] == "IN"
    assert by_address["10.0.13.3"]["peer_group"] == "INSIDE"
    assert all(row["bgp_state"] == "Established" for row in rows)


def test_a_changed_prefix_list_holds_without_a_new_session(lab):
    before = show(lab, "R1", "show ip bgp neighbors 10.0.12.2 routes")
    assert "172.17.3.0" not in before
    type_lines(lab.nodes["R1"], "ip prefix-list CUSTOMER permit 172.17.0.0/16 le 24")
    assert eventually(lambda: "172.17.3.0/24" in table(lab, "R3"))


def test_clear_ip_bgp_ends_sessions_and_they_come_back(lab):
    session = Session(device_of(lab.nodes["R1"]))
    assert session.enter("clear ip bgp *") == ""
    assert eventually(lambda: "172.16.2.0/24" in table(lab, "R3"), within_s=30)
    assert session.enter("clear ip bgp 10.0.12.2 soft in") == ""
    assert session.enter("clear ip bgp 10.9.9.9").startswith("%BGP: Unknown neighbor")


def test_a_neighbor_that_is_removed_takes_all_of_its_lines_along(lab):
    type_lines(lab.nodes["R1"], "router bgp 65001", "no neighbor 10.0.12.2 remote-as 65002")
    assert "10.0.12.2" not in show(lab, "R1", "show running-config | section router bgp")
    assert eventually(lambda: "172.16.2.0/24" not in table(lab, "R3"))
    assert "10.0.12.2" not in lab.nodes["R1"].vty([("bgpd", "enable"), ("bgpd", "show running-config")])[1][0]
