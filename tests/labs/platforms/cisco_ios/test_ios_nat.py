"""Translation on an IOS router whose outside has no route to inside addresses."""

from __future__ import annotations

import re
from functools import partial

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, ios_task, type_lines
from tests.support.probes import answered, ask, pings, serve

ROUTER = """
interface Gi0/0
 ip address 10.0.0.1 255.255.255.0
 ip nat inside
 no shutdown
interface Gi0/1
 ip address 192.0.2.1 255.255.255.0
 ip nat outside
 no shutdown
access-list 1 permit 10.0.0.0 0.0.0.255
"""
INSIDE = (
    "\n".join(f"ip address add 10.0.0.{n}/24 dev eth0" for n in (10, 11, 12, 13))
    + "\nip route add default via 10.0.0.1\n"
)
OUTSIDE = "ip address add 192.0.2.100/24 dev eth0\nip route add 203.0.113.0/24 via 192.0.2.1\n"
THERE = "192.0.2.100"


@pytest.fixture(scope="module")
def lab(deploy_task):
    task = ios_task({"R1": ROUTER}, ["R1 Gi0/0 - in eth0", "R1 Gi0/1 - out eth0"], hosts={"in": INSIDE, "out": OUTSIDE})
    lab = deploy_task(task)
    for name in ("in", "out"):
        serve(lab.nodes[name], (53, 80))
    return lab


@pytest.fixture
def device(lab):
    return device_of(lab.nodes["R1"])


@pytest.fixture
def configure(lab, device):
    """Type lines in config mode of R1; remove all translation rules afterwards."""
    typed = partial(type_lines, lab.nodes["R1"])
    yield typed
    rules = [entry.text for entry in device.config if entry.text.startswith("ip nat")]
    typed(*(f"no {rule}" for rule in reversed(rules)))
    Session(device).enter("clear ip nat translation *")


@pytest.fixture
def inside(lab):
    return lab.nodes["in"]


@pytest.fixture
def outside(lab):
    return lab.nodes["out"]


def show(device, command):
    return Session(device).enter(command)


def seen_as(said):
    """Return the client's address as a server sees it."""
    assert answered(said), said
    return said.split()[2]


def translations(device):
    text = show(device, "show ip nat translations")
    return parse_output(platform="cisco_ios", command="show ip nat translations", data=text) if text else []


def test_without_translation_nothing_comes_back(inside):
    assert ask(inside, THERE) == "silence"


def test_packets_of_the_router_itself_are_translated_if_the_list_permits_them(configure, device):
    inside_out = f"ping {THERE} source gi0/0 repeat 2 timeout 1"
    assert "Success rate is 0 percent" in show(device, inside_out)
    configure("ip nat inside source list 1 interface gi0/1 overload")
    assert "Success rate is 100 percent" in show(device, inside_out)
    (row,) = translations(device)
    assert (row["inside_local_ip"], row["inside_global_ip"]) == ("10.0.0.1", "192.0.2.1")
    assert "Success rate is 100 percent" in show(device, f"ping {THERE} repeat 2 timeout 1")
    assert len(translations(device)) == 1, "the list does not permit the outside address"


def test_an_overloaded_interface_lends_its_address_and_keeps_ports(configure, device, inside):
    configure("ip nat inside source list 1 interface gi0/1 overload")
    assert ask(inside, THERE, source="10.0.0.10", local=40001) == "seen as 192.0.2.1 40001"
    assert ask(inside, THERE, source="10.0.0.11", local=40001).startswith("seen as 192.0.2.1 ")
    assert pings(inside, THERE) == "answered"
    rows = translations(device)
    first = next(row for row in rows if row["inside_local_ip"] == "10.0.0.10" and row["protocol"] == "tcp")
    assert (first["inside_global_ip"], first["inside_global_port"], first["inside_local_port"]) == (
        "192.0.2.1",
        "40001",
        "40001",
    )
    assert (first["outside_local_ip"], first["outside_global_ip"]) == (THERE, THERE)
    assert {row["protocol"] for row in rows} == {"tcp", "icmp"}


def test_beyond_the_most_entries_nothing_new_is_translated_and_what_there_is_goes_on(configure, device, inside):
    configure("ip nat inside source list 1 interface gi0/1 overload", "ip nat translation max-entries 2")

    def told():
        return re.search(r"max allowed 2, used (\d+), missed (\d+)", show(device, "show ip nat statistics")).groups()

    ports = (40011, 40012, 40013)
    assert told() == ("0", "0")
    said = [ask(inside, THERE, kind="udp", source="10.0.0.10", local=port) for port in ports]
    assert [answered(one) for one in said] == [True, True, False]
    used, missed = map(int, told())
    assert (used, missed >= 1) == (2, True)
    assert answered(ask(inside, THERE, kind="udp", source="10.0.0.10", local=ports[0])), "it has an entry"
    show(device, "clear ip nat translation *")
    assert answered(ask(inside, THERE, kind="udp", source="10.0.0.10", local=ports[2]))
    configure("no ip nat translation max-entries")
    assert all(answered(ask(inside, THERE, kind="udp", source="10.0.0.10", local=port)) for port in ports)
    assert "max allowed" not in show(device, "show ip nat statistics")


def test_what_the_list_denies_is_not_translated(configure, inside):
    configure(
        "access-list 2 deny host 10.0.0.11",
        "access-list 2 permit any",
        "ip nat inside source list 2 interface gi0/1 overload",
    )
    assert answered(ask(inside, THERE, source="10.0.0.10"))
    assert ask(inside, THERE, source="10.0.0.11") == "silence"
    configure("no access-list 2")


def test_a_static_translation_serves_both_directions_and_the_router_answers_arp_for_it(
    configure, device, inside, outside
):
    configure("ip nat inside source static 10.0.0.10 192.0.2.50")
    assert seen_as(ask(outside, "192.0.2.50")) == THERE
    assert pings(outside, "192.0.2.50") == "answered"
    assert seen_as(ask(inside, THERE, source="10.0.0.10")) == "192.0.2.50"
    assert ask(inside, THERE, source="10.0.0.11") == "silence"
    assert "--- 192.0.2.50         10.0.0.10          ---                ---" in show(
        device, "show ip nat translations"
    )
    row = next(row for row in translations(device) if row["protocol"] == "---")
    assert (row["inside_global_ip"], row["inside_local_ip"]) == ("192.0.2.50", "10.0.0.10")


def test_a_static_port_leads_to_another_port_inside(configure, outside):
    configure(
        "ip nat inside source static tcp 10.0.0.11 80 interface gi0/1 8080",
        "ip nat inside source static udp 10.0.0.10 53 192.0.2.51 5353",
    )
    assert answered(ask(outside, "192.0.2.1", 8080))
    assert answered(ask(outside, "192.0.2.51", 5353, kind="udp"))
    assert ask(outside, "192.0.2.51", 80) == "silence"


MAPPED = (
    *("access-list 120 deny udp any any eq 53", "access-list 120 permit ip any any"),
    *("route-map SOME permit 10", "match ip address 120"),
)


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        ("static 10.0.0.10 203.0.113.10 route-map SOME", "203.0.113.10 4000"),
        ("static udp 10.0.0.10 4000 203.0.113.10 5000 route-map SOME extendable", "203.0.113.10 5000"),
        ("static network 10.0.0.0 203.0.113.0 /24 route-map SOME", "203.0.113.10 4000"),
    ],
)
def test_a_static_translation_with_a_route_map_applies_to_what_the_map_permits(configure, device, inside, rule, seen):
    # "NAT: ability to use route maps with static translations", IOS 12.2(4)T
    configure(*MAPPED, f"ip nat inside source {rule}", "ip nat inside source list 1 interface gi0/1 overload")
    assert f"ip nat inside source {rule}" in show(device, "show running-config")
    assert ask(inside, THERE, kind="udp", port=80, source="10.0.0.10", local=4000) == f"seen as {seen}"
    assert seen_as(ask(inside, THERE, kind="udp", port=53, source="10.0.0.10", local=4000)) == "192.0.2.1"
    assert "203.0.113." in show(device, "show ip nat translations")
    configure("route-map SOME deny 5", "match ip address 121", "access-list 121 permit ip any any")
    show(device, "clear ip nat translation *")
    assert seen_as(ask(inside, THERE, kind="udp", port=80, source="10.0.0.10", local=4000)) == "192.0.2.1"
    configure("no access-list 120", "no access-list 121", "no route-map SOME")


def test_a_static_port_with_a_route_map_is_open_to_the_outside(configure, outside):
    rule = "ip nat inside source static tcp 10.0.0.10 80 203.0.113.10 8080 route-map SOME extendable"
    configure(*MAPPED, rule)
    assert seen_as(ask(outside, "203.0.113.10", port=8080)) == THERE
    configure("no access-list 120", "no route-map SOME")


def test_route_maps_choose_among_global_addresses_of_one_host(configure, inside):
    configure(
        *("access-list 120 permit udp any any eq 53", "access-list 121 permit udp any any eq 80"),
        *("route-map ONE permit 10", "match ip address 120", "match interface gi0/1"),
        *("route-map TWO permit 10", "match ip address 121", "match interface gi0/1"),
        "ip nat inside source static 10.0.0.10 203.0.113.1 route-map ONE",
        "ip nat inside source static 10.0.0.10 203.0.113.2 route-map TWO",
    )
    asked = [seen_as(ask(inside, THERE, kind="udp", port=port, source="10.0.0.10")) for port in (53, 80)]
    assert asked == ["203.0.113.1", "203.0.113.2"]
    configure("no access-list 120", "no access-list 121", "no route-map ONE", "no route-map TWO")


def test_a_network_is_translated_host_by_host(configure, inside, outside):
    configure("ip nat inside source static network 10.0.0.0 203.0.113.0 /24")
    assert answered(ask(outside, "203.0.113.12"))
    assert seen_as(ask(inside, THERE, source="10.0.0.13")) == "203.0.113.13"


def test_a_pool_gives_each_host_the_lowest_free_address_until_none_is_left(configure, device, inside):
    configure("ip nat pool P 192.0.2.60 192.0.2.61 netmask 255.255.255.0", "ip nat inside source list 1 pool P")
    assert seen_as(ask(inside, THERE, source="10.0.0.12")) == "192.0.2.60"
    assert seen_as(ask(inside, THERE, source="10.0.0.10")) == "192.0.2.61"
    assert seen_as(ask(inside, THERE, source="10.0.0.12")) == "192.0.2.60"
    assert ask(inside, THERE, source="10.0.0.11") == "silence"
    rows = [row for row in translations(device) if row["protocol"] == "---"]
    assert {(row["inside_local_ip"], row["inside_global_ip"]) for row in rows} == {
        ("10.0.0.12", "192.0.2.60"),
        ("10.0.0.10", "192.0.2.61"),
    }
    text = show(device, "show ip nat statistics")
    assert re.search(r"type generic, total addresses 2, allocated 2 \(100%\), misses [1-9]", text)
    show(device, "clear ip nat translation *")
    assert translations(device) == []
    assert seen_as(ask(inside, THERE, source="10.0.0.11")) == "192.0.2.60"


def test_outside_hosts_reach_a_host_that_the_pool_serves_and_no_other(configure, inside, outside):
    configure("ip nat pool P 192.0.2.60 192.0.2.61 netmask 255.255.255.0", "ip nat inside source list 1 pool P")
    assert answered(ask(inside, THERE, source="10.0.0.12"))
    assert answered(ask(outside, "192.0.2.60"))
    assert ask(outside, "192.0.2.61") == "silence"


def test_an_overloaded_pool_shares_its_first_address(configure, inside):
    configure(
        "ip nat pool P 192.0.2.60 192.0.2.61 netmask 255.255.255.0", "ip nat inside source list 1 pool P overload"
    )
    assert {seen_as(ask(inside, THERE, source=f"10.0.0.{n}")) for n in (10, 11, 12)} == {"192.0.2.60"}


def test_pool_addresses_stay_with_their_hosts_when_something_else_is_configured(configure, inside):
    configure("ip nat pool P 192.0.2.60 192.0.2.62 netmask 255.255.255.0", "ip nat inside source list 1 pool P")
    assert seen_as(ask(inside, THERE, source="10.0.0.12")) == "192.0.2.60"
    configure("ip access-list extended OTHER", "permit tcp any any", "interface gi0/1", "ip access-group OTHER out")
    assert seen_as(ask(inside, THERE, source="10.0.0.11")) == "192.0.2.61"
    assert seen_as(ask(inside, THERE, source="10.0.0.12")) == "192.0.2.60"
    configure("interface gi0/1", "no ip access-group OTHER out", "no ip access-list extended OTHER")


def test_translations_survive_changes_elsewhere_and_end_with_their_rule(configure, device, inside):
    configure("ip nat inside source list 1 interface gi0/1 overload")
    assert ask(inside, THERE, 53, kind="udp", source="10.0.0.10", local=5000) == "seen as 192.0.2.1 5000"
    before = [row for row in translations(device) if row["protocol"] == "udp"]
    configure("access-list 77 permit any", "interface gi0/0", "ip access-group 77 in")
    assert [row for row in translations(device) if row["protocol"] == "udp"] == before != []
    configure(
        "interface gi0/0",
        "no ip access-group 77 in",
        "no access-list 77",
        "no ip nat inside source list 1 interface gi0/1 overload",
    )
    assert translations(device) == []
    assert ask(inside, THERE, 53, kind="udp", source="10.0.0.10", local=5000) == "silence"


def test_a_new_rule_takes_over_flows_that_began_without_it(configure, inside):
    assert ask(inside, THERE, 53, kind="udp", source="10.0.0.10", local=5001) == "silence"
    configure("ip nat inside source list 1 interface gi0/1 overload")
    assert answered(ask(inside, THERE, 53, kind="udp", source="10.0.0.10", local=5001))


def test_inbound_lists_see_global_addresses_and_outbound_lists_too(configure, inside, outside):
    configure(
        "ip nat inside source static 10.0.0.10 192.0.2.50",
        "ip access-list extended X",
        "permit tcp any host 192.0.2.50 eq 80",
        "interface gi0/1",
        "ip access-group X in",
    )
    assert answered(ask(outside, "192.0.2.50"))
    assert not answered(ask(outside, "192.0.2.1"))
    configure(
        "interface gi0/1",
        "no ip access-group X in",
        "no ip access-list extended X",
        "ip access-list extended X",
        "permit ip host 192.0.2.50 any",
    )
    configure("ip nat inside source list 1 interface gi0/1 overload", "interface gi0/1", "ip access-group X out")
    assert answered(ask(inside, THERE, source="10.0.0.10"))
    assert ask(inside, THERE, source="10.0.0.11") == "silence"
    assert pings(outside, "192.0.2.1") == "answered"
    configure("interface gi0/1", "no ip access-group X out", "no ip access-list extended X")


def test_an_outside_host_is_known_inside_by_another_address(configure, device, inside):
    configure(
        "ip nat outside source static 192.0.2.100 10.99.0.1 add-route",
        "ip nat inside source list 1 interface gi0/1 overload",
    )
    assert seen_as(ask(inside, "10.99.0.1", source="10.0.0.10")) == "192.0.2.1"
    row = next(row for row in translations(device) if row["protocol"] == "tcp")
    assert (row["outside_local_ip"], row["outside_global_ip"], row["inside_local_ip"]) == (
        "10.99.0.1",
        THERE,
        "10.0.0.10",
    )


def test_a_virtual_server_is_served_by_real_ones_in_turn(configure, outside, inside):
    configure(
        "ip nat pool REAL 10.0.0.10 10.0.0.11 prefix-length 24 type rotary",
        "access-list 3 permit 192.0.2.70",
        "ip nat inside destination list 3 pool REAL",
    )
    assert all(answered(ask(outside, "192.0.2.70")) for _ in range(4))
    configure("no access-list 3")


def test_statistics_count_translated_packets(configure, device, inside):
    configure("ip nat inside source list 1 interface gi0/1 overload")
    assert pings(inside, THERE) == "answered"
    text = show(device, "show ip nat statistics")
    assert re.search(r"Total active translations: \d+ \(0 static, \d+ dynamic; \d+ extended\)", text)
    assert "Outside interfaces:\n  GigabitEthernet0/1\nInside interfaces: \n  GigabitEthernet0/0\n" in text
    assert int(re.search(r"Hits: (\d+)", text)[1]) >= 1
    assert "[Id: 1] access-list 1 interface GigabitEthernet0/1 refcount" in text


def test_timeouts_are_the_kernels(configure, device, lab):
    configure("ip nat inside source list 1 interface gi0/1 overload", "ip nat translation udp-timeout 120")
    value = int(lab.nodes["R1"].run(["cat", "/proc/sys/net/netfilter/nf_conntrack_udp_timeout"]).stdout)
    assert value == max(1, round(120 / lab.nodes["R1"].time_scale))


def test_a_pool_of_a_whole_network_works(configure, inside):
    configure("ip nat pool P 203.0.113.1 203.0.113.254 prefix-length 24", "ip nat inside source list 1 pool P")
    assert seen_as(ask(inside, THERE, source="10.0.0.11")) == "203.0.113.1"
    assert seen_as(ask(inside, THERE, source="10.0.0.12")) == "203.0.113.2"


def test_a_network_outside_is_known_inside_by_other_addresses(configure, inside):
    configure(
        "ip nat outside source static network 192.0.2.0 10.99.0.0 /24",
        "ip nat inside source list 1 interface gi0/1 overload",
    )
    assert seen_as(ask(inside, "10.99.0.100", source="10.0.0.10")) == "192.0.2.1"


def test_what_began_has_expired_or_is_there(configure, device, inside):
    configure("ip nat inside source list 1 interface gi0/1 overload", "do clear ip nat statistics")
    for _ in range(3):
        assert answered(ask(inside, THERE))
    show(device, "clear ip nat translation *")
    assert answered(ask(inside, THERE))
    text = show(device, "show ip nat statistics")
    numbers = {
        name: int(re.search(rf"{name}: (\d+)", text)[1])
        for name in ("Total active translations", "Peak translations", "Misses", "Expired translations", "Hits")
    }
    assert numbers["Misses"] == 4
    assert numbers["Expired translations"] + numbers["Total active translations"] == numbers["Misses"]
    assert numbers["Expired translations"] >= 3
    assert numbers["Peak translations"] >= 1
    assert numbers["Hits"] > numbers["Misses"], "of each connection more than the first packet"


ASYMMETRIC = ROUTER + "interface Gi0/2\n ip address 192.0.3.1 255.255.255.0\n no shutdown\n"
FAR = (
    "ip address add 192.0.2.100/24 dev eth0\nip address add 192.0.3.100/24 dev eth1\n"
    "sysctl -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0 net.ipv4.conf.eth1.rp_filter=0\n"
    "sysctl -w net.ipv4.conf.all.arp_announce=2\n"  # IOS ignores requests whose sender is not of the interface's subnet
    "ip route add 10.0.0.0/24 via 192.0.3.1\n"
)
HEARS = """
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("192.0.2.100", 0))
one.settimeout(2)
one.sendto(b"hello", ("10.0.0.10", 53))
print(*one.recvfrom(100)[1])
"""


@pytest.mark.parametrize(
    ("rule", "heard"),
    [
        ("ip nat inside source static 10.0.0.10 203.0.113.10", "203.0.113.10 53"),
        ("ip nat inside source static udp 10.0.0.10 53 203.0.113.11 5353", "203.0.113.11 5353"),
        ("ip nat inside source static network 10.0.0.0 203.0.113.0 /24", "203.0.113.10 53"),
    ],
)
def test_a_static_rule_translates_packets_of_connections_that_came_in_elsewhere(deploy_task, rule, heard):
    """IOS translates by packet: the request comes by an interface without NAT, the answer leaves by the outside."""
    links = ["R1 Gi0/0 - in eth0", "R1 Gi0/1 - far eth0", "R1 Gi0/2 - far eth1"]
    lab = deploy_task(ios_task({"R1": ASYMMETRIC + rule + "\n"}, links, hosts={"in": INSIDE, "far": FAR}))
    serve(lab.nodes["in"], (53,))
    done = lab.nodes["far"].run(["python3", "-c", HEARS])
    assert done.stdout.strip() == heard, done.stderr
    assert device_of(lab.nodes["R1"]).problems == []
