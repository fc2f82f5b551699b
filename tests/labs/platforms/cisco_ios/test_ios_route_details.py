"""Where routes come from, as ``show ip route X``, ``show ip protocols``, ``show ip ospf`` and ``show ip cef`` tell it.

The forms are those of public captures of IOS 15: "Tag", "type external", "AS Hops" and "Route tag" of a BGP route, no
comma before its age; router IDs as gateways of OSPF; the timers of a process without any line about them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from ntc_templates.parse import parse_output

from tests.support.ios import ios_task, show

R1 = """
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
interface Loopback1
 ip address 11.11.11.11 255.255.255.255
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
router ospf 1
 router-id 1.1.1.1
 network 10.0.12.0 0.0.0.255 area 0
 network 1.1.1.1 0.0.0.0 area 0
router bgp 65001
 neighbor 10.0.12.2 remote-as 65002
 network 11.11.11.11 mask 255.255.255.255
"""
R2 = """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.23.2 255.255.255.0
 no shutdown
router ospf 1
 router-id 2.2.2.2
 network 10.0.0.0 0.255.255.255 area 0
router bgp 65002
 neighbor 10.0.12.1 remote-as 65001
 neighbor 10.0.23.3 remote-as 65002
 neighbor 10.0.23.3 next-hop-self
"""
R3 = """
interface Gi0/0
 ip address 10.0.23.3 255.255.255.0
 no shutdown
router ospf 1
 router-id 3.3.3.3
 network 10.0.23.0 0.0.0.255 area 0
router bgp 65002
 neighbor 10.0.23.2 remote-as 65002
ip route 172.16.0.0 255.255.0.0 Null0
"""


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    task = ios_task({"R1": R1, "R2": R2, "R3": R3}, ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0"])
    return deploy_task(task)


@pytest.mark.parametrize(
    ("router", "distance", "kind", "hop"), [("R2", 20, "external", "10.0.12.1"), ("R3", 200, "internal", "10.0.23.2")]
)
def test_a_bgp_route_names_its_as_and_kind(lab: Any, router: str, distance: int, kind: str, hop: str) -> None:
    text = re.sub(r"\d\d:\d\d:\d\d", "AGE", show(lab.nodes[router], "show ip route 11.11.11.11"))
    assert text.splitlines() == [
        "Routing entry for 11.11.11.11/32",
        f'  Known via "bgp 65002", distance {distance}, metric 0',
        f"  Tag 65001, type {kind}",
        f"  Last update from {hop} AGE ago",
        "  Routing Descriptor Blocks:",
        f"  * {hop}, from {hop}, AGE ago",
        "      Route metric is 0, traffic share count is 1",
        "      AS Hops 1",
        "      Route tag 65001",
        "      MPLS label: none",
    ]


def test_an_ospf_route_comes_from_the_router_that_advertises_it(lab: Any) -> None:
    text = show(lab.nodes["R3"], "show ip route 1.1.1.1")
    assert re.search(r"\* 10\.0\.23\.2, from 1\.1\.1\.1, \S+ ago, via GigabitEthernet0/0", text)
    assert 'Known via "ospf 1", distance 110, metric 3, type intra area' in text
    assert re.search(r"Last update from 10\.0\.23\.2 on GigabitEthernet0/0, \S+ ago", text)


def test_gateways_of_ospf_are_router_ids(lab: Any) -> None:
    block = show(lab.nodes["R3"], "show ip protocols").split('"ospf 1"')[1].split("Routing Protocol is")[0]
    gateways = re.findall(r"^    (\d+\.\d+\.\d+\.\d+) +110 ", block, re.MULTILINE)
    assert min(gateways) == "1.1.1.1"
    assert set(gateways) <= {"1.1.1.1", "2.2.2.2"}


def test_timers_of_ospf_are_those_of_the_configuration(lab: Any) -> None:
    text = show(lab.nodes["R3"], "show ip ospf")
    for line in (
        " Initial SPF schedule delay 5000 msecs",
        " Minimum hold time between two consecutive SPFs 10000 msecs",
        " Maximum wait time between two consecutive SPFs 10000 msecs",
        " Minimum LSA interval 5 secs",
        " Minimum LSA arrival 1000 msecs",
    ):
        assert f"{line}\n" in text


def test_the_forwarding_table_is_what_the_kernel_forwards_by(lab: Any) -> None:
    text = show(lab.nodes["R3"], "show ip cef")
    rows = {
        f"{row['ip_address']}/{row['prefix_length']}": (row["nexthop"], row["interface"])
        for row in parse_output(platform="cisco_ios", command="show ip cef", data=text)
    }
    port = "GigabitEthernet0/0"
    assert rows["0.0.0.0/0"] == (["no route"], [])
    assert rows["11.11.11.11/32"] == (["10.0.23.2"], [port])
    assert rows["10.0.23.0/24"] == (["attached"], [port])
    assert rows["10.0.23.3/32"] == (["receive"], [port])
    assert rows["172.16.0.0/16"] == (["attached"], ["Null0"])
    assert rows["224.0.0.0/4"] == (["drop"], [])
    assert show(lab.nodes["R3"], "show ip cef 11.11.11.11") == f"11.11.11.11/32\n  nexthop 10.0.23.2 {port}\n"
    assert show(lab.nodes["R3"], "show ip cef 10.0.23.0 255.255.255.0") == f"10.0.23.0/24\n  attached to {port}\n"
    assert show(lab.nodes["R3"], "show ip cef 9.9.9.9") == "0.0.0.0/0\n  no route\n"
    assert show(lab.nodes["R3"], "show ip cef 9.9.9.0 255.255.255.0") == "%Prefix not found\n"
