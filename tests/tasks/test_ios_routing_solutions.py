"""Shipped routing tasks in the IOS dialect: right answers in other words, and plausible wrong ones."""

from __future__ import annotations

SLA = [
    "ip sla 10",
    "icmp-echo 198.51.100.1 source-interface GigabitEthernet0/1",
    "frequency 5",
    "exit",
    "ip sla schedule 10 start-time now life forever",
    "ip sla 20",
    "icmp-echo 10.0.9.2",
    "ip sla schedule 20 start-time now life forever",
    "track 100 ip sla 10 reachability",
    "track 200 ip sla 20 reachability",
    "ip route 10.50.0.0 255.255.255.0 GigabitEthernet0/3 10.0.9.2 track 200",
    "ip route 0.0.0.0 0.0.0.0 GigabitEthernet0/1 192.0.2.1 track 100",
    "ip route 0.0.0.0 0.0.0.0 198.18.0.1 50",
]
FILTERED = [
    "ip prefix-list OURS seq 10 permit 203.0.113.0/24",
    "route-map A-IN permit 10",
    "set local-preference 200",
    "route-map A-OUT permit 10",
    "match ip address prefix-list OURS",
    "route-map B-OUT permit 10",
    "match ip address prefix-list OURS",
    "set as-path prepend 65010 65010 65010",
    "router bgp 65010",
    "network 203.0.113.0 mask 255.255.255.0",
    "neighbor 192.0.2.1 remote-as 64501",
    "neighbor 192.0.2.1 route-map A-IN in",
    "neighbor 192.0.2.1 route-map A-OUT out",
    "neighbor 192.0.2.5 remote-as 64502",
    "neighbor 192.0.2.5 route-map B-OUT out",
]


def test_probes_objects_and_distances_may_have_other_numbers(failed_after):
    pin = "ip route 198.51.100.1 255.255.255.255 192.0.2.1"
    assert failed_after("routing/tracked-internet-line", {"Branch": [pin, *SLA]}) == {}


def test_authentication_of_the_whole_area_is_as_good_as_that_of_a_port(failed_after):
    key = ["interface GigabitEthernet0/0", "ip ospf message-digest-key 5 md5 Lighthouse"]
    area = ["router ospf 1", "area 0 authentication message-digest"]
    never = ["interface GigabitEthernet0/0", "ip ospf priority 0"]
    answers = {"Core1": [*key, *area], "Core2": [*key, *never, *area], "Access": [*key, *never, *area]}
    assert failed_after("routing/ospf-authenticated-lan", answers) == {}


def test_a_list_of_prefixes_keeps_us_from_being_a_transit_as_well_as_one_of_paths(failed_after):
    assert failed_after("routing/bgp-two-providers", {"Edge": FILTERED}) == {}


def test_two_sessions_without_a_filter_make_us_a_transit(failed_after):
    answer = [line for line in FILTERED if "A-OUT out" not in line and "match ip" not in line]
    among = ["ProviderA learns one route from us", "ProviderB learns one route from us"]
    assert set(failed_after("routing/bgp-two-providers", {"Edge": answer}, among=among)) == set(among)


def test_a_reflector_needs_no_group_for_its_clients(failed_after):
    clients = [f"10.255.0.{n}" for n in range(2, 6)]
    own = ["remote-as 65000", "update-source Loopback0"]
    session = [f"neighbor 10.255.0.1 {word}" for word in own]
    bgp = "router bgp 65000"
    aggregate = "aggregate-address 203.0.112.0 255.255.254.0 summary-only"
    answers = {
        "Reflector": [bgp, *(f"neighbor {n} {word}" for n in clients for word in (*own, "route-reflector-client"))],
        "Exit1": [
            "route-map BEST permit 10",
            "set local-preference 150",
            "route-map MED permit 10",
            "set metric 10",
            bgp,
            *session,
            "neighbor 10.255.0.1 next-hop-self",
            "neighbor 192.0.2.1 remote-as 64500",
            "neighbor 192.0.2.1 route-map BEST in",
            "neighbor 192.0.2.1 route-map MED out",
            aggregate,
        ],
        "Exit2": [
            "route-map MED permit 10",
            "set metric 50",
            bgp,
            *session,
            "neighbor 10.255.0.1 next-hop-self",
            "neighbor 192.0.2.5 remote-as 64500",
            "neighbor 192.0.2.5 route-map MED out",
            aggregate,
        ],
        "Site1": [bgp, *session, "network 203.0.112.0 mask 255.255.255.0"],
        "Site2": [
            bgp,
            *session,
            "redistribute connected route-map LAN",
            "route-map LAN permit 10",
            "match interface Loopback1",
        ],
    }
    assert failed_after("routing/bgp-backbone-reflector", answers) == {}


def test_a_community_that_is_not_sent_asks_for_nothing(failed_after):
    answer = [
        "route-map L2 permit 10",
        "set community 64500:50",
        "router bgp 65020",
        "neighbor 192.0.2.5 route-map L2 out",
    ]
    among = ["our network on line 2 has the low preference", "traffic to computers uses line 1"]
    assert set(failed_after("routing/bgp-communities", {"Edge": answer}, among=among)) == set(among)


def test_one_policy_for_both_ports_of_the_hotel_does_as_well(failed_after):
    answer = [
        "access-list 101 deny ip any 10.0.0.0 0.255.255.255",
        "access-list 101 permit ip 10.2.0.0 0.0.255.255 any",
        "access-list 101 permit tcp 10.1.0.0 0.0.0.255 host 198.51.100.22 eq 22",
        "route-map CHEAP permit 10",
        "match ip address 101",
        "set ip next-hop 192.0.2.5",
        "interface GigabitEthernet0/0",
        "ip policy route-map CHEAP",
        "interface GigabitEthernet0/1",
        "ip policy route-map CHEAP",
    ]
    assert failed_after("routing/policy-routing-guests", {"Hotel": answer}) == {}


def test_ospf_may_be_switched_on_where_the_ports_are(failed_after):
    def answer(*ports: str, slow: str | None = None) -> list[str]:
        lines = ["router ospf 1", "auto-cost reference-bandwidth 10000", "passive-interface default"]
        lines += [f"no passive-interface {port}" for port in ports if port != "gi0/2"]
        lines += [line for port in ports for line in (f"interface {port}", "ip ospf 1 area 0")]
        return lines + ([f"interface {slow}", "bandwidth 512"] if slow else [])

    answers = {
        "Mill": answer("fa0/0", "gi0/0", "gi0/2"),
        "Depot": answer("gi0/0", "gi0/1", "gi0/2", "s0/0/0"),
        "Office": answer("fa0/0", "gi0/1", "gi0/2", "s0/0/0", slow="s0/0/0"),
        "Kiosk": answer("gi0/2", "s0/0/0", "s0/0/1", slow="s0/0/1"),
    }
    assert failed_after("routing/ospf-cost-by-capacity", answers) == {}


def test_subinterfaces_may_have_any_number(failed_after):
    switch = [
        *("vlan 10", "name Teachers", "vlan 20", "name Pupils", "vlan 30", "name Guests"),
        *("interface range fa0/1 - 4", "switchport mode access", "switchport access vlan 10"),
        *("interface fa0/2", "switchport access vlan 20", "interface fa0/3", "switchport access vlan 30"),
        *("interface gi0/1", "switchport mode trunk", "switchport trunk allowed vlan none"),
        *("switchport trunk allowed vlan add 10", "switchport trunk allowed vlan add 20"),
    ]
    router = [
        *(
            "interface gi0/0",
            "no shut",
            "interface gi0/0.1",
            "encapsulation dot1q 20",
            "ip address 192.168.20.1 255.255.255.0",
        ),
        *("interface gi0/0.2", "encapsulation dot1q 10", "ip address 192.168.10.1 255.255.255.0"),
    ]
    assert failed_after("routing/router-on-a-stick", {"Switch": switch, "Router": router}) == {}
