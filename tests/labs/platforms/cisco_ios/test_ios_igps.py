"""RIP, RIPng, OSPFv3, IS-IS and static routes of IOS routers in one lab, including removal and re-adding."""

from __future__ import annotations

import threading

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.frr import processes
from tests.support.ios import Session, eventually, ios_task, settle, type_lines


def router(number):
    return f"""
ipv6 unicast-routing
interface Loopback0
 ip address 192.168.{number}.1 255.255.255.0
 ipv6 address 2001:DB8:FF::{number}/128
interface Gi0/0
 ip address 10.0.12.{number} 255.255.255.0
 ipv6 address 2001:DB8:12::{number}/64
 no shutdown
interface Gi0/1
 ip address 172.16.{number}.1 255.255.255.0
 ipv6 address 2001:DB8:{number}::1/64
 no shutdown
"""


LINKS = ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - h1 eth0", "R2 Gi0/1 - h2 eth0"]
ADDRESSES = {n: f"ip address add 172.16.{n}.10/24 dev eth0\nip route add default via 172.16.{n}.1\n" for n in (1, 2)}


@pytest.fixture(scope="module")
def lab(deploy_task):
    configs = {f"R{number}": router(number) for number in (1, 2)}
    return deploy_task(ios_task(configs, LINKS, hosts={f"h{n}": text for n, text in ADDRESSES.items()}))


@pytest.fixture
def both(lab):
    """Type lines at both routers, with ``{n}`` replaced by the router's number; remove what they added afterwards."""
    before = {name: device_of(lab.nodes[name]).running_config() for name in ("R1", "R2")}

    def typed(*lines):
        for number in (1, 2):
            type_lines(lab.nodes[f"R{number}"], *(line.format(n=number) for line in lines))
        settle(lab)

    yield typed
    for number in (1, 2):
        device = device_of(lab.nodes[f"R{number}"])
        added = [
            line
            for line in device.running_config().splitlines()
            if line.startswith(("router ", "ipv6 router ", "ip route", "ipv6 route"))
        ]
        type_lines(lab.nodes[f"R{number}"], *(f"no {line}" for line in added))
        for interface in ("gi0/0", "gi0/1", "lo0"):
            section = device.config.get(
                "interface",
                name={"gi0/0": "GigabitEthernet0/0", "gi0/1": "GigabitEthernet0/1", "lo0": "Loopback0"}[interface],
            ).body
            gone = [
                entry.text
                for entry in section
                if entry.name.split()[1:2] in (["rip"], ["ospf"], ["router"]) or entry.name.startswith("isis")
            ]
            type_lines(lab.nodes[f"R{number}"], f"interface {interface}", *(f"no {text}" for text in gone))
        assert device.running_config() == before[f"R{number}"]


def show(lab, command, name="R1"):
    return Session(device_of(lab.nodes[name])).enter(command)


def reaches(lab):
    return lab.nodes["h1"].run(["ping", "-c", "1", "-W", "1", "172.16.2.10"]).returncode == 0


def test_rip_carries_packets_with_the_metrics_of_ios(lab, both):
    both(
        "router rip",
        "version 2",
        "no auto-summary",
        "network 10.0.0.0",
        "network 172.16.0.0",
        "passive-interface gi0/1",
    )
    assert reaches(lab)
    assert "R        172.16.2.0/24 [120/1] via 10.0.12.2" in show(lab, "show ip route rip")
    assert "[1] via 10.0.12.2" in show(lab, "show ip rip database")
    assert "GigabitEthernet0/1" in show(lab, "show ip protocols").split("Passive Interface(s):")[1]


def test_rip_summarizes_at_the_border_of_a_class(lab, both):
    both("router rip", "version 2", "network 10.0.0.0", "network 192.168.{n}.0")
    assert "192.168.2.0/24 [120/1]" in show(lab, "show ip route rip")
    type_lines(lab.nodes["R2"], "router rip", "network 172.16.0.0")
    assert eventually(lambda: "172.16.0.0/16 [120/1]" in show(lab, "show ip route rip"))
    assert "172.16.2.0" not in show(lab, "show ip route rip")


def test_a_static_route_is_told_by_rip_and_an_ospf_route_only_with_a_metric(lab, both):
    both("router rip", "version 2", "no auto-summary", "network 10.0.0.0")
    type_lines(lab.nodes["R2"], "ip route 203.0.113.0 255.255.255.0 Null0", "router rip", "redistribute static")
    assert eventually(lambda: "203.0.113.0/24 [120/1]" in show(lab, "show ip route"))


def test_rip_for_ipv6_counts_the_first_router_as_two(lab, both):
    both("interface gi0/0", "ipv6 rip NET enable", "interface gi0/1", "ipv6 rip NET enable")
    settle(lab)
    assert eventually(lambda: "R   2001:DB8:2::/64 [120/2]" in show(lab, "show ipv6 route rip"))


def test_ospf_for_ipv6_forms_an_adjacency_and_routes(lab, both):
    both(
        "interface gi0/0",
        "ipv6 ospf 1 area 0",
        "interface gi0/1",
        "ipv6 ospf 1 area 2{n}",
        "interface lo0",
        "ipv6 ospf 1 area 0",
    )
    assert "FULL/" in show(lab, "show ipv6 ospf neighbor")
    assert eventually(lambda: "OI  2001:DB8:2::/64 [110/2]" in show(lab, "show ipv6 route ospf"))
    assert "O   2001:DB8:FF::2/128 [110/2]" in show(lab, "show ipv6 route ospf")
    rows = parse_output(platform="cisco_ios", command="show ipv6 route", data=show(lab, "show ipv6 route"))
    assert {"O", "OI", "C", "L"} <= {row["protocol"] for row in rows}
    assert "State DR" in show(lab, "show ipv6 ospf interface gi0/0") + show(lab, "show ipv6 ospf interface gi0/0", "R2")


def test_isis_carries_packets_at_its_levels(lab, both):
    both(
        "router isis",
        "net 49.0001.0000.0000.000{n}.00",
        "is-type level-2-only",
        "metric-style wide",
        "interface gi0/0",
        "ip router isis",
        "isis metric 15",
        "interface gi0/1",
        "ip router isis",
    )
    assert eventually(lambda: reaches(lab))
    assert "i L2     172.16.2.0/24 [115/25] via 10.0.12.2" in show(lab, "show ip route isis")
    rows = parse_output(platform="cisco_ios", command="show isis neighbors", data=show(lab, "show isis neighbors"))
    assert [(row["system_id"], row["type"], row["state"]) for row in rows] == [("R2", "L2", "UP")]
    assert "R2.00-00" in show(lab, "show isis database")


@pytest.mark.parametrize(
    ("daemon", "lines"),
    [
        ("isisd", ("router isis x", "net 49.0001.0000.0000.0001.00", "interface gi0-0", "ip router isis x")),
        ("eigrpd", ("router eigrp 5", "network 10.0.0.0/8", "interface gi0-0", "delay 20")),
    ],
)
def test_a_daemon_is_told_its_config_only_after_zebra_has_told_it_how_vrfs_are_made(deploy_task, daemon, lines):
    node = deploy_task(ios_task({"R1": "", "R2": ""}, ["R1 Gi0/0 - R2 Gi0/0"])).nodes["R1"]
    signal_zebra = "kill -{} $(cat /run/frr/zebra.pid)"
    node.run(["sh", "-c", signal_zebra.format("STOP")])
    later = threading.Timer(0.5, node.run, [["sh", "-c", signal_zebra.format("CONT")]])
    later.start()
    processes.start(node, [daemon], running=processes.running(node))
    node.vty([(daemon, line) for line in ("configure terminal", *lines, "end")])
    later.join()
    known = (daemon, "show yang operational-data /frr-interface:lib")
    assert eventually(lambda: "default:gi0-0" in node.vty([known])[0][0])
    assert "\ninterface gi0-0\n" in node.vty([(daemon, "show running-config")])[0][0]


def test_a_floating_static_route_takes_over(lab, both):
    both("router rip", "version 2", "no auto-summary", "network 10.0.0.0", "network 172.16.0.0")
    assert "R        172.16.2.0/24" in show(lab, "show ip route")
    type_lines(lab.nodes["R1"], "ip route 172.16.2.0 255.255.255.0 10.0.12.2 130")
    assert "R        172.16.2.0/24" in show(lab, "show ip route")
    type_lines(lab.nodes["R1"], "no router rip")
    assert eventually(lambda: "S        172.16.2.0/24 [130/0] via 10.0.12.2" in show(lab, "show ip route"))


def test_static_routes_of_ipv6_follow_their_distance(lab, both):
    both("ipv6 route 2001:DB8:99::/48 2001:DB8:12::2 5", "ipv6 route ::/0 gi0/0 FE80::1")
    table = show(lab, "show ipv6 route static")
    assert "S   2001:DB8:99::/48 [5/0]\n     via 2001:DB8:12::2\n" in table
    assert "S   ::/0 [1/0]\n     via FE80::1, GigabitEthernet0/0\n" in table


def test_a_loopback_with_all_protocols_goes_without_complaint(lab, both):
    both(
        "interface lo7",
        "ip address 10.77.{n}.1 255.255.255.0",
        "ip ospf 1 area 0",
        "ip router isis",
        "router isis",
        "net 49.0001.0000.0000.000{n}.00",
        "router rip",
        "network 10.0.0.0",
        "router eigrp 5",
        "network 10.0.0.0",
    )
    for name in ("R1", "R2"):
        type_lines(lab.nodes[name], "no interface lo7")
    # RIP says that a network is gone in an update a few seconds later
    assert eventually(lambda: "10.77" not in show(lab, "show ip route"))


@pytest.mark.parametrize(
    "command",
    [
        "show ip protocols",
        "show ip ospf",
        "show ip ospf neighbor",
        "show ip ospf neighbor detail",
        "show ip ospf interface brief",
        "show ip ospf interface",
        "show ip ospf database",
        "show ip ospf database router",
        "show ip ospf virtual-links",
        "show ipv6 protocols",
        "show ipv6 ospf neighbor",
        "show ipv6 ospf interface",
        "show ip eigrp neighbors",
        "show ip eigrp topology",
        "show ip eigrp interfaces",
        "show ip rip database",
        "show isis neighbors",
        "show isis database",
        "show clns",
    ],
)
def test_what_is_not_configured_is_shown_as_empty(lab, command):
    assert "% Invalid" not in show(lab, command)


@pytest.mark.parametrize("command", ["show ip route", "show ip route summary", "show ipv6 route"])
def test_tables_of_connected_routes_parse(lab, command):
    assert len(parse_output(platform="cisco_ios", command=command, data=show(lab, command))) > 2
