"""Over which routes BGP of IOS reaches next hops and neighbors, and what leaves a confederation."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import eventually, ios_task, show, type_lines

P2P = " ip ospf network point-to-point\n no shutdown\n"
R1 = f"""
interface Loopback0
 ip address 10.0.0.1 255.255.255.255
interface Loopback1
 ip address 10.0.1.1 255.255.255.255
interface Gi0/0
 ip address 10.1.12.1 255.255.255.252
{P2P}ip route 0.0.0.0 0.0.0.0 10.1.12.2
ip route 198.51.100.0 255.255.255.0 203.0.113.9
router ospf 1
 network 10.0.0.0 0.255.255.255 area 0
router bgp 65000
 network 10.0.0.1 mask 255.255.255.255
 neighbor 10.0.0.2 remote-as 65000
 neighbor 10.0.0.2 update-source Loopback0
"""
R2 = f"""
interface Loopback0
 ip address 10.0.0.2 255.255.255.255
interface Gi0/0
 ip address 10.1.12.2 255.255.255.252
{P2P}interface Gi0/1
 ip address 192.0.2.1 255.255.255.252
 no shutdown
ip route 10.9.9.9 255.255.255.255 192.0.2.2
ip route 10.77.0.1 255.255.255.255 192.0.2.2
router ospf 1
 network 10.0.0.0 0.255.255.255 area 0
router bgp 65000
 neighbor 10.0.0.1 remote-as 65000
 neighbor 10.0.0.1 update-source Loopback0
 neighbor 10.9.9.9 remote-as 65100
 neighbor 10.9.9.9 ebgp-multihop 2
 neighbor 10.9.9.9 update-source Loopback0
"""
X = """
interface Loopback0
 ip address 10.9.9.9 255.255.255.255
interface Loopback1
 ip address 10.77.0.1 255.255.255.255
interface Loopback2
 ip address 172.20.1.1 255.255.255.0
interface Gi0/0
 ip address 192.0.2.2 255.255.255.252
 no shutdown
ip route 10.0.0.2 255.255.255.255 192.0.2.1
ip route 0.0.0.0 0.0.0.0 192.0.2.1
router bgp 65100
 network 10.9.9.9 mask 255.255.255.255
 network 172.20.1.0 mask 255.255.255.0
 neighbor 10.0.0.2 remote-as 65000
 neighbor 10.0.0.2 ebgp-multihop 2
 neighbor 10.0.0.2 update-source Loopback0
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2, "X": X}, ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - X Gi0/0"]))


# the host route of an IGP: blog.ipspace.net 2024/03 frr-ibgp-loopbacks; IOS looks a next hop up in the whole table
@pytest.mark.parametrize(
    ("node", "prefix", "status", "hop"),
    [
        ("R2", "10.0.0.1/32", "r>i", "10.0.0.1"),
        ("X", "10.0.0.1/32", "*>", "10.0.0.2"),
        ("R2", "10.9.9.9/32", "r>", "10.9.9.9"),
        ("R1", "172.20.1.0/24", "*>i", "10.9.9.9"),
    ],
    ids=["own-host-route", "it-is-passed-on", "of-a-multihop-peer", "over-the-default-route"],
)
def test_a_path_is_best_by_what_the_routing_table_knows_of_its_next_hop(lab, node, prefix, status, hop):
    def found():
        return [line.split()[:3] for line in show(lab.nodes[node], "show ip bgp").splitlines() if prefix in line]

    assert eventually(lambda: found() == [[status, prefix, hop]]), found()


def test_a_path_over_the_default_route_forwards_and_a_static_route_over_it_is_not_there(lab):
    assert eventually(lambda: "172.20.1.0" in show(lab.nodes["R1"], "show ip route bgp"))
    assert "!!!!!" in show(lab.nodes["R1"], "ping 172.20.1.1 source Loopback0")
    assert "198.51.100.0" not in show(lab.nodes["R1"], "show ip route static")


def test_a_session_is_not_opened_over_the_default_route_but_answered(lab):
    type_lines(lab.nodes["R1"], "router bgp 65000", *_session("10.77.0.1", 65100))
    type_lines(lab.nodes["X"], "router bgp 65100", *_session("10.0.1.1", 65000))

    def is_up(node, peer):
        row = next(line for line in show(node, "show ip bgp summary").splitlines() if line.startswith(peer))
        return row.split()[-1].isdigit()

    assert not eventually(lambda: is_up(lab.nodes["R1"], "10.77.0.1"), within_s=4.0)
    type_lines(lab.nodes["X"], "ip route 10.0.1.1 255.255.255.255 192.0.2.1")
    assert eventually(lambda: is_up(lab.nodes["R1"], "10.77.0.1"))


def _session(peer, number):
    words = (f"remote-as {number}", "ebgp-multihop 5", "update-source Loopback1")
    return [f"neighbor {peer} {one}" for one in words]


OUTSIDE = """
interface Gi0/0
 ip address 192.0.2.1 255.255.255.252
 no shutdown
ip route 198.51.100.0 255.255.255.0 Null0
router bgp 65004
 network 198.51.100.0
 neighbor 192.0.2.2 remote-as 64500
"""
BORDER = """
interface Gi0/0
 ip address 192.0.2.2 255.255.255.252
 no shutdown
interface Gi0/1
 ip address 192.0.2.5 255.255.255.252
 no shutdown
interface Gi0/2
 ip address 192.0.2.9 255.255.255.252
 no shutdown
router bgp 65010
 bgp confederation identifier 64500
 bgp confederation peers 65011
 neighbor 192.0.2.1 remote-as 65004
 neighbor 192.0.2.6 remote-as 64496
 neighbor 192.0.2.10 remote-as 65011
"""
CUSTOMER = """
interface Gi0/0
 ip address 192.0.2.6 255.255.255.252
 no shutdown
router bgp 64496
 neighbor 192.0.2.5 remote-as 64500
"""
MEMBER = """
interface Gi0/0
 ip address 192.0.2.10 255.255.255.252
 no shutdown
ip route 192.0.2.0 255.255.255.252 192.0.2.9
router bgp 65011
 bgp confederation identifier 64500
 bgp confederation peers 65010
 neighbor 192.0.2.9 remote-as 65010
"""


@pytest.fixture(scope="module")
def confederation(deploy_task):
    configs = {"R1": OUTSIDE, "R2": BORDER, "R3": CUSTOMER, "R4": MEMBER}
    return deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0", "R2 Gi0/2 - R4 Gi0/0"]))


def path(lab, node):
    """Return next hop and AS path of the network that R1 announces."""
    rows = [line for line in show(lab.nodes[node], "show ip bgp").splitlines() if "198.51.100.0" in line]
    words = rows[0].split() if rows else []
    return words[2:3] + words[words.index("0", 3) :] if words else []


def test_a_next_hop_stays_between_members_of_a_confederation(confederation):
    # RFC 5065, section 4: it may be kept; IOS keeps it without next-hop-self
    wanted = ["192.0.2.1", "0", "100", "0", "(65010)", "65004", "i"]
    assert eventually(lambda: path(confederation, "R4") == wanted), path(confederation, "R4")


# as numbers outside are those of the confederation: batfish issue 9876
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((), "64500 65004"),
        (("remove-private-as",), "64500"),
        (("remove-private-as all",), "64500"),
        (("remove-private-as all replace-as",), "64500 64500"),
        (("remove-private-as all replace-as", "route-map TWICE out"), "64500 64500 64500 64500"),
    ],
    ids=["plain", "remove", "remove-all", "replace", "replace-and-a-map"],
)
def test_the_number_of_a_member_never_leaves_the_confederation(confederation, lines, expected):
    type_lines(confederation.nodes["R2"], "route-map TWICE", "set as-path prepend 64500 64500")
    typed = [f"neighbor 192.0.2.6 {line}" for line in lines]
    type_lines(confederation.nodes["R2"], "router bgp 65010", *typed)
    try:
        wanted = ["192.0.2.5", "0", *expected.split(), "i"]
        assert eventually(lambda: path(confederation, "R3") == wanted), path(confederation, "R3")
    finally:
        undone = [f"no neighbor 192.0.2.6 {line}" for line in lines]
        type_lines(confederation.nodes["R2"], "router bgp 65010", *undone)


def test_a_local_as_towards_the_outside_of_a_confederation_is_listed_as_without_effect(confederation):
    line = "neighbor 192.0.2.6 local-as 64999 no-prepend replace-as"
    type_lines(confederation.nodes["R2"], "router bgp 65010", line)
    assert "local-as 64999" in show(confederation.nodes["R2"], "show netbench unsupported")
    type_lines(confederation.nodes["R2"], "router bgp 65010", f"no {line}")
    assert "local-as 64999" not in show(confederation.nodes["R2"], "show netbench unsupported")


def test_the_rules_hold_after_a_reload(lab):
    device = device_of(lab.nodes["R2"])
    device.startup_config = device.running_config()
    startup.reload(device)
    assert eventually(lambda: "r>i 10.0.0.1/32" in show(lab.nodes["R2"], "show ip bgp"), within_s=10.0)
