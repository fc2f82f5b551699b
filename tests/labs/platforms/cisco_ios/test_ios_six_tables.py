"""IPv6 tables have the columns of captures.

BGP: outputs of IOS 15 in public lab notes (a network or a next hop that leaves no room ends its line, and all that
follows is one column further to the right) and genieparser's captures. Routes of BGP name the interface of a link-local
next hop, as in NetworkLessons' MP-BGP lab, and none for a global one.
"""

from __future__ import annotations

from typing import Any

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.model.ready import Ready
from tests.support.ios import ios_task, show

LONG = "2001:DB8:FF:C50:0:301:D21:E00"
R1 = f"""
ipv6 unicast-routing
interface Loopback0
 ipv6 address 2001:DB8:100::1/64
interface Loopback1
 ipv6 address 2001:DB8:FF:C11::1/64
interface Gi0/0
 ipv6 address 2001:DB8:FF:C50:CE:1001:D15:E02/64
 ipv6 address FE80::1 link-local
 no shutdown
interface Gi0/1
 ipv6 address 2001:DB8:13::1/64
 ipv6 address FE80::1 link-local
 no shutdown
interface Gi0/2
 ipv6 address 2001:DB8:2::1/64
 shutdown
router bgp 1001
 bgp router-id 15.15.15.15
 neighbor {LONG} remote-as 301
 neighbor 2001:DB8:13::3 remote-as 1001
 neighbor 2001:DB8:99::9 remote-as 99
 address-family ipv6
  neighbor {LONG} activate
  neighbor 2001:DB8:13::3 activate
  neighbor 2001:DB8:99::9 activate
  network 2001:DB8:100::/64
  network 2001:DB8:FF:C11::/64
"""
R2 = f"""
ipv6 unicast-routing
interface Loopback0
 ipv6 address 2001:DB8:200::1/64
interface Loopback1
 ipv6 address 2001:DB8:FF:C121::1/64
interface Gi0/0
 ipv6 address {LONG}/64
 ipv6 address FE80::2 link-local
 no shutdown
router bgp 301
 bgp router-id 21.21.21.21
 neighbor 2001:DB8:FF:C50:CE:1001:D15:E02 remote-as 1001
 address-family ipv6
  neighbor 2001:DB8:FF:C50:CE:1001:D15:E02 activate
  network 2001:DB8:200::/64
  network 2001:DB8:FF:C121::/64
"""
R3 = """
ipv6 unicast-routing
interface Loopback0
 ipv6 address 2001:DB8:300::1/64
interface Gi0/0
 ipv6 address 2001:DB8:13::3/64
 ipv6 address FE80::3 link-local
 no shutdown
router bgp 1001
 bgp router-id 33.33.33.33
 neighbor 2001:DB8:13::1 remote-as 1001
 address-family ipv6
  neighbor 2001:DB8:13::1 activate
  network 2001:DB8:300::/64
"""


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    cables = ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R3 Gi0/0"]
    return deploy_task(ios_task({"R1": R1, "R2": R2, "R3": R3}, cables, ready=Ready(until="stable", deadline_s=60)))


def test_the_table_of_bgp_has_the_columns_of_captures(lab: Any) -> None:
    table = show(lab.nodes["R1"], "show bgp ipv6 unicast")
    assert table.split("Weight Path\n")[1].splitlines() == [
        " *>  2001:DB8:FF:C11::/64",
        "                       ::                       0         32768 i",
        " *>  2001:DB8:FF:C121::/64",
        "                       2001:DB8:FF:C50:0:301:D21:E00",
        "                                                0             0 301 i",
        " *>  2001:DB8:100::/64",
        "                       ::                       0         32768 i",
        " *>  2001:DB8:200::/64",
        "                       2001:DB8:FF:C50:0:301:D21:E00",
        "                                                0             0 301 i",
        " *>i 2001:DB8:300::/64",
        "                       2001:DB8:13::3           0    100      0 i",
    ]


def test_a_route_of_bgp_has_both_next_hops(lab: Any) -> None:
    text = show(lab.nodes["R1"], "show bgp ipv6 unicast 2001:DB8:200::/64")
    assert f"    {LONG} (FE80::2) from {LONG} (21.21.21.21)\n" in text
    own = show(lab.nodes["R1"], "show bgp ipv6 unicast 2001:DB8:100::/64")
    assert "    :: from 0.0.0.0 (15.15.15.15)\n" in own
    internal = show(lab.nodes["R1"], "show bgp ipv6 unicast 2001:DB8:300::/64")
    assert "    2001:DB8:13::3 from 2001:DB8:13::3 (33.33.33.33)\n" in internal


def test_routes_of_bgp_name_the_interface_of_a_link_local_next_hop(lab: Any) -> None:
    table = show(lab.nodes["R1"], "show ipv6 route bgp")
    assert "B   2001:DB8:200::/64 [20/0]\n     via FE80::2, GigabitEthernet0/0\n" in table
    assert "B   2001:DB8:300::/64 [200/0]\n     via 2001:DB8:13::3\n" in table
    parsed = parse_output(
        platform="cisco_ios", command="show ipv6 route", data=show(lab.nodes["R1"], "show ipv6 route")
    )
    by = {row["network"]: row for row in parsed}
    assert by["2001:DB8:200::/64"]["protocol"] == "B"
    assert by["2001:DB8:200::/64"]["nexthop_if"] == "GigabitEthernet0/0"


def test_the_summary_gives_a_long_neighbor_a_line(lab: Any) -> None:
    lines = show(lab.nodes["R1"], "show bgp ipv6 unicast summary").splitlines()
    at = lines.index(LONG)
    heading = next(line for line in lines if line.startswith("Neighbor"))
    assert lines[at + 1].index("4 ") == heading.index("V")
    assert lines[at + 1][: heading.index("AS") + 2].endswith(" 301")
    assert lines[at + 1][: heading.index("MsgRcvd") + 7].split()[-1].isdigit()
    entries = 5
    assert f"{entries} network entries using {entries * 168} bytes of memory" in lines
    assert f"{entries} path entries using {entries * 104} bytes of memory" in lines


def test_brief_and_full_tables_of_interfaces_parse(lab: Any) -> None:
    text = show(lab.nodes["R1"], "show ipv6 interface brief")
    assert text.splitlines()[0] == "GigabitEthernet0/0     [up/up]"
    assert "GigabitEthernet0/2     [administratively down/down]" in text
    rows = parse_output(platform="cisco_ios", command="show ipv6 interface brief", data=text)
    assert ["FE80::1", "2001:DB8:13::1"] in [row["ipv6_address"] for row in rows]


def test_an_interface_has_the_lines_of_captures(lab: Any) -> None:
    assert show(lab.nodes["R1"], "show ipv6 interface Gi0/1").splitlines() == [
        "GigabitEthernet0/1 is up, line protocol is up",
        "  IPv6 is enabled, link-local address is FE80::1 ",
        "  No Virtual link-local address(es):",
        "  Global unicast address(es):",
        "    2001:DB8:13::1, subnet is 2001:DB8:13::/64 ",
        "  Joined group address(es):",
        "    FF02::1",
        "    FF02::2",
        "    FF02::1:FF00:1",
        "  MTU is 1500 bytes",
        "  ICMP error messages limited to one every 100 milliseconds",
        "  ICMP redirects are enabled",
        "  ICMP unreachables are sent",
        "  ND DAD is enabled, number of DAD attempts: 1",
        "  ND reachable time is 30000 milliseconds (using 30000)",
        "  ND advertised reachable time is 0 (unspecified)",
        "  ND advertised retransmit interval is 0 (unspecified)",
        "  ND router advertisements are sent every 200 seconds",
        "  ND router advertisements live for 1800 seconds",
        "  ND advertised default router preference is Medium",
        "  Hosts use stateless autoconfig for addresses.",
    ]


def test_an_interface_that_is_shut_is_tentative(lab: Any) -> None:
    lines = show(lab.nodes["R1"], "show ipv6 interface Gi0/2").splitlines()
    assert lines[0] == "GigabitEthernet0/2 is administratively down, line protocol is down"
    assert lines[1].startswith("  IPv6 is tentative, link-local address is FE80::")
    assert lines[1].endswith(" [TEN]")
    assert "    2001:DB8:2::1, subnet is 2001:DB8:2::/64 [TEN]" in lines


def test_a_loopback_has_no_duplicate_address_detection(lab: Any) -> None:
    lines = show(lab.nodes["R1"], "show ipv6 interface Loopback0").splitlines()
    assert "  MTU is 1514 bytes" in lines
    assert "  ND DAD is not supported" in lines
    assert "  ND RAs are suppressed (periodic)" in lines
