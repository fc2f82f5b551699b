"""Translation without a lab: storing, refusals and compilation; kernel connections read as translations."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.apply.conntrack import parse
from pytest_netbench.platforms.cisco_ios.areas.nat.shows import extended, table
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

SIDES = (
    "interface gi0/0",
    "ip address 10.0.0.1 255.255.255.0",
    "ip nat inside",
    "interface gi0/1",
    "ip address 192.0.2.1 255.255.255.0",
    "ip nat outside",
    "exit",
)
LISTING = """
ipv4     2 tcp      6 431999 ESTABLISHED src=10.0.0.10 dst=192.0.2.100 sport=4000 dport=80 \
src=192.0.2.100 dst=192.0.2.1 sport=80 dport=1024 [ASSURED] mark=0 zone=0 use=2
ipv4     2 icmp     1 2 src=192.0.2.100 dst=192.0.2.50 type=8 code=0 id=7 \
src=10.0.0.5 dst=192.0.2.100 type=0 code=0 id=7 mark=0 zone=0 use=2
ipv4     2 udp      17 29 src=10.0.0.10 dst=10.99.0.1 sport=5 dport=53 [UNREPLIED] \
src=192.0.2.100 dst=192.0.2.1 sport=53 dport=5 mark=0 zone=0 use=2
ipv4     2 udp      17 29 src=10.0.0.10 dst=10.0.0.1 sport=5 dport=53 \
src=10.0.0.1 dst=10.0.0.10 sport=53 dport=5 mark=0 zone=0 use=2
ipv6     10 tcp      6 100 TIME_WAIT src=2001:db8::1 dst=2001:db8::2 sport=1 dport=2 \
src=2001:db8::2 dst=2001:db8::1 sport=2 dport=1 mark=0 zone=0 use=2
"""


def typed(device, *lines):
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in lines]


def stored(device):
    return [line for line in device.running_config().splitlines() if line.startswith("ip nat")]


def compiled(device):
    return compile_state(device.grammar, device.config, device.facts)


def test_an_interface_has_one_address_so_it_is_shared():
    device = paper("ip nat inside source list 1 interface gi0/1")
    assert stored(device) == ["ip nat inside source list 1 interface GigabitEthernet0/1 overload"]
    typed(device, "no ip nat inside source list 1 interface gi0/1 overload")
    assert stored(device) == []


def test_ports_of_tcp_and_udp_are_told_apart():
    lines = [f"ip nat inside source static {protocol} 10.0.0.5 53 192.0.2.5 53" for protocol in ("tcp", "udp")]
    assert stored(paper(*lines)) == lines


def test_a_global_address_stands_for_one_local_address():
    device = paper("ip nat inside source static 10.0.0.5 192.0.2.5")
    assert typed(device, "ip nat inside source static 10.0.0.6 192.0.2.5") == [
        "% similar static entry (10.0.0.5 -> 192.0.2.5) already exists\n"
    ]


def test_pools_are_checked_and_those_in_use_stay():
    device = paper("ip nat pool P 192.0.2.5 192.0.2.9 netmask 255.255.255.0", "ip nat inside source list 1 pool P")
    assert typed(
        device,
        "ip nat pool X 192.0.2.9 192.0.2.5 prefix-length 24",
        "ip nat pool X 192.0.2.9 192.0.3.5 prefix-length 24",
        "no ip nat pool P",
    ) == [
        "%End address less than start address\n",
        "%Start and end addresses on different subnets\n",
        "%Pool P in use, cannot destroy\n",
    ]
    typed(device, "no ip nat inside source list 1 pool P", "no ip nat pool P")
    assert stored(device) == []


def test_nothing_is_compiled_without_sides_or_without_rules():
    without_rules = compiled(paper(*SIDES)).nft.rules
    without_sides = compiled(paper("ip nat inside source list 1 interface gi0/1 overload")).nft.rules
    assert {family for family, _ in {**without_rules, **without_sides}} <= {"arp"}


def test_packets_from_inside_to_outside_and_those_of_the_router_are_translated():
    device = paper(*SIDES, "access-list 1 permit any", "ip nat inside source list 1 interface gi0/1 overload")
    rules = compiled(device).nft.rules
    to_inside = [rule for rule in rules["inet", "nat_out"] if rule.endswith("jump nat_inside")]
    assert to_inside == [
        'iifname { "gi0-0" } oifname { "gi0-1" } jump nat_inside',
        'fib saddr type local oifname { "gi0-1" } jump nat_inside',
    ]
    assert rules["inet", "nat_give_1"][0].endswith("snat ip to 192.0.2.1")


def test_one_limit_counts_the_translations_of_all_dynamic_rules():
    rules = ("access-list 1 permit any", "ip nat inside source list 1 interface gi0/1 overload")
    device = paper(*SIDES, *rules)
    assert ("inet", "nat_limit") not in compiled(device).nft.rules
    typed(device, "ip nat translation max-entries 7", "ip nat inside source list 2 interface gi0/1 overload")
    found = compiled(device).nft.rules
    assert found["inet", "nat_limit"] == ['ct count over 7 counter name "nat_refused" drop']
    assert [found["inet", f"nat_give_{number}"][0] for number in (1, 2)] == ["jump nat_limit"] * 2


def test_the_router_is_at_home_for_global_addresses_of_its_own_subnets_alone():
    device = paper(
        *SIDES,
        "ip nat inside source static 10.0.0.5 192.0.2.5",
        "ip nat inside source static 10.0.0.6 203.0.113.6",
        "ip nat inside source static tcp 10.0.0.7 80 192.0.2.1 80",
    )
    plan = compiled(device)
    assert plan.routes == ["local 192.0.2.5 dev lo table local"]
    assert plan.sysctls["net/ipv4/conf/gi0-1/arp_ignore"] == "0"
    assert plan.nft.rules["inet", "control"] == ["ip daddr { 192.0.2.5 } drop"]
    own = "arp operation request arp daddr ip != { 192.0.2.1, 192.0.2.5 } drop"
    assert not any(own in rule for rule in plan.nft.rules["arp", "arp_in"])
    typed(device, "interface gi0/1", "no ip proxy-arp")
    assert any(own in rule for rule in compiled(device).nft.rules["arp", "arp_in"])


def test_a_route_map_chooses_by_list_and_by_outgoing_interface():
    device = paper(*SIDES, "access-list 1 permit any", "ip nat inside source route-map M interface gi0/1 overload")
    try:
        typed(
            device,
            "route-map M deny 5",
            "match ip address 7",
            "route-map M permit 10",
            "match ip address 1",
            "match interface gi0/1",
        )
    finally:
        rules = compiled(device).nft.rules
    assert rules["inet", "nat_map_1"][0].startswith("goto acl4_7_")
    onward, judged = rules["inet", "nat_map_1_5"]
    assert onward == 'oifname != { "gi0-1" } goto nat_map_1_10'
    assert judged.startswith("goto acl4_1_")


def test_a_long_route_map_says_what_is_not_tested():
    clauses = [f"route-map M permit {number}" for number in range(10, 110, 10)]
    device = paper(*SIDES, *clauses, "exit", "ip nat inside source static 10.0.0.5 192.0.2.5 route-map M")
    assert [text for text, _ in compiled(device).unsupported] == ["route-map M permit 90"]


def test_a_static_translation_to_an_interface_takes_no_route_map():
    (words,) = typed(paper(*SIDES), "ip nat inside source static tcp 10.0.0.5 80 interface gi0/1 80 route-map M")
    assert "Invalid input" in words


def test_connections_of_the_kernel_are_read():
    tcp, icmp, _, plain, six = parse(LISTING)
    assert (tcp.name, tcp.seconds, tcp.state, tcp.reply.target_port) == ("tcp", 431999, "ESTABLISHED", 1024)
    assert (icmp.original.source_port, icmp.target_changed, icmp.source_changed) == (7, True, False)
    assert not plain.translated
    assert (six.family, six.original.source) == (6, "2001:db8::1")


def test_connections_are_told_as_translations_whichever_side_began_them():
    tcp, icmp, udp, *_ = parse(LISTING)
    assert table([extended(one, {"10.99.0.1"}) for one in (tcp, icmp, udp)]).splitlines() == [
        "Pro Inside global      Inside local       Outside local      Outside global",
        "tcp 192.0.2.1:1024     10.0.0.10:4000     192.0.2.100:80     192.0.2.100:80",
        "icmp 192.0.2.50:7       10.0.0.5:7         192.0.2.100:7      192.0.2.100:7",
        "udp 192.0.2.1:5        10.0.0.10:5        10.99.0.1:53       192.0.2.100:53",
    ]


def test_a_lasting_set_begins_with_what_was_in_it():
    plan = compiled(paper()).nft
    plan.last("inet", "map", "m", "type ipv4_addr : ipv4_addr;")
    assert "map m { type ipv4_addr : ipv4_addr; }" in nft.text(plan, {})
    assert "map m { type ipv4_addr : ipv4_addr; elements = { 1.1.1.1 : 2.2.2.2 }; }" in nft.text(
        plan, {}, {("inet", "m"): ["1.1.1.1 : 2.2.2.2"]}
    )
