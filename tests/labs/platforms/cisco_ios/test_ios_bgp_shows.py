"""What ``show`` commands say of BGP's paths and neighbors: preferences, next hops, aggregates, policies.

R1 (65001) - R2 (65002) - R3 (65002)
             R2         - R4 (65004)
"""

from __future__ import annotations

import pytest

from tests.support.ios import ios_task, show

CONFIGS = {
    "R1": """
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
interface Loopback0
 ip address 192.168.1.1 255.255.255.0
router bgp 65001
 network 192.168.1.0
 neighbor 10.0.12.2 remote-as 65002
""",
    "R2": """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.23.2 255.255.255.0
 no shutdown
interface Gi0/2
 ip address 10.0.24.2 255.255.255.0
 no shutdown
route-map PREFER permit 10
 set local-preference 250
route-map LONGER permit 10
 set as-path prepend 65002 65002
router bgp 65002
 network 172.16.5.0 mask 255.255.255.0
 aggregate-address 172.16.0.0 255.255.0.0
 neighbor 10.0.12.1 remote-as 65001
 neighbor 10.0.12.1 route-map PREFER in
 neighbor 10.0.23.3 remote-as 65002
 neighbor 10.0.24.4 remote-as 65004
 neighbor 10.0.24.4 weight 7
 neighbor 10.0.24.4 default-originate
 neighbor 10.0.24.4 route-map LONGER out
ip route 172.16.5.0 255.255.255.0 Null0
""",
    "R3": """
interface Gi0/0
 ip address 10.0.23.3 255.255.255.0
 no shutdown
router bgp 65002
 neighbor 10.0.23.2 remote-as 65002
""",
    "R4": """
interface Gi0/0
 ip address 10.0.24.4 255.255.255.0
 no shutdown
interface Loopback0
 ip address 44.4.4.4 255.255.255.255
router bgp 65004
 network 44.4.4.4 mask 255.255.255.255
 neighbor 10.0.24.2 remote-as 65002
""",
}


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task(CONFIGS, ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0", "R2 Gi0/2 - R4 Gi0/0"]))


def test_a_preference_set_by_the_inbound_route_map_is_in_the_table(lab):
    lines = show(lab.nodes["R2"], "show ip bgp").splitlines()
    assert " *>  192.168.1.0      10.0.12.1                0    250      0 65001 i" in lines
    assert " *>  44.4.4.4/32      10.0.24.4                0             7 65004 i" in lines
    assert " *>  172.16.5.0/24    0.0.0.0                  0         32768 i" in lines


def test_advertised_routes_are_listed_as_they_are_before_the_outbound_policy(lab):
    lines = show(lab.nodes["R2"], "show ip bgp neighbors 10.0.24.4 advertised-routes").splitlines()
    assert " *>  192.168.1.0      10.0.12.1                0    250      0 65001 i" in lines
    assert " *>  172.16.5.0/24    0.0.0.0                  0         32768 i" in lines
    assert (
        lines.index("Originating default network 0.0.0.0")
        == lines.index(next(x for x in lines if "Network  " in x)) - 2
    )
    inside = show(lab.nodes["R2"], "show ip bgp neighbors 10.0.23.3 advertised-routes")
    assert " *>  44.4.4.4/32      10.0.24.4                0             7 65004 i" in inside
    assert "Originating" not in inside


def test_protocols_lists_the_neighbors_with_their_policies(lab):
    text = show(lab.nodes["R2"], "show ip protocols")
    between = text.split("RouteMap\n")[1].split("  Maximum path")[0].splitlines()
    assert between == [
        f"    {'10.0.12.1':<54}PREFER",
        "    10.0.23.3",
        f"    {'10.0.24.4':<52}7",
    ]


def test_an_aggregate_is_a_route_of_bgp_to_null0(lab):
    table = show(lab.nodes["R2"], "show ip route")
    line = next(line for line in table.splitlines() if "172.16.0.0/16 [" in line)
    assert line.startswith("B        172.16.0.0/16 [200/0] via 0.0.0.0, ")
    assert line.endswith(", Null0")
    assert "directly connected, via Null0" in show(lab.nodes["R2"], "show ip route 172.16.200.1")
