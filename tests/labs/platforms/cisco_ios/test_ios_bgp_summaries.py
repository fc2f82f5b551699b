"""What BGP takes from other sources: ``auto-summary``, and the kinds of OSPF routes.

Without ``match``, BGP takes internal OSPF routes only (Cisco document 5242). With ``auto-summary``, redistributed
subnets become their class A, B or C network, of which any part is enough for a classful ``network`` (Cisco's command
reference of ``auto-summary`` and of ``network (BGP)``; batfish issue 6072). Route maps see the subnets, and the next
hop of a summary is the router itself, with metric 0 (``show ip bgp`` at n-study.com, bgp-auto-summary).
"""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import eventually, ios_task, show

R1 = """
interface Gi0/0
 ip address 192.0.2.1 255.255.255.252
interface Gi0/1
 ip address 10.0.13.1 255.255.255.0
 ip ospf network point-to-point
interface Loopback0
 ip address 172.16.5.1 255.255.255.0
router ospf 1
 network 10.0.0.0 0.255.255.255 area 0
ip route 172.20.1.0 255.255.255.0 Null0
ip route 172.20.2.0 255.255.255.0 Null0
ip prefix-list SECOND seq 5 permit 172.20.2.0/24
ip prefix-list NONE seq 5 permit 198.51.100.0/24
route-map SECOND permit 10
 match ip address prefix-list SECOND
 set metric 77
route-map NONE permit 10
 match ip address prefix-list NONE
router bgp 65001
 bgp router-id 1.1.1.1
 neighbor 192.0.2.2 remote-as 65002
"""
R2 = """
interface Gi0/0
 ip address 192.0.2.2 255.255.255.252
router bgp 65002
 bgp router-id 2.2.2.2
 neighbor 192.0.2.1 remote-as 65001
"""
R3 = """
interface Gi0/0
 ip address 10.0.13.3 255.255.255.0
 ip ospf network point-to-point
interface Loopback0
 ip address 172.30.1.1 255.255.255.255
interface Loopback1
 ip address 172.30.2.1 255.255.255.255
router ospf 1
 network 10.0.0.0 0.255.255.255 area 0
 network 172.30.0.0 0.0.255.255 area 0
 redistribute static subnets
ip route 192.168.77.0 255.255.255.0 Null0
ip route 192.168.78.64 255.255.255.192 Null0
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2, "R3": R3}, ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R3 Gi0/0"]))


@pytest.fixture
def bgp(lab):
    """Types lines below ``router bgp`` on R1; they are taken back after the test."""
    typed = []

    def enter(*lines):
        _type(lab, ["router bgp 65001", *lines])
        typed.extend(lines)

    yield enter
    _type(
        lab, ["router bgp 65001", *(f"no {line.partition(' route-map')[0].partition(' match')[0]}" for line in typed)]
    )
    assert eventually(lambda: prefixes(lab) == set())


def _type(lab, lines):
    actions = lab.driver("R1").apply(lab.nodes["R1"], lines)
    assert [action.message for action in actions if action.status != "success"] == []


def rows(lab, node="R2"):
    """The rows of the BGP table by prefix; a classful network is printed without its length."""
    words = [line.split() for line in show(lab.nodes[node], "show ip bgp").splitlines() if line.startswith(" *>")]
    return {row[1] if row[0] == "*>" else row[0][2:]: row for row in words}


def prefixes(lab, node="R2"):
    return set(rows(lab, node)) - {"10.0.0.0"}


def announced(lab, *expected):
    return eventually(lambda: prefixes(lab) == set(expected), within_s=6.0) or prefixes(lab)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("redistribute ospf 1", {"10.0.13.0/24", "172.30.1.1/32", "172.30.2.1/32"}),
        ("redistribute ospf 1 match internal", {"10.0.13.0/24", "172.30.1.1/32", "172.30.2.1/32"}),
        ("redistribute ospf 1 match external 1 external 2", {"192.168.77.0", "192.168.78.64/26"}),
        (
            "redistribute ospf 1 match internal external 1 external 2",
            {"10.0.13.0/24", "172.30.1.1/32", "172.30.2.1/32", "192.168.77.0", "192.168.78.64/26"},
        ),
    ],
)
def test_bgp_takes_the_kinds_of_ospf_routes_that_the_line_names(lab, bgp, line, expected):
    bgp(line)
    assert announced(lab, *expected) is True


def test_summaries_take_the_place_of_redistributed_subnets(lab, bgp):
    bgp("redistribute ospf 1", "redistribute static")
    of_ospf = ("10.0.13.0/24", "172.30.1.1/32", "172.30.2.1/32")
    assert announced(lab, *of_ospf, "172.20.1.0/24", "172.20.2.0/24") is True
    bgp("auto-summary")
    assert announced(lab, "172.30.0.0", "172.20.0.0") is True
    own = rows(lab, "R1")["172.30.0.0"]
    assert own[2] == "0.0.0.0", own
    assert own[-2:] == ["32768", "?"], own


def test_a_summary_lasts_as_long_as_one_of_its_subnets(lab, bgp):
    bgp("auto-summary", "redistribute static")
    assert announced(lab, "172.20.0.0") is True
    _type(lab, ["no ip route 172.20.2.0 255.255.255.0 Null0"])
    assert announced(lab, "172.20.0.0") is True
    _type(lab, ["no ip route 172.20.1.0 255.255.255.0 Null0"])
    assert announced(lab) is True
    _type(lab, ["ip route 172.20.1.0 255.255.255.0 Null0", "ip route 172.20.2.0 255.255.255.0 Null0"])
    assert announced(lab, "172.20.0.0") is True


def test_a_summary_of_two_sources_lasts_as_long_as_one_of_them(lab, bgp):
    _type(lab, ["interface Loopback7", "ip address 172.20.7.1 255.255.255.0"])
    bgp("auto-summary", "redistribute static", "redistribute connected")
    assert announced(lab, "172.16.0.0", "172.20.0.0", "192.0.2.0") is True
    _type(lab, ["no interface Loopback7"])
    assert announced(lab, "172.16.0.0", "172.20.0.0", "192.0.2.0") is True
    _type(lab, ["interface Loopback7", "ip address 172.20.7.1 255.255.255.0"])
    _type(lab, ["router bgp 65001", "no redistribute static"])
    assert announced(lab, "172.16.0.0", "172.20.0.0", "192.0.2.0") is True
    _type(lab, ["no interface Loopback7"])
    assert announced(lab, "172.16.0.0", "192.0.2.0") is True


def test_a_route_map_sees_the_subnets_of_a_summary(lab, bgp):
    bgp("auto-summary", "redistribute static route-map SECOND")
    assert announced(lab, "172.20.0.0") is True
    assert rows(lab, "R1")["172.20.0.0"][3] == "77"
    _type(lab, ["no ip route 172.20.2.0 255.255.255.0 Null0"])
    assert announced(lab) is True
    _type(lab, ["ip route 172.20.2.0 255.255.255.0 Null0"])
    assert announced(lab, "172.20.0.0") is True
    _type(lab, ["router bgp 65001", "redistribute static route-map NONE"])
    assert announced(lab) is True


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ("network 172.16.0.0", {"172.16.0.0"}),  # connected
        ("network 172.20.0.0", {"172.20.0.0"}),  # static
        ("network 172.30.0.0", {"172.30.0.0"}),  # OSPF
        ("network 172.16.5.0 mask 255.255.255.0", {"172.16.5.0/24"}),
        ("network 172.16.4.0 mask 255.255.252.0", set()),
        ("network 172.17.0.0", set()),
    ],
)
def test_a_part_is_enough_for_a_classful_network(lab, bgp, network, expected):
    bgp("auto-summary", network)
    assert announced(lab, *expected) is True
    for row in rows(lab, "R1").values():
        assert (row[2], *row[-2:]) == ("0.0.0.0", "32768", "i")
    _type(lab, ["router bgp 65001", "no auto-summary"])
    assert announced(lab, *([] if network.count(" ") == 1 else expected)) is True
    _type(lab, ["router bgp 65001", "auto-summary"])


def test_a_default_route_is_redistributed_with_default_information_only(lab, bgp):
    _type(lab, ["ip route 0.0.0.0 0.0.0.0 Null0"])
    bgp("redistribute static")
    assert announced(lab, "172.20.1.0/24", "172.20.2.0/24") is True
    bgp("default-information originate")
    assert announced(lab, "172.20.1.0/24", "172.20.2.0/24", "0.0.0.0") is True
    _type(lab, ["no ip route 0.0.0.0 0.0.0.0 Null0"])


def test_a_summary_booted_is_a_summary_typed(lab, bgp):
    bgp("auto-summary", "redistribute ospf 1", "network 172.16.0.0")
    assert announced(lab, "172.30.0.0", "172.16.0.0") is True
    assert eventually(lambda: "10.0.0.0" in rows(lab, "R1"))  # the network between R1 and R3, on which OSPF runs
    before = rows(lab, "R1")
    device = device_of(lab.nodes["R1"])
    device.startup_config = device.running_config()
    startup.reload(device)
    assert announced(lab, "172.30.0.0", "172.16.0.0") is True
    assert eventually(lambda: rows(lab, "R1") == before)


IN_VRF = """
ip vrf RED
 rd 1:1
interface Gi0/0
 ip vrf forwarding RED
 ip address 192.0.2.1 255.255.255.252
interface Loopback0
 ip vrf forwarding RED
 ip address 172.16.5.1 255.255.255.0
interface Loopback1
 ip address 172.18.5.1 255.255.255.0
router bgp 65001
 bgp router-id 1.1.1.1
 redistribute connected
 address-family ipv4 vrf RED
  neighbor 192.0.2.2 remote-as 65002
  neighbor 192.0.2.2 activate
  redistribute connected
  auto-summary
"""


def test_each_vrf_summarizes_for_itself(deploy_task):
    lab = deploy_task(ios_task({"R1": IN_VRF, "R2": R2}, ["R1 Gi0/0 - R2 Gi0/0"]))
    assert announced(lab, "172.16.0.0", "192.0.2.0") is True
    assert prefixes(lab, "R1") == {"172.18.5.0/24"}
    _type(lab, ["router bgp 65001", "address-family ipv4 vrf RED", "no auto-summary"])
    assert eventually(lambda: "172.16.5.0/24" in show(lab.nodes["R2"], "show ip bgp"))
