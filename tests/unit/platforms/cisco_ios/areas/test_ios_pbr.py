"""Policy routing without a lab: marks, rules and tables."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

PORT = ("interface gi0/0", "ip address 10.0.0.1 255.255.255.0", "no shutdown", "ip policy route-map PBR")


def plan_of(*lines):
    device = paper(*lines)
    return compile_state(device.grammar, device.config, device.facts)


def test_an_entry_marks_packets_for_the_table_of_its_next_hop():
    plan = plan_of(*PORT, "route-map PBR permit 10", "set ip next-hop 10.0.0.2")
    assert plan.nft.rules["inet", "pbr_in"] == ['iifname "gi0-0" jump pbr_PBR']
    assert "ip route 0.0.0.0/0 10.0.0.2 1 table 2001" in [line.path[-1] for line in plan.frr.of("staticd")]
    assert plan.rules == ["priority 200 fwmark 0x7d1/0xffff lookup 2001"]


def test_next_hops_are_tried_in_order_and_then_interfaces():
    plan = plan_of(*PORT, "route-map PBR permit 10", "set ip next-hop 10.0.0.2 10.0.0.3", "set interface gi0/1")
    assert [line.path[-1] for line in plan.frr.of("staticd")] == [
        "ip route 0.0.0.0/0 10.0.0.2 1 table 2001",
        "ip route 0.0.0.0/0 10.0.0.3 2 table 2001",
        "ip route 0.0.0.0/0 gi0-1 3 table 2001",
    ]


def test_a_next_hop_that_is_not_adjacent_is_left_out():
    plan = plan_of(*PORT, "route-map PBR permit 10", "set ip next-hop 192.0.2.1")
    assert plan.rules == []


def test_a_recursive_next_hop_comes_after_next_hops_and_before_interfaces():
    lines = ("set interface gi0/1", "set ip next-hop recursive 192.0.2.1", "set ip next-hop 10.0.0.2")
    plan = plan_of(*PORT, "route-map PBR permit 10", *lines)
    assert [line.path[-1] for line in plan.frr.of("staticd")] == [
        "ip route 0.0.0.0/0 10.0.0.2 1 table 2001",
        "ip route 0.0.0.0/0 192.0.2.1 2 table 2001",
        "ip route 0.0.0.0/0 gi0-1 3 table 2001",
    ]


def test_a_default_next_hop_comes_after_routes_and_before_the_default_route():
    plan = plan_of(*PORT, "route-map PBR permit 10", "set ip default next-hop 10.0.0.2")
    assert plan.rules == [
        "priority 201 fwmark 0x7d1/0xffff lookup main suppress_prefixlength 0",
        "priority 202 fwmark 0x7d1/0xffff lookup 12001",
    ]


def test_a_route_map_that_is_not_there_routes_nothing_otherwise():
    plan = plan_of(*PORT)
    assert plan.rules == []
    assert ("inet", "pbr_PBR") in plan.nft.chains


def test_what_packets_are_not_looked_at_for_is_said_and_matches_nothing():
    plan = plan_of(*PORT, "route-map PBR permit 10", "match tag 5", "set ip next-hop 10.0.0.2")
    assert plan.unsupported == [("match tag 5", "policy routing matches only access lists and packet lengths")]


def test_interfaces_that_route_by_policy_are_shown():
    device = paper(*PORT, "exit", "ip local policy route-map OWN")
    assert (
        Session(device).enter("show ip policy") == "Interface      Route map\nlocal          OWN\nGi0/0          PBR\n"
    )
