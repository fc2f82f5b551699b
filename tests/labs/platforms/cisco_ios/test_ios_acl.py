"""Packet filters of IOS routers, tested with packets between two hosts and to the router."""

from __future__ import annotations

import re
import time
from functools import partial

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.access_lists import GROUPS, Chance
from tests.support.ios import Session, ios_task, type_lines
from tests.support.probes import answered, ask, pings, serve
from tests.support.switches import switched_task

ROUTER = """
ipv6 unicast-routing
interface Gi0/0
 ip address 10.0.1.1 255.255.255.0
 ipv6 address 2001:db8:1::1/64
 no shutdown
interface Gi0/1
 ip address 10.0.2.1 255.255.255.0
 ipv6 address 2001:db8:2::1/64
 no shutdown
line vty 0 4
 transport input telnet ssh
"""


def host(subnet):
    return (
        f"ip address add 10.0.{subnet}.10/24 dev eth0\nip route add default via 10.0.{subnet}.1\nip -6 address add"
        f" 2001:db8:{subnet}::10/64 dev eth0 nodad\nip -6 route add default via 2001:db8:{subnet}::1 metric 10\n"
    )


@pytest.fixture(scope="module")
def lab(deploy_task):
    lab = deploy_task(
        ios_task({"R1": ROUTER}, ["R1 Gi0/0 - h1 eth0", "R1 Gi0/1 - h2 eth0"], hosts={"h1": host(1), "h2": host(2)})
    )
    for name in ("h1", "h2"):
        serve(lab.nodes[name], (22, 53, 80, 443))
    return lab


@pytest.fixture
def configure(lab):
    """Type lines in config mode of R1; remove the filters afterwards."""
    yield partial(type_lines, lab.nodes["R1"])
    session = Session(device_of(lab.nodes["R1"]))
    session.enter("configure terminal")
    for interface in ("gi0/0", "gi0/1"):
        session.enter(f"interface {interface}")
        for entry in [e for e in session._frames[-1].entries[0].body if "access-group" in e.text or "filter" in e.text]:
            assert not session.enter(f"no {entry.text}")
        session.enter("ip unreachables")
    for name in ("access-list 10", "access-list 100", "ip access-list extended X", "ipv6 access-list SIX"):
        session.enter(f"no {name}")
    session.enter("end")


def show(lab, command):
    return Session(device_of(lab.nodes["R1"])).enter(command)


@pytest.fixture
def h1(lab):
    return lab.nodes["h1"]


@pytest.fixture
def h2(lab):
    return lab.nodes["h2"]


def test_an_extended_list_lets_through_what_it_permits_and_nothing_else(configure, h1):
    configure("access-list 100 permit tcp any host 10.0.2.10 eq www", "interface gi0/0", "ip access-group 100 in")
    assert ask(h1, "10.0.2.10", 80).startswith("seen as 10.0.1.10")
    assert ask(h1, "10.0.2.10", 443) == "prohibited"
    assert pings(h1, "10.0.2.10") != "answered"


def test_an_inbound_list_judges_packets_to_the_router_too(configure, h1):
    configure("access-list 100 permit icmp any host 10.0.2.10", "interface gi0/0", "ip access-group 100 in")
    assert pings(h1, "10.0.2.10") == "answered"
    assert pings(h1, "10.0.1.1") == "prohibited"


def test_an_outbound_list_spares_the_router_itself(configure, lab, h1):
    configure(
        "access-list 100 deny ip any host 10.0.2.10",
        "access-list 100 permit ip any any",
        "interface gi0/1",
        "ip access-group 100 out",
    )
    assert pings(h1, "10.0.2.10") == "prohibited"
    assert "Success rate is 100 percent" in show(lab, "ping 10.0.2.10 repeat 2")


def test_without_unreachables_the_refused_hear_nothing(configure, h1):
    configure("access-list 10 deny any", "interface gi0/0", "ip access-group 10 in", "no ip unreachables")
    assert pings(h1, "10.0.2.10") == "silence"


def test_a_list_that_is_not_there_or_has_only_remarks_permits(configure, h1):
    configure("interface gi0/0", "ip access-group 100 in")
    assert pings(h1, "10.0.2.10") == "answered"
    configure("access-list 100 remark nothing yet")
    assert pings(h1, "10.0.2.10") == "answered"
    configure("access-list 100 permit tcp any any")
    assert pings(h1, "10.0.2.10") != "answered"


def test_established_lets_answers_through_and_no_beginnings(configure, h1, h2):
    configure("ip access-list extended X", "permit tcp any any established", "interface gi0/0", "ip access-group X in")
    assert answered(ask(h2, "10.0.1.10", 80))
    assert not answered(ask(h1, "10.0.2.10", 80))


def test_a_line_goes_in_between_and_out_by_its_number(configure, h1):
    configure(
        "ip access-list extended X",
        "permit ip any any",
        "5 deny tcp any any eq 443",
        "interface gi0/0",
        "ip access-group X in",
    )
    assert ask(h1, "10.0.2.10", 443) == "prohibited"
    assert answered(ask(h1, "10.0.2.10", 80))
    configure("ip access-list extended X", "no 5")
    assert answered(ask(h1, "10.0.2.10", 443))


@pytest.mark.parametrize(
    ("line", "open_ports", "shut_ports"),
    [
        ("permit tcp any any range 22 80", {22, 53, 80}, {443}),
        ("permit tcp any any neq 80", {22, 443}, {80}),
        ("permit tcp any any gt 79", {80, 443}, {53}),
        ("permit tcp any any lt 80", {22, 53}, {80}),
        ("permit tcp any any eq www 443", {80, 443}, {22}),
        ("permit tcp any 10.0.0.10 0.0.255.0 eq 22", {22}, {80}),
        ("permit tcp any any match-all +syn -fin", {80}, set()),
    ],
)
def test_port_operators_and_wildcards_match_as_they_say(configure, h1, line, open_ports, shut_ports):
    configure(
        "ip access-list extended X", line, "permit tcp any any established", "interface gi0/0", "ip access-group X in"
    )
    assert {port for port in open_ports | shut_ports if answered(ask(h1, "10.0.2.10", port, wait=0.2))} == open_ports


@pytest.mark.parametrize(
    ("words", "fitting", "other"),
    [("dscp ef", 0xB8, 0xA0), ("precedence critical", 0xB8, 0x88), ("tos min-delay", 0x10, 0x08)],
)
def test_the_type_of_service_is_matched(configure, h1, words, fitting, other):
    configure("ip access-list extended X", f"permit udp any any {words}", "interface gi0/0", "ip access-group X in")
    assert answered(ask(h1, "10.0.2.10", 53, kind="udp", tos=fitting))
    assert not answered(ask(h1, "10.0.2.10", 53, kind="udp", tos=other))


def test_fragments_are_seen_before_they_are_put_together(configure, lab, h1):
    configure(
        "ip access-list extended X",
        "deny icmp any any fragments",
        "permit ip any any",
        "interface gi0/0",
        "ip access-group X in",
    )
    assert pings(h1, "10.0.2.10") == "answered"
    assert pings(h1, "10.0.2.10", "-s", "3000") == "silence"
    assert re.search(r"10 deny icmp any any fragments \(2 matches\)", show(lab, "show access-lists X"))


def test_counters_count_survive_changes_elsewhere_and_are_cleared(configure, lab, h1):
    configure(
        "access-list 100 permit icmp any any echo",
        "access-list 100 permit ip any any",
        "interface gi0/0",
        "ip access-group 100 in",
    )
    for _ in range(3):
        pings(h1, "10.0.2.10")
    configure("access-list 10 permit 10.0.0.0 0.255.255.255", "interface gi0/1", "ip access-group 10 out")
    configure("ip access-list resequence 100 100 5")
    text = show(lab, "show access-lists 100")
    assert "    100 permit icmp any any echo (3 matches)\n    105 permit ip any any\n" in text
    show(lab, "clear access-list counters 100")
    assert "matches" not in show(lab, "show access-lists 100")


def test_shown_lists_parse_with_the_templates(configure, lab, h1):
    configure(
        "access-list 10 permit 10.0.0.0 0.255.255.255",
        "access-list 10 deny host 1.1.1.1",
        "access-list 100 permit tcp any host 10.0.2.10 eq www",
    )
    configure(
        "access-list 100 deny tcp 10.1.0.0 0.0.255.255 range 1 9 any established",
        "access-list 100 permit icmp any any echo",
        "interface gi0/0",
        "ip access-group 100 in",
    )
    ask(h1, "10.0.2.10", 80)
    rows = parse_output(platform="cisco_ios", command="show ip access-lists", data=show(lab, "show ip access-lists"))
    lines = [row for row in rows if row["line_num"]]
    assert [(row["acl_name"], row["line_num"], row["action"]) for row in lines] == [
        ("10", "10", "permit"),
        ("10", "20", "deny"),
        ("100", "10", "permit"),
        ("100", "20", "deny"),
        ("100", "30", "permit"),
    ]
    assert (lines[0]["src_network"], lines[0]["src_wildcard"], lines[1]["src_host"]) == (
        "10.0.0.0",
        "0.255.255.255",
        "1.1.1.1",
    )
    assert int(lines[2]["matches"]) >= 4
    assert (lines[3]["src_port_range_start"], lines[4]["icmp_type"]) == ("1", "echo")
    assert parse_output(platform="cisco_ios", command="show access-list", data=show(lab, "show access-lists"))


def test_an_ipv6_list_filters_and_lets_neighbor_discovery_through(configure, lab, h1):
    configure(
        "ipv6 access-list SIX",
        "permit tcp any host 2001:db8:2::10 eq www",
        "deny tcp any any log",
        "interface gi0/0",
        "ipv6 traffic-filter SIX in",
    )
    h1.run(["ip", "-6", "neigh", "flush", "dev", "eth0"])
    assert ask(h1, "2001:db8:2::10", 80).startswith("seen as 2001:db8:1:")
    assert not answered(ask(h1, "2001:db8:2::10", 443))
    assert pings(h1, "2001:db8:2::10") == "prohibited"
    text = show(lab, "show ipv6 access-list")
    assert re.search(
        r"IPv6 access list SIX\n    permit tcp any host 2001:DB8:2::10 eq www \(\d+ matches\) sequence 10\n", text
    )


GROUPS_ASKED = """
import socket
for family, group in ((socket.AF_INET, "224.0.0.251"), (socket.AF_INET6, "ff02::fb%eth0")):
    sender = socket.socket(family, socket.SOCK_DGRAM)
    for _ in range(20):
        sender.sendto(b"x", socket.getaddrinfo(group, 5353, family, socket.SOCK_DGRAM)[0][4])
"""


def test_denied_packets_to_groups_do_not_use_up_the_answers(configure, h1):
    configure(
        "access-list 101 permit tcp any any",
        "ipv6 access-list SIX",
        "permit tcp any any",
        "interface gi0/0",
        "ip access-group 101 in",
        "ipv6 traffic-filter SIX in",
    )
    assert answered(ask(h1, "10.0.2.10", 80))
    assert answered(ask(h1, "2001:db8:2::10", 80))
    assert h1.run(["python3", "-c", GROUPS_ASKED]).returncode == 0
    assert [pings(h1, target) for target in ("10.0.2.10", "2001:db8:2::10")] == ["prohibited", "prohibited"]


def test_object_groups_stand_for_their_members(configure, h1):
    configure(
        "object-group network SERVERS",
        "host 10.0.2.10",
        "object-group service WEB",
        "tcp eq www",
        "tcp eq 443",
        "icmp echo",
    )
    configure(
        "ip access-list extended X",
        "permit object-group WEB any object-group SERVERS",
        "interface gi0/0",
        "ip access-group X in",
    )
    assert answered(ask(h1, "10.0.2.10", 443))
    assert pings(h1, "10.0.2.10") == "answered"
    assert not answered(ask(h1, "10.0.2.10", 22))
    configure("object-group network SERVERS", "no host 10.0.2.10")
    assert not answered(ask(h1, "10.0.2.10", 443))


def test_a_time_range_holds_in_the_routers_own_clock(configure, lab, h1):
    configure(
        "time-range NOW",
        "absolute start 00:00 1 January 2020 end 23:59 31 December 2034",
        "periodic daily 0:00 to 23:59",
    )
    configure("time-range THEN", "absolute end 00:00 1 January 2020")
    configure(
        "ip access-list extended X",
        "permit tcp any any eq 80 time-range NOW",
        "permit tcp any any eq 443 time-range THEN",
        "interface gi0/0",
        "ip access-group X in",
    )
    assert answered(ask(h1, "10.0.2.10", 80))
    assert not answered(ask(h1, "10.0.2.10", 443))
    text = show(lab, "show access-lists X")
    assert "time-range NOW (active)" in text
    assert "time-range THEN (inactive)" in text
    assert "time-range entry: THEN (inactive)\n   absolute end 00:00 01 January 2020\n   used in: IP ACL entry" in show(
        lab, "show time-range"
    )


def test_show_ip_interface_names_the_lists(configure, lab):
    configure("access-list 10 permit any", "interface gi0/0", "ip access-group 10 out", "ip access-group X in")
    text = show(lab, "show ip interface gi0/0")
    assert "  Outgoing access list is 10\n" in text
    assert "  Inbound  access list is X\n" in text


def test_matches_of_lines_with_log_are_in_the_log(configure, lab, h1):
    configure(
        "access-list 100 deny tcp any any eq 443 log",
        "access-list 100 permit ip any any",
        "interface gi0/0",
        "ip access-group 100 in",
    )
    assert ask(h1, "10.0.2.10", 443, local=4321) == "prohibited"
    deadline = time.monotonic() + 5
    wanted = "%SEC-6-IPACCESSLOGP: list 100 denied tcp 10.0.1.10(4321) -> 10.0.2.10(443), 1 packet"
    while wanted not in (text := show(lab, "show logging")):
        assert time.monotonic() < deadline, text
        time.sleep(0.05)
    configure("ipv6 access-list SIX", "permit icmp any any log-input", "interface gi0/0", "ipv6 traffic-filter SIX in")
    assert pings(h1, "2001:db8:2::10") == "answered"
    while "%IPV6_ACL-6-ACCESSLOGDP: list SIX/10 permitted icmpv6 2001:DB8:1:" not in (
        text := show(lab, "show logging")
    ):
        assert time.monotonic() < deadline, text
        time.sleep(0.05)
    assert re.search(
        r"\(GigabitEthernet0/0 [0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}\) -> 2001:DB8:2::10 \(128/0\), 1 packet", text
    )


def test_a_list_may_be_longer_than_the_kernel_takes_at_once(configure, lab, h1):
    lines = [f"deny tcp any 10.{n // 250}.{n % 250}.0 0.0.0.255 eq {n + 1000}" for n in range(600)]
    configure(
        "ip access-list extended X", *lines, "permit tcp any any eq 80", "interface gi0/0", "ip access-group X in"
    )
    assert answered(ask(h1, "10.0.2.10", 80))
    assert ask(h1, "10.0.2.10", 443) == "prohibited"
    assert re.search(r"6010 permit tcp any any eq www \(\d+ matches\)", show(lab, "show access-lists X"))


def test_a_reflexive_list_lets_answers_through_and_no_beginnings(configure, lab, h1, h2):
    configure(
        "ip access-list extended X",
        "permit tcp any any reflect ANSWERS timeout 100",
        "permit icmp any any reflect ANSWERS",
        "permit udp any any reflect ANSWERS",
    )
    configure(
        "ip access-list extended Y",
        "evaluate ANSWERS",
        "interface gi0/1",
        "ip access-group X out",
        "ip access-group Y in",
    )
    assert answered(ask(h1, "10.0.2.10", 80, local=4444))
    assert answered(ask(h1, "10.0.2.10", 53, kind="udp"))
    assert pings(h1, "10.0.2.10") == "answered"
    assert not answered(ask(h2, "10.0.1.10", 80))
    assert pings(h2, "10.0.1.10") != "answered"
    text = show(lab, "show access-lists")
    assert "    10 permit tcp any any reflect ANSWERS timeout 100 (" in text
    assert re.search(r"    10 evaluate ANSWERS", text)
    assert "Reflexive IP access list ANSWERS\n" in text
    assert "     permit tcp host 10.0.2.10 eq 80 host 10.0.1.10 eq 4444 (time left " in text
    configure("no access-list 77", "interface gi0/0", "ip unreachables")
    assert "eq 4444" in show(lab, "show access-lists")
    configure("no ip access-list extended Y")


SWITCH = """
ip routing
vlan 10
vlan 20
interface GigabitEthernet0/1
 switchport mode access
 switchport access vlan 10
interface GigabitEthernet0/2
 switchport mode access
 switchport access vlan 20
interface Vlan10
 ip address 10.0.1.1 255.255.255.0
 ip access-group IN in
 no shutdown
interface Vlan20
 ip address 10.0.2.1 255.255.255.0
 no shutdown
ip access-list extended IN
 permit tcp any any eq www
"""


def test_lists_filter_between_vlans_of_a_switch(deploy_task):
    hosts = {f"h{n}": f"10.0.{n}.10/24 10.0.{n}.1" for n in (1, 2)}
    task = switched_task(
        {"SW1": SWITCH}, ["SW1 Gi0/1 - h1 eth0", "SW1 Gi0/2 - h2 eth0"], switches=("SW1",), hosts=hosts
    )
    lab = deploy_task(task)
    h1, h2 = lab.nodes["h1"], lab.nodes["h2"]
    serve(h2, (80, 443))
    assert answered(ask(h1, "10.0.2.10", 80))
    assert ask(h1, "10.0.2.10", 443) == "prohibited"
    assert device_of(lab.nodes["SW1"]).problems == []


def test_the_kernel_takes_lines_of_every_kind(configure):
    configure(*GROUPS, "ip access-list extended X", *Chance(0).lines(200), "interface gi0/0", "ip access-group X in")
