"""The running config's parts, on what iproute2 6.1, nftables 1.0.6 and Linux 6.18 were seen to print."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.dialects.linux import LinuxDialect
from pytest_netbench.platforms.linux import config, nft, routing, sysctls, tc

UP = ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"]


def link(name: str, **changes):
    return {"ifname": name, "flags": UP, "mtu": 1500, "linkinfo": {"info_kind": "veth"}, "addr_info": [], **changes}


def inet(local: str, length: int, scope: str = "global", **more):
    return {"family": "inet6" if ":" in local else "inet", "local": local, "prefixlen": length, "scope": scope, **more}


def test_a_fresh_node_has_nothing_to_say():
    loopback = link("lo", mtu=65536, linkinfo={}, addr_info=[inet("127.0.0.1", 8, "host"), inet("::1", 128, "host")])
    local = link("eth0", addr_info=[inet("fe80::1", 64, "link")])
    assert config.link_blocks([loopback, local], ("eth0",)) == {}


def test_addresses_mtu_and_state_stand_under_their_interface_in_cable_order():
    described = [
        link("eth0", flags=["BROADCAST", "MULTICAST"]),
        link("eth1", mtu=1400, addr_info=[inet("10.0.0.1", 24), inet("2001:db8::1", 64)]),
        link("lo", mtu=65536, linkinfo={}, addr_info=[inet("127.0.0.1", 8, "host"), inet("1.1.1.1", 32)]),
    ]
    assert list(config.link_blocks(described, ("eth1", "eth0")).items()) == [
        ("lo", ["address 1.1.1.1/32"]),
        ("eth1", ["mtu 1400", "address 10.0.0.1/24", "address 2001:db8::1/64"]),
        ("eth0", ["state down"]),
    ]


def test_made_devices_show_their_kind_and_what_was_set():
    bridge = {"forward_delay": 1500, "stp_state": 1, "priority": 32768, "vlan_filtering": 0, "gc_timer": 0.06}
    vxlan = {"id": 5, "remote": "10.0.0.2", "port": 4789, "learning": True, "ttl": 0}
    described = [
        link("br0", linkinfo={"info_kind": "bridge", "info_data": bridge}),
        link("vx", flags=[], linkinfo={"info_kind": "vxlan", "info_data": vxlan}),
        link("mv", flags=[], link="eth0", linkinfo={"info_kind": "macvlan", "info_data": {"mode": "bridge"}}),
        link("eth0", master="br0", linkinfo={"info_kind": "veth", "info_slave_data": {"hairpin": True, "flood": True}}),
    ]
    assert config.link_blocks(described, ("eth0",)) == {
        "eth0": ["master br0 hairpin on"],
        "br0": ["type bridge stp_state 1", "state up"],
        "mv": ["type macvlan mode bridge", "link eth0"],
        "vx": ["type vxlan id 5 remote 10.0.0.2 port 4789"],
    }


ROUTES = [
    {"dst": "1.1.1.0/24", "gateway": "10.0.0.2", "dev": "eth0", "table": "100", "flags": []},
    {"dst": "default", "gateway": "10.0.0.2", "dev": "eth0", "flags": []},
    {"dst": "10.0.0.0/24", "dev": "eth0", "protocol": "kernel", "scope": "link", "prefsrc": "10.0.0.1", "flags": []},
    {"type": "blackhole", "dst": "10.7.0.0/16", "flags": []},
    {
        "dst": "10.8.0.0/16",
        "flags": [],
        "nexthops": [
            {"gateway": "10.0.0.2", "dev": "eth0", "weight": 2, "flags": []},
            {"gateway": "10.0.0.3", "dev": "eth0", "weight": 1, "flags": []},
        ],
    },
    {"dst": "10.9.0.0/16", "gateway": "10.0.0.2", "dev": "eth0", "metric": 50, "flags": []},
    {"type": "local", "dst": "10.0.0.1", "dev": "eth0", "table": "local", "protocol": "kernel", "flags": []},
    {"dst": "default", "gateway": "2001:db8::2", "dev": "eth0", "metric": 1024, "flags": [], "pref": "medium"},
    {
        "type": "multicast",
        "dst": "ff00::/8",
        "dev": "eth0",
        "table": "local",
        "protocol": "kernel",
        "metric": 256,
        "flags": [],
    },
]


def test_routes_stand_under_their_table_in_order_of_prefix_without_the_kernels_own():
    assert routing.route_blocks(ROUTES) == {
        "main": [
            "default via 10.0.0.2 dev eth0",
            "blackhole 10.7.0.0/16",
            "10.8.0.0/16 nexthop via 10.0.0.2 dev eth0 weight 2 nexthop via 10.0.0.3 dev eth0 weight 1",
            "10.9.0.0/16 via 10.0.0.2 dev eth0 metric 50",
            "default via 2001:db8::2 dev eth0",
        ],
        "100": ["1.1.1.0/24 via 10.0.0.2 dev eth0"],
    }


def test_a_route_is_told_in_the_neutral_form():
    [route] = routing.routes(ROUTES[4:5], "10.8.0.0/16")
    assert (route.protocol, route.next_hops, route.interfaces) == ("static", ("10.0.0.2", "10.0.0.3"), ("eth0", "eth0"))
    [connected] = routing.routes(ROUTES[2:3], "10.0.0.0/24")
    assert connected.protocol == "connected"
    [default] = routing.routes(ROUTES[1:2], "0.0.0.0/0")
    assert (default.prefix, default.metric) == ("0.0.0.0/0", 0)
    [hole] = routing.routes(ROUTES[3:4], "10.7.0.0/16")
    assert hole.extra == {"type": "blackhole"}
    assert routing.routes([], "44.0.0.0/8") == []


def test_policy_rules_of_a_fresh_node_are_left_out():
    rules = [
        {"priority": 0, "src": "all", "table": "local"},
        {"priority": 100, "src": "10.5.0.0", "srclen": 16, "table": "100"},
        {"priority": 99, "src": "all", "fwmark": "0x5", "table": "100"},
        {"priority": 32766, "src": "all", "table": "main"},
    ]
    assert routing.rule_lines(rules, family="ip") == [
        "rule ip priority 99 from all fwmark 0x5 lookup 100",
        "rule ip priority 100 from 10.5.0.0/16 lookup 100",
    ]


def test_only_fixed_neighbors_are_config():
    entries = [
        {"dst": "10.0.0.9", "dev": "eth0", "lladdr": "02:00:00:00:00:01", "state": ["PERMANENT"]},
        {"dst": "10.0.0.8", "dev": "eth0", "lladdr": "02:00:00:00:00:02", "state": ["REACHABLE"]},
    ]
    assert routing.neighbor_lines(entries) == {"eth0": ["neighbour 10.0.0.9 lladdr 02:00:00:00:00:01"]}


RULESET = """table inet f {
	set s {
		type ipv4_addr
		flags interval
		elements = { 10.0.0.0/8, 172.16.1.1,
\t\t\t     172.16.3.0/24 }
	}

	set dyn {
		type ipv4_addr
		flags dynamic,timeout
		timeout 1m
		elements = { 10.0.0.7 }
	}

	chain in {
		type filter hook input priority filter; policy drop;
		ip saddr @s tcp dport { 22, 80 } counter accept comment "hi"
		ip protocol icmp update @dyn { ip saddr limit rate 5/second } accept
		log prefix "a{b" drop
	}
}
table ip nat {
}
# Warning: table ip nat is managed by iptables-nft, do not touch!
"""


def test_the_ruleset_is_hierarchical_by_one_space_and_whole():
    assert nft.ruleset_lines(RULESET) == [
        "table inet f",
        " set s",
        "  type ipv4_addr",
        "  flags interval",
        "  elements = { 10.0.0.0/8, 172.16.1.1, 172.16.3.0/24 }",
        " set dyn",
        "  type ipv4_addr",
        "  flags dynamic,timeout",
        "  timeout 1m",
        " chain in",
        "  type filter hook input priority filter",
        "  policy drop",
        '  ip saddr @s tcp dport { 22, 80 } counter accept comment "hi"',
        "  ip protocol icmp update @dyn { ip saddr limit rate 5/second } accept",
        '  log prefix "a{b" drop',
        "table ip nat",
    ]


QDISCS = """qdisc noqueue 0: dev lo root refcnt 2
qdisc htb 1: dev eth0 root refcnt 3 r2q 10 default 0x20 direct_packets_stat 7 direct_qlen 1000
qdisc pfifo 10: dev eth0 parent 1:10 limit 50p
qdisc ingress ffff: dev eth1 parent ffff:fff1 ----------------
qdisc tbf 8001: dev br0 root refcnt 2 rate 1Mbit burst 10Kb lat 50ms
qdisc noqueue 0: dev eth2 root refcnt 2
"""


def test_qdiscs_lose_counters_and_the_kernels_own_numbers():
    assert tc.qdiscs(QDISCS) == {
        "eth0": ["qdisc htb 1: root default 0x20", "qdisc pfifo 10: parent 1:10 limit 50p"],
        "eth1": ["qdisc ingress"],
        "br0": ["qdisc tbf root rate 1Mbit burst 10Kb lat 50ms"],
    }


def test_classes_are_in_order_of_their_numbers():
    text = """class tbf 8001:1 parent 8001:
class htb 1:20 root prio 0 rate 1Mbit ceil 1Mbit burst 1600b cburst 1600b
class htb 1:3 root prio 0 rate 5Mbit ceil 10Mbit burst 1600b cburst 1600b
"""
    assert [line.split()[2] for line in tc.class_lines(text)] == ["1:3", "1:20"]


FILTERS = """filter parent 1: protocol ip pref 1 u32 chain 0
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800: ht divisor 1
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid 1:10 not_in_hw
  match 0a000000/ffffff00 at 16
  match 00b80000/00fc0000 at 0
  match 00060000/00ff0000 at 8
  match 00000035/0000ffff at 20
  match 00500000/ffff0000 at nexthdr+0
  match 00000001/00000003 at 4
filter protocol ip pref 2 u32 chain 0 fh 801::800 order 2048 key ht 801 bkt 0 *flowid ??? not_in_hw
	action order 1: mirred (Egress Redirect to device br0) stolen
 \tindex 1 ref 1 bind 1

filter parent 1: protocol all pref 3 fw chain 0 handle 0x5 classid 1:10
"""


def test_filters_say_what_they_match_in_the_words_they_are_typed_in():
    assert tc.filter_lines(FILTERS) == [
        "filter parent 1: protocol ip pref 1 u32 flowid 1:10",
        " match ip dst 10.0.0.0/24",
        " match ip tos 0xb8 0xfc",
        " match ip protocol 6 0xff",
        " match ip dport 53 0xffff",
        " match ip sport 80 0xffff",
        " match 00000001/00000003 at 4",
        "filter protocol ip pref 2 u32",
        " action order 1: mirred (Egress Redirect to device br0) stolen",
        "filter parent 1: protocol all pref 3 fw handle 0x5 classid 1:10",
    ]


def test_only_kernel_settings_that_differ_are_said():
    fresh = {
        "net/ipv4/ip_forward": "0",
        "net/ipv4/conf/all/forwarding": "0",
        "net/ipv4/conf/default/rp_filter": "0",
        "net/ipv4/conf/all/rp_filter": "0",
        "net/ipv4/conf/all/accept_redirects": "1",
    }
    now = {
        **fresh,
        "net/ipv4/ip_forward": "1",
        "net/ipv4/conf/all/forwarding": "1",
        "net/ipv4/conf/eth0/forwarding": "1",
        "net/ipv4/conf/eth0/rp_filter": "1",
        "net/ipv4/conf/all/accept_redirects": "0",
    }
    assert sysctls.lines(now, fresh, ["eth0"]) == [
        "sysctl net.ipv4.conf.eth0.rp_filter = 1",
        "sysctl net.ipv4.ip_forward = 1",
    ]
    assert sysctls.lines(fresh, fresh, []) == []


def test_an_interface_whose_name_holds_a_dot_keeps_it():
    now = {"net/ipv4/conf/eth0.5/rp_filter": "1"}
    fresh = {"net/ipv4/conf/default/rp_filter": "0"}
    assert sysctls.lines(now, fresh, ["eth0.5"]) == ["sysctl net/ipv4/conf/eth0.5/rp_filter = 1"]


DIALECT = LinuxDialect()


def names(line: str) -> set[tuple[str, str]]:
    return {(kind, match[1]) for kind, pattern in DIALECT.free_names() for match in re.finditer(pattern, line)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("table inet filter", {("nft table", "filter")}),
        ("chain forward", {("nft chain", "forward")}),
        ("tcp dport 22 jump ssh", {("nft chain", "ssh")}),
        ("ip saddr @inside accept", {("nft set", "inside")}),
        (
            "class htb 1:10 parent 1:1 leaf 10: prio 0 rate 5Mbit",
            {("class id", "1:10"), ("class id", "1:1"), ("qdisc handle", "10:")},
        ),
        ("qdisc htb 1: root default 0x20", {("qdisc handle", "1:")}),
        (
            "filter parent 1: protocol ip pref 1 u32 flowid 1:10",
            {("qdisc handle", "1:"), ("filter sequence", "1"), ("class id", "1:10")},
        ),
        ("rule ip priority 100 from 10.5.0.0/16 lookup 100", {("rule sequence", "100"), ("routing table", "100")}),
        ("address 10.0.0.1/24", set()),
        ("10.9.0.0/16 via 10.0.0.2 dev eth0", set()),
    ],
)
def test_names_a_person_chooses_are_told_from_what_matters(line, expected):
    assert names(line) == expected


@pytest.mark.parametrize(
    ("parents", "line", "expected"),
    [
        (("table inet f", "chain in"), "tcp dport 22 accept", "table inet f / chain in"),
        (("table inet f", "chain in"), "policy drop", None),
        (("interface eth0",), "filter protocol ip pref 1 u32", "filters of interface eth0"),
        (("interface eth0",), "address 10.0.0.1/24", None),
        ((), "rule ip priority 100 from all lookup 100", "rule ip"),
        ((), "sysctl net.ipv4.ip_forward = 1", None),
    ],
)
def test_order_matters_in_chains_filters_and_policy_rules(parents, line, expected):
    assert DIALECT.ordered_block(parents, line) == expected
