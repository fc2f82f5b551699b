"""VRFs of IOS routers: the same addresses in several VRFs, without routes between them."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.lab.matching import pairs
from pytest_netbench.lab.readiness import Watch
from pytest_netbench.lab.sessions import cables_of
from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import Session, eventually, ios_task

# two customers with the same addresses: h1 - R1 - R2 - h3 in RED, h2 - R1 - R2 - h4 in BLUE
ROUTER = """
ip vrf RED
 rd 65000:1
vrf definition BLUE
 rd 65000:2
 address-family ipv4
 exit-address-family
interface Gi0/0
 ip vrf forwarding RED
 ip address 10.0.{near}.1 255.255.255.0
 no shutdown
interface Gi0/1
 vrf forwarding BLUE
 ip address 10.0.{near}.1 255.255.255.0
 no shutdown
interface Gi0/2
 ip vrf forwarding RED
 ip address 10.1.1.{near} 255.255.255.0
 no shutdown
interface Gi0/3
 vrf forwarding BLUE
 ip address 10.1.1.{near} 255.255.255.0
 no shutdown
interface Loopback0
 vrf forwarding BLUE
 ip address 9.9.9.{near} 255.255.255.255
ip route vrf RED 10.0.{far}.0 255.255.255.0 10.1.1.{far}
"""
OSPF = """
router ospf 2 vrf BLUE
 network 10.0.0.0 0.255.255.255 area 0
 network 9.9.9.0 0.0.0.255 area 0
"""
BGP = """
router bgp 6500{near}
 address-family ipv4 vrf RED
  neighbor 10.1.1.{far} remote-as 6500{far}
  neighbor 10.1.1.{far} activate
  redistribute connected
"""


def host(near):
    return f"ip address add 10.0.{near}.10/24 dev eth0\nip route add default via 10.0.{near}.1\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    configs = {
        "R1": (ROUTER + OSPF + BGP).format(near=1, far=2),
        "R2": (ROUTER + OSPF + BGP).format(near=2, far=1),
    }
    links = [
        "R1 Gi0/0 - h1 eth0",
        "R1 Gi0/1 - h2 eth0",
        "R1 Gi0/2 - R2 Gi0/2",
        "R1 Gi0/3 - R2 Gi0/3",
        "R2 Gi0/0 - h3 eth0",
        "R2 Gi0/1 - h4 eth0",
    ]
    lab = deploy_task(ios_task(configs, links, hosts={"h1": host(1), "h2": host(1), "h3": host(2), "h4": host(2)}))
    for name in configs:
        assert device_of(lab.nodes[name]).problems == []
    return lab


def show(lab, command, node="R1"):
    return Session(device_of(lab.nodes[node])).enter(command)


def type_lines(lab, *lines, node="R1"):
    session = Session(device_of(lab.nodes[node]))
    said = "".join(session.enter(line) for line in ("configure terminal", *lines, "end"))
    assert device_of(lab.nodes[node]).problems == []
    return said


def pings(lab, source, target):
    return lab.nodes[source].run(["ping", "-c", "1", "-W", "1", target]).returncode == 0


def heard(lab, name):
    words = lab.nodes[name].run(["cat", "/proc/net/snmp"]).stdout.splitlines()
    return int(next(line for line in words if line.startswith("Icmp: ") and line.split()[1].isdigit()).split()[1])


def test_a_lab_is_ready_when_its_vrfs_are(lab):
    neighbors = lab.nodes["R1"].vty(
        [("bgpd", "show bgp vrf RED summary json"), ("ospfd", "show ip ospf vrf BLUE neighbor json")]
    )
    assert '"state":"Established"' in neighbors[0][0].replace(" ", "")
    assert "Full" in neighbors[1][0]
    assert Watch(lab).look()[0] == ()


@pytest.mark.parametrize(("protocol", "vrf"), [("bgp", "RED"), ("ospf", "BLUE")])
def test_a_session_in_a_vrf_is_expected_between_its_ends(lab, protocol, vrf):
    look = lab.driver("R1").look({name: lab.nodes[name] for name in ("R1", "R2")})
    ends = look.part(protocol).ends
    [pair] = pairs(ends, cables_of(lab))
    assert [(end.node, end.vrf) for end in pair] == [("R1", vrf), ("R2", vrf)]
    assert len(pairs(look.closely(ends), cables_of(lab))) == 1


def test_what_a_node_runs_from_within_a_vrf_runs_there(lab):
    node = lab.nodes["R1"]
    red = in_vrf.inside(node, "RED")
    words = ["ip", "-br", "link"]
    seen = [done.stdout for done in (red.run(words), *red.run_many([words, words]))]
    red.start(["/bin/sh", "-c", "ip -br link > /tmp/links.part && mv /tmp/links.part /tmp/links"])
    assert eventually(lambda: node.run(["test", "-e", "/tmp/links"]).returncode == 0)
    seen.append(node.read_file("/tmp/links"))
    for text in seen:
        assert "gi0-0" in text
        assert "gi0-1" not in text


def test_a_node_within_a_vrf_offers_nothing_that_would_run_outside_it(lab):
    red = in_vrf.inside(lab.nodes["R1"], "RED")
    assert {name for name in dir(red) if not name.startswith("_")} == {"name", "run", "run_many", "start"}


def test_equal_addresses_of_two_vrfs_reach_each_their_own(lab):
    assert eventually(lambda: pings(lab, "h1", "10.0.2.10") and pings(lab, "h2", "10.0.2.10"))
    before = heard(lab, "h3"), heard(lab, "h4")
    assert pings(lab, "h1", "10.0.2.10")
    assert (heard(lab, "h3") - before[0], heard(lab, "h4") - before[1]) == (1, 0)
    assert pings(lab, "h2", "10.0.2.10")
    assert (heard(lab, "h3") - before[0], heard(lab, "h4") - before[1]) == (1, 1)


def test_what_one_vrf_has_another_does_not_reach(lab):
    assert pings(lab, "h2", "9.9.9.1")
    assert not pings(lab, "h1", "9.9.9.1")


def test_each_vrf_has_a_routing_table(lab):
    def routes(vrf):
        data = show(lab, f"show ip route vrf {vrf}")
        return {
            (row["protocol"], row["network"])
            for row in parse_output(platform="cisco_ios", command="show ip route", data=data)
        }

    assert eventually(lambda: ("O", "10.0.2.0") in routes("BLUE"))
    assert ("S", "10.0.2.0") in routes("RED")
    assert ("O", "9.9.9.2") in routes("BLUE")
    assert not any(
        network.startswith("10.")
        for _, network in {
            (row["protocol"], row["network"])
            for row in parse_output(platform="cisco_ios", command="show ip route", data=show(lab, "show ip route"))
        }
    )


def test_ping_in_a_vrf_is_answered_from_it(lab):
    assert "!!!!!" in show(lab, "ping vrf RED 10.0.2.10")
    assert "....." in show(lab, "ping 10.0.2.10 timeout 1")


def test_each_vrf_has_an_arp_table(lab):
    assert show(lab, "ping vrf RED 10.1.1.2")
    assert "GigabitEthernet0/2" in show(lab, "show ip arp vrf RED")
    assert "GigabitEthernet0/3" not in show(lab, "show ip arp vrf RED")
    assert "GigabitEthernet" not in show(lab, "show ip arp")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ping vrf NONE 10.0.0.1", "% VRF NONE does not exist"),
        ("show ip route vrf NONE", "% IP routing table NONE does not exist"),
        ("show vrf NONE", "% No VRF named NONE"),
    ],
)
def test_a_vrf_that_is_not_there_is_said_to_be_none(lab, command, words):
    assert show(lab, command) == f"{words}\n"


def test_bgp_speaks_in_a_vrf(lab):
    assert eventually(lambda: "10.0.2.0/24" in show(lab, "show ip bgp vpnv4 vrf RED"))
    (row,) = parse_output(
        platform="cisco_ios", command="show ip bgp summary", data=show(lab, "show ip bgp vpnv4 vrf RED summary")
    )
    assert (row["bgp_neighbor"], row["neighbor_as"]) == ("10.1.1.2", "65002")
    (row,) = parse_output(
        platform="cisco_ios", command="show ip bgp neighbors", data=show(lab, "show bgp vpnv4 unicast all neighbors")
    )
    assert (row["neighbor"], row["vrf"], row["bgp_state"]) == ("10.1.1.2", "RED", "Established")


def test_vrfs_are_shown_with_their_interfaces(lab):
    rows = parse_output(platform="cisco_ios", command="show vrf", data=show(lab, "show vrf"))
    assert [(row["name"], row["default_rd"], row["protocols"], row["interfaces"]) for row in rows] == [
        ("BLUE", "65000:2", "ipv4", ["Lo0", "Gi0/1", "Gi0/3"]),
        ("RED", "65000:1", "ipv4", ["Gi0/0", "Gi0/2"]),
    ]
    rows = parse_output(platform="cisco_ios", command="show vrf detail", data=show(lab, "show vrf detail"))
    assert [row["vrf"] for row in rows] == ["BLUE", "RED"]
    rows = parse_output(
        platform="cisco_ios", command="show ip vrf interfaces", data=show(lab, "show ip vrf interfaces")
    )
    assert {(row["interface"], row["vrf"], row["proto_state"]) for row in rows} >= {("Gi0/0", "RED", "up")}


def test_interfaces_of_vrfs_are_in_the_table_of_interfaces(lab):
    rows = parse_output(
        platform="cisco_ios", command="show ip interface brief", data=show(lab, "show ip interface brief")
    )
    by_name = {row["interface"]: row for row in rows}
    assert by_name["GigabitEthernet0/0"]["ip_address"] == "10.0.1.1"
    assert by_name["GigabitEthernet0/0"]["proto"] == "up"


def test_an_access_list_filters_in_a_vrf_and_counts(lab):
    assert eventually(lambda: pings(lab, "h1", "10.0.2.10"))
    type_lines(
        lab,
        "access-list 120 deny icmp any any",
        "access-list 120 permit ip any any",
        "interface gi0/0",
        "ip access-group 120 in",
    )
    assert not pings(lab, "h1", "10.0.2.10")
    assert pings(lab, "h2", "10.0.2.10")
    assert "deny icmp any any (1 match" in show(lab, "show access-lists 120")
    type_lines(lab, "interface gi0/0", "no ip access-group 120 in")


def test_a_router_with_vrfs_comes_back_from_a_reload(lab):
    device = device_of(lab.nodes["R1"])
    startup.reload(device)
    assert device.problems == []
    assert eventually(lambda: pings(lab, "h1", "10.0.2.10") and pings(lab, "h2", "10.0.2.10"))


def test_an_interface_that_changes_its_vrf_loses_its_address_and_works_there(lab):
    said = type_lines(lab, "interface gi0/0", "ip vrf forwarding BLUE")
    assert "% Interface GigabitEthernet0/0 IPv4 disabled and address(es) removed due to enabling VRF BLUE" in said
    type_lines(lab, "interface gi0/0", "ip address 10.0.7.1 255.255.255.0")
    assert " 10.0.7.1 " in show(lab, "show ip interface brief")
    said = type_lines(lab, "interface gi0/0", "no ip vrf forwarding", "ip address 10.0.8.1 255.255.255.0")
    assert "disabling VRF BLUE" in said
    assert "10.0.8.0" in show(lab, "show ip route")


def test_a_vrf_that_is_removed_takes_its_routes_and_addresses_along(lab):
    assert "have been removed" in type_lines(lab, "no ip vrf RED")
    assert "RED" not in show(lab, "show running-config")
    left = lab.nodes["R1"].run(["ls", "/run/netns"]).stdout.split()
    if "RED" in left:  # FRR 10 would crash without it
        links = lab.nodes["R1"].run(["nsenter", "--net=/run/netns/RED", "ip", "-br", "link"]).stdout.splitlines()
        assert [line.split()[:2] for line in links] == [["lo", "DOWN"]]
    assert [name for name in left if name != "RED"] == ["BLUE"]
    type_lines(lab, "interface gi0/2", "ip address 10.1.1.1 255.255.255.0")
    assert "10.1.1.0/24" in show(lab, "show ip route")
