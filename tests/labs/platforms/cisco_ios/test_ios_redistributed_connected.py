"""Connected networks that come with a redistributed protocol.

For IPv4 a router redistributes the routes that a protocol has in the routing table, and the networks of the connected
interfaces on which it runs; IS-IS is the exception. For IPv6 the second part needs ``include-connected`` (INE,
"Understanding how route redistribution works in IPv6", 2008, and the command reference of IPv6). BGP has no interfaces.
"""

from __future__ import annotations

from functools import partial

import pytest

from tests.support.ios import eventually, ios_task, show, type_lines

# R2 runs each source protocol on a loopback and one link, and each target protocol on another link
SOURCES = {
    "ospf 1": "network 10.1.0.0 0.0.255.255 area 0",
    "rip": "network 10.0.0.0",
    "eigrp 1": "network 10.1.0.0 0.0.255.255",
    "isis": "net 49.0001.0000.0000.0002.00",
}
TARGETS = {
    "rip": ("router rip\n version 2\n no auto-summary\n network 192.0.2.0", "metric 3"),
    "ospf 9": ("router ospf 9\n network 192.0.2.0 0.0.0.255 area 0", "subnets"),
    "isis": ("router isis\n metric-style wide\n net 49.0001.0000.0000.000{n}.00", "level-2"),
    "bgp 65000": ("router bgp 65000\n neighbor 192.0.2.{other} remote-as 65000", ""),
}
ONLY = ("route-map ONLY permit 10", "match ip address 7")
LEGS = {"rip": "rip", "ospf 9": "ospf", "isis": "isis", "bgp 65000": "bgp"}
PAIRS = [(source, target) for target in TARGETS for source in SOURCES if source.split()[0] != target.split()[0]]


R2 = """
interface Gi0/0
 ip address 192.0.2.2 255.255.255.0
 no shutdown
interface Loopback1
 ip address 10.1.1.1 255.255.255.0
interface Loopback2
 ip address 172.16.2.1 255.255.255.0
"""


R1 = """
interface Gi0/0
 ip address 192.0.2.1 255.255.255.0
 no shutdown
interface Loopback9
 ip address 198.51.100.1 255.255.255.255
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2}, ["R1 Gi0/0 - R2 Gi0/0"]))


@pytest.fixture
def configure(lab):
    """Type lines on both routers; remove all routing processes afterwards."""
    heads = set()

    def typed(node, *lines):
        heads.update((node, line) for line in lines if line.startswith("router "))
        type_lines(lab.nodes[node], *lines)

    yield typed
    for node, head in heads:
        type_lines(lab.nodes[node], f"no {head}")
    for node, one in (("R1", "Gi0/0"), ("R2", "Gi0/0"), ("R2", "Loopback1")):
        type_lines(lab.nodes[node], f"interface {one}", "no ip router isis")
    type_lines(lab.nodes["R2"], "no route-map ONLY", "no access-list 7", "no ip route 172.31.0.0 255.255.0.0 Null0")


def join(configure, target):
    """Let R1 and R2 run the target protocol on their link; wait for nothing."""
    lines = TARGETS[target][0]
    for node, n, other in (("R1", 1, 2), ("R2", 2, 1)):
        configure(node, *(line.strip() for line in lines.format(n=n, other=other).splitlines()))
        if target == "isis":
            configure(node, "interface Gi0/0", "ip router isis")


def run_source(configure, source):
    configure("R2", f"router {source}", *SOURCES[source].splitlines())
    if source == "isis":
        configure("R2", "interface Loopback1", "ip router isis")


def routes(lab, word):
    return show(lab.nodes["R1"], f"show ip route {word}")


def learned(lab, word):
    return [line for line in routes(lab, word).splitlines() if "10.1.1.0" in line]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_connected_networks_of_a_source_come_with_it_except_those_of_isis(lab, configure, source, target):
    join(configure, target)
    run_source(configure, source)
    # a static route tells when the target has converged
    line, static = (f"redistribute {one} {TARGETS[target][1]}".strip() for one in (source, "static"))
    configure("R2", "ip route 172.31.0.0 255.255.0.0 Null0", f"router {target}", line, static)
    known = partial(routes, lab, LEGS[target])
    assert eventually(lambda: "172.31.0.0" in known(), within_s=20.0), known()
    included = source != "isis"
    assert eventually(lambda: bool(learned(lab, LEGS[target])) == included, within_s=8.0), known()
    assert "172.16.2.0" not in known(), "the protocol does not run on this interface"
    configure("R2", f"router {target}", f"no redistribute {source}")
    assert eventually(lambda: not learned(lab, LEGS[target]), within_s=8.0), known()


def test_the_route_map_and_the_metric_of_the_line_hold_for_the_included_networks(lab, configure):
    join(configure, "rip")
    run_source(configure, "ospf 1")
    configure("R2", "access-list 7 deny 10.1.1.0", "access-list 7 permit any", *ONLY)
    configure("R2", "router rip", "redistribute ospf 1 metric 4")
    assert eventually(lambda: any("[120/4]" in line for line in learned(lab, "rip")), within_s=8.0)
    configure("R2", "router rip", "no redistribute ospf 1")
    assert eventually(lambda: not learned(lab, "rip"), within_s=8.0)
    configure("R2", "router rip", "redistribute ospf 1 metric 4 route-map ONLY")
    configure("R2", "ip route 172.31.0.0 255.255.0.0 Null0", "router rip", "redistribute static")
    assert eventually(lambda: "172.31.0.0" in show(lab.nodes["R1"], "show ip route rip"), within_s=20.0)
    assert not learned(lab, "rip")


def test_a_line_about_connected_networks_decides_about_all_of_them(lab, configure):
    join(configure, "ospf 9")
    run_source(configure, "rip")
    configure("R2", "access-list 7 deny 10.1.1.0", "access-list 7 permit any", *ONLY)
    configure("R2", "router ospf 9", "redistribute rip subnets")
    assert eventually(lambda: any("[110/20]" in line for line in learned(lab, "ospf")), within_s=8.0)
    configure("R2", "router ospf 9", "redistribute connected subnets route-map ONLY")
    found = partial(routes, lab, "ospf")
    assert eventually(lambda: "172.16.2.0" in found() and "10.1.1.0" not in found(), within_s=8.0), found()
    configure("R2", "router ospf 9", "no redistribute connected")
    assert eventually(lambda: "10.1.1.0" in found() and "172.16.2.0" not in found(), within_s=8.0), found()


def test_a_distribute_list_for_the_source_holds_for_the_included_networks(lab, configure):
    join(configure, "ospf 9")
    run_source(configure, "rip")
    configure("R2", "access-list 7 deny 10.1.1.0", "access-list 7 permit any")
    configure("R2", "ip route 172.31.0.0 255.255.0.0 Null0", "router ospf 9", "redistribute rip subnets")
    known = partial(routes, lab, "ospf")
    assert eventually(lambda: learned(lab, "ospf"), within_s=20.0), known()
    configure("R2", "router ospf 9", "distribute-list 7 out static")
    assert not eventually(lambda: not learned(lab, "ospf"), within_s=2.0), known()
    configure("R2", "router ospf 9", "distribute-list 7 out rip", "redistribute static subnets")
    assert eventually(lambda: not learned(lab, "ospf") and "172.31.0.0" in known(), within_s=20.0), known()
    configure("R2", "router ospf 9", "no distribute-list 7 out rip")
    assert eventually(lambda: learned(lab, "ospf"), within_s=20.0), known()


def test_external_routes_of_ospf_alone_come_without_connected_networks(lab, configure):
    join(configure, "bgp 65000")
    run_source(configure, "ospf 1")
    configure("R2", "router bgp 65000", "redistribute ospf 1")
    assert eventually(lambda: learned(lab, "bgp"), within_s=20.0)
    configure("R2", "router bgp 65000", "no redistribute ospf 1", "redistribute ospf 1 match external 1 external 2")
    assert eventually(lambda: not learned(lab, "bgp"), within_s=8.0)


SIX = """
ipv6 unicast-routing
interface Gi0/0
 ipv6 address 2001:DB8:12::{n}/64
 no shutdown
"""
SIX_R2 = """
interface Loopback1
 ipv6 address 2001:DB8:1::1/64
interface Loopback2
 ipv6 address 2001:DB8:2::1/64
"""


@pytest.fixture(scope="module")
def six(deploy_task):
    configs = {"R1": SIX.format(n=1), "R2": SIX.format(n=2) + SIX_R2}
    return deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))


@pytest.mark.parametrize(
    ("runs", "head", "line", "word"),
    [
        (("ipv6 rip T enable", "ipv6 ospf 1 area 0"), "ipv6 router rip T", "redistribute ospf 1 metric 3", "rip"),
        (("ipv6 ospf 1 area 0", "ipv6 rip T enable"), "ipv6 router ospf 1", "redistribute rip T", "ospf"),
    ],
)
def test_ipv6_takes_the_networks_of_the_source_with_include_connected_only(six, runs, head, line, word):
    def known():
        return show(six.nodes["R1"], f"show ipv6 route {word}")

    for node, number in (("R1", 1), ("R2", 2)):
        type_lines(six.nodes[node], "ipv6 router ospf 1", f"router-id 1.1.1.{number}", "interface Gi0/0", runs[0])
    type_lines(six.nodes["R2"], "interface Loopback1", runs[1], "ipv6 route 2001:DB8:99::/48 Null0")
    type_lines(six.nodes["R2"], head, "redistribute static" + " metric 2" * (word == "rip"), line)
    assert eventually(lambda: "2001:DB8:99::/48" in known(), within_s=20.0), known()
    assert "2001:DB8:1::/64" not in known()
    type_lines(six.nodes["R2"], head, f"{line} include-connected")
    assert eventually(lambda: "2001:DB8:1::/64" in known(), within_s=10.0), known()
    assert "2001:DB8:2::/64" not in known()
    for node in ("R1", "R2"):
        type_lines(six.nodes[node], "no ipv6 router ospf 1", "no ipv6 router rip T")


def test_networks_are_included_after_a_boot_and_follow_their_interface(deploy_task):
    process = "router rip\n version 2\n no auto-summary\n network 192.0.2.0\n"
    source = "router ospf 1\n network 10.1.0.0 0.0.255.255 area 0\n redistribute rip subnets\n"
    configs = {"R1": R1 + process, "R2": R2 + source + process + " redistribute ospf 1 metric 2\n"}
    lab = deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))
    assert eventually(lambda: learned(lab, "rip"), within_s=20.0)
    assert "192.0.2.0" in show(lab.nodes["R2"], "show ip ospf database external")
    type_lines(lab.nodes["R2"], "interface Loopback1", "shutdown")
    assert eventually(lambda: not learned(lab, "rip"), within_s=20.0)
    type_lines(lab.nodes["R2"], "interface Loopback1", "no shutdown")
    assert eventually(lambda: learned(lab, "rip"), within_s=20.0)
