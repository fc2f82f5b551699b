"""Policy routing of IOS routers, tested by the path of packets."""

from __future__ import annotations

import re

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, ios_task, type_lines

# h1, h2 - R1 = two lines to R2 (10.0.12.0/24 by default, 10.1.12.0/24 by policy) - h3
R1 = """
interface Gi0/0
 ip address 10.0.1.1 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.12.1 255.255.255.0
 no shutdown
interface Gi0/2
 ip address 10.1.12.1 255.255.255.0
 no shutdown
ip route 0.0.0.0 0.0.0.0 10.0.12.2
ip access-list extended FROM-H1
 permit ip host 10.0.1.10 any
"""
R2 = """
interface Gi0/0
 ip address 10.0.3.1 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Gi0/2
 ip address 10.1.12.2 255.255.255.0
 no shutdown
ip route 10.0.1.0 255.255.255.0 10.0.12.1
"""


def host(address, gateway):
    return f"ip address add {address}/24 dev eth0\nip route add default via {gateway}\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    hosts = {"h1": host("10.0.1.10", "10.0.1.1"), "h3": host("10.0.3.10", "10.0.3.1")}
    links = ["R1 Gi0/0 - h1 eth0", "R1 Gi0/1 - R2 Gi0/1", "R1 Gi0/2 - R2 Gi0/2", "R2 Gi0/0 - h3 eth0"]
    return deploy_task(ios_task({"R1": R1, "R2": R2}, links, hosts=hosts))


@pytest.fixture
def policy(lab):
    def typed(*lines):
        type_lines(lab.nodes["R1"], *lines, "interface gi0/0", "ip policy route-map PBR")

    yield typed
    type_lines(lab.nodes["R1"], "no route-map PBR", "interface gi0/0", "no ip policy route-map PBR")


def show(lab, command):
    return Session(device_of(lab.nodes["R1"])).enter(command)


def received(lab, interface):
    """Return the number of packets that R2 received from one of the lines."""
    return int(
        re.search(r"(\d+) packets input", Session(device_of(lab.nodes["R2"])).enter(f"show interfaces {interface}"))[1]
    )


def way(lab, *, size=56, count=3):
    """Return the line on which R2 receives three pings of h1."""
    before = [received(lab, name) for name in ("Gi0/1", "Gi0/2")]
    assert (
        lab.nodes["h1"]
        .run(["ping", "-c", str(count), "-i", "0.01", "-s", str(size), "-W", "10", "10.0.3.10"])
        .returncode
        == 0
    )
    after = [received(lab, name) for name in ("Gi0/1", "Gi0/2")]
    more = [b - a for a, b in zip(before, after, strict=True)]
    assert max(more) >= count
    return ("Gi0/1", "Gi0/2")[more.index(max(more))]


def test_without_a_policy_the_destination_decides(lab):
    assert way(lab) == "Gi0/1"


def test_packets_that_the_list_permits_take_the_next_hop_and_are_counted(lab, policy):
    policy("route-map PBR permit 10", "match ip address FROM-H1", "set ip next-hop 10.1.12.2")
    assert way(lab) == "Gi0/2"
    (entry,) = parse_output(platform="cisco_ios", command="show route-map", data=show(lab, "show route-map"))
    assert entry["match_clauses"] == ["ip address (access-lists): FROM-H1"]
    assert entry["set_clauses"] == ["ip next-hop 10.1.12.2"]
    assert "Policy routing matches: 3 packets" in show(lab, "show route-map PBR")
    assert re.search(r"^Gi0/0 +PBR$", show(lab, "show ip policy"), re.MULTILINE)


def test_a_denying_entry_leaves_packets_to_their_destination(lab, policy):
    policy("route-map PBR deny 5", "match ip address FROM-H1", "route-map PBR permit 10", "set ip next-hop 10.1.12.2")
    assert way(lab) == "Gi0/1"


def test_lengths_of_packets_decide(lab, policy):
    policy("route-map PBR permit 10", "match length 500 1500", "set ip next-hop 10.1.12.2")
    assert way(lab) == "Gi0/1"
    assert way(lab, size=600) == "Gi0/2"


def test_any_of_several_lists_will_do(lab, policy):
    policy(
        "access-list 7 permit 9.9.9.9",
        "route-map PBR permit 10",
        "match ip address 7 FROM-H1",
        "set ip next-hop 10.1.12.2",
    )
    assert way(lab) == "Gi0/2"


def test_a_next_hop_behind_a_shut_interface_is_passed_by(lab, policy):
    policy("route-map PBR permit 10", "set ip next-hop 10.1.12.2")
    assert way(lab) == "Gi0/2"
    type_lines(lab.nodes["R1"], "interface gi0/2", "shutdown")
    assert way(lab) == "Gi0/1"
    type_lines(lab.nodes["R1"], "interface gi0/2", "no shutdown")


def test_a_recursive_next_hop_is_used_while_there_is_a_route_to_it(lab, policy):
    policy("route-map PBR permit 10", "set ip next-hop recursive 10.9.9.9")
    assert way(lab) == "Gi0/1"
    type_lines(lab.nodes["R1"], "ip route 10.9.9.0 255.255.255.0 10.1.12.2")
    assert way(lab) == "Gi0/2"
    assert "  Set clauses:\n    ip next-hop recursive 10.9.9.9\n" in show(lab, "show route-map PBR")
    # a next hop that is usable precedes it
    type_lines(lab.nodes["R1"], "route-map PBR permit 10", "set ip next-hop 10.0.12.2")
    assert way(lab) == "Gi0/1"
    type_lines(lab.nodes["R1"], "route-map PBR permit 10", "no set ip next-hop 10.0.12.2")
    assert way(lab) == "Gi0/2"
    type_lines(lab.nodes["R1"], "no ip route 10.9.9.0 255.255.255.0 10.1.12.2")
    assert way(lab) == "Gi0/1"


@pytest.mark.parametrize("way_back", ["set interface Loopback7", "set ip next-hop 10.7.7.2"])
def test_packets_sent_to_a_loopback_enter_again_and_follow_their_destination(lab, policy, way_back):
    type_lines(lab.nodes["R1"], "interface Loopback7", "ip address 10.7.7.1 255.255.255.252")
    policy("route-map PBR permit 10", way_back)
    assert way(lab) == "Gi0/1"
    assert "Loopback7" not in show(lab, "show netbench unsupported")
    type_lines(lab.nodes["R1"], "interface Loopback7", "ip nat inside")
    assert f"{way_back}" in show(lab, "show netbench unsupported")
    type_lines(lab.nodes["R1"], "no interface Loopback7")


def test_a_default_next_hop_serves_what_has_no_route_of_its_own(lab, policy):
    policy("route-map PBR permit 10", "set ip default next-hop 10.1.12.2")
    assert way(lab) == "Gi0/2"
    type_lines(lab.nodes["R1"], "ip route 10.0.3.0 255.255.255.0 10.0.12.2")
    assert way(lab) == "Gi0/1"
    type_lines(lab.nodes["R1"], "no ip route 10.0.3.0 255.255.255.0 10.0.12.2")


def test_the_router_s_own_packets_follow_the_local_policy(lab):
    type_lines(lab.nodes["R1"], "route-map OWN permit 10", "set ip next-hop 10.1.12.2", "ip local policy route-map OWN")
    before = received(lab, "Gi0/2")
    assert "!!!!!" in show(lab, "ping 10.0.3.10 source 10.0.1.1")
    assert received(lab, "Gi0/2") - before >= 5
    type_lines(lab.nodes["R1"], "no ip local policy route-map OWN", "no route-map OWN")
