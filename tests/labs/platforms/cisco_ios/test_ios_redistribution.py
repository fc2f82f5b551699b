"""Special cases of redistribution, as Cisco routers were seen to do it (issues of batfish/batfish, by number)."""

from __future__ import annotations

import pytest

from tests.support.ios import eventually, ios_task, show

LINK = " ip ospf network point-to-point\n no shutdown\n"
NULL = ("128.0.0.0 192.0.0.0", "172.31.0.0 255.255.0.0", "10.99.0.0 255.255.0.0", "10.0.0.0 254.0.0.0")
R1 = f"""
interface Gi0/0
 ip address 192.0.2.1 255.255.255.252
{LINK}router ospf 1
 network 192.0.2.0 0.0.0.3 area 0
 default-information originate
 distance 108
ip route 0.0.0.0 0.0.0.0 Null0
router bgp 65001
 bgp router-id 1.1.1.1
 distance bgp 200 200 200
 neighbor 192.0.2.2 remote-as 65002
"""
R2 = f"""
interface Gi0/0
 ip address 192.0.2.2 255.255.255.252
{LINK}interface Loopback0
 ip address 203.0.113.129 255.255.255.192
interface Loopback1
 ip address 192.168.7.1 255.255.255.0
{"".join(f"ip route {one} Null0" + chr(10) for one in (*NULL, "198.18.0.0 255.254.0.0", "192.0.0.0 192.0.0.0"))}
ip as-path access-list 1 permit ^65099$
ip community-list standard RED permit 65000:1
ip prefix-list LOOPBACK permit 192.168.7.0/24
route-map PATH permit 10
 match as-path 1
 match ip address prefix-list LOOPBACK
route-map COLOR permit 10
 match community RED
router ospf 1
 network 192.0.2.0 0.0.0.3 area 0
 default-metric 100
 default-information originate always metric-type 1
 redistribute connected
 redistribute static
 redistribute bgp 65002
router bgp 65002
 bgp router-id 2.2.2.2
 neighbor 192.0.2.1 remote-as 65001
 redistribute connected route-map PATH
 redistribute static route-map COLOR
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2}, ["R1 Gi0/0 - R2 Gi0/0"]))


def routes(lab, node, word):
    return [line for line in show(lab.nodes[node], "show ip route ospf").splitlines() if f" {word}" in line]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("128.0.0.0/2", "[108/100]"),  # 6066: shorter than its class
        ("10.0.0.0/7", "[108/100]"),
        ("192.0.0.0/2", "[108/100]"),
        ("198.18.0.0/15", "[108/100]"),
        ("172.31.0.0/16", "[108/100]"),  # of its class; 6065: the distance of the process
        ("192.168.7.0/24", "[108/20]"),  # 6336: default-metric does not apply to connected networks
        ("10.99.0.0/16", ""),  # without "subnets"
        ("203.0.113.128", ""),
    ],
)
def test_ospf_redistributes_by_the_length_and_the_source_of_a_route(lab, prefix, expected):
    if expected:
        assert eventually(lambda: any(expected in one for one in routes(lab, "R1", prefix)), within_s=8.0)
    else:
        assert eventually(lambda: routes(lab, "R1", "172.31.0.0"))
        assert not routes(lab, "R1", prefix)


def test_a_router_that_always_originates_a_default_route_takes_none_from_ospf(lab):
    # 6068: not even a better one
    assert eventually(lambda: routes(lab, "R2", "0.0.0.0/0") or routes(lab, "R1", "172.31.0.0"))
    assert routes(lab, "R2", "0.0.0.0/0") == []


@pytest.mark.parametrize(
    ("prefix", "there"),
    [("192.168.7.0", True), ("172.31.0.0", True), ("203.0.113.128/26", False)],
    ids=["as-path", "community", "another-condition-of-the-same-map"],
)
def test_a_route_without_a_path_matches_conditions_on_paths_when_bgp_redistributes_it(lab, prefix, there):
    # 6333
    def found():
        return any(prefix in line for line in show(lab.nodes["R1"], "show ip bgp").splitlines())

    assert eventually(lambda: any("172.31.0.0" in line for line in show(lab.nodes["R1"], "show ip bgp").splitlines()))
    assert found() is there
