"""Shipped tasks on real labs: right answers that go another way than the ground truth, and plausible wrong ones."""

from __future__ import annotations

from collections.abc import Sequence

TRANSLATION = """nft -f - <<'END'
table inet translate {
 chain in {
  type nat hook prerouting priority -100
  ip daddr 198.51.100.10 tcp dport { 443 } dnat ip to 192.168.10.20:8443
 }
 chain out {
  type nat hook postrouting priority 100
  ip saddr 192.168.10.0/24 ip daddr 192.168.10.20 oifname "eth1" snat ip to 192.168.10.1
  ip saddr != 192.168.10.20 ip saddr 192.168.10.0/24 oifname "eth2" snat ip to 203.0.113.2
  ip saddr 192.168.10.20 oifname "eth2" snat ip to 198.51.100.10
 }
}
END"""


def shaper(interface: str, *, voice: str, data: str) -> list[str]:
    return [
        f"tc qdisc replace dev {interface} root handle 7: htb default 2",
        f"tc class add dev {interface} parent 7: classid 7:100 htb rate 2mbit",
        f"tc class add dev {interface} parent 7:100 classid 7:1 htb rate {voice} ceil 2mbit prio 1",
        f"tc class add dev {interface} parent 7:100 classid 7:2 htb rate {data} ceil 2mbit prio 2",
    ]


def test_voice_may_be_sorted_by_the_packet_filter_into_classes_of_any_number(failed_after):
    sorting = [
        "nft add table inet q",
        "nft add chain inet q out '{ type filter hook postrouting priority 0; }'",
        "nft add rule inet q out ip dscp ef meta priority set 7:1",
    ]
    answer = {
        "branch": shaper("eth3", voice="400kbit", data="1600kbit") + sorting,
        "hq": shaper("eth1", voice="400kbit", data="1600kbit") + sorting,
    }
    assert failed_after("qos/llq-voice", answer) == {}


def test_voice_sorted_by_the_telephones_address_is_not_what_was_asked(failed_after):
    answer = {
        node: [
            *shaper(interface, voice="400kbit", data="1600kbit"),
            f"tc filter add dev {interface} parent 7: protocol ip prio 1 u32 match ip {side} 10.1.1.10/32 flowid 7:1",
        ]
        for node, interface, side in (("branch", "eth3", "src"), ("hq", "eth1", "dst"))
    }
    unmarked = "what the telephone sends unmarked keeps its share, and no more, when voice floods the line"
    assert failed_after("qos/llq-voice", answer, among=[unmarked])


def test_voice_with_the_whole_line_for_itself_starves_the_rest(failed_after):
    answer = {
        node: [
            *shaper(interface, voice="1900kbit", data="100kbit"),
            f"tc filter add dev {interface} parent 7: protocol ip prio 1 u32 match ip tos 0xb8 0xfc flowid 7:1",
        ]
        for node, interface in (("branch", "eth3"), ("hq", "eth1"))
    }
    data = "data from headquarters keeps its share, and no more, when voice floods the line"
    assert failed_after("qos/llq-voice", answer, among=[data])


def test_guests_may_be_limited_by_the_packet_filter(failed_after):
    def limit(match: str, rate: int) -> list[str]:
        return [
            "nft add table inet g",
            "nft add chain inet g forward '{ type filter hook forward priority 0; }'",
            f"nft add rule inet g forward {match} limit rate over {rate} bytes/second burst 6000 bytes drop",
        ]

    answer = {"access": limit("ip saddr 192.168.20.0/24", 62500), "border": limit("ip daddr 192.168.20.0/24", 125000)}
    assert failed_after("qos/rate-limit-per-subnet", answer) == {}


def test_a_limit_for_each_guest_is_no_limit_for_all_of_them(failed_after):
    def limit(interface: str, rate: str, matches: Sequence[str]) -> list[str]:
        lines = [f"tc qdisc add dev {interface} root handle 1: htb"]
        for number, match in enumerate(matches, 1):
            lines += [
                f"tc class add dev {interface} parent 1: classid 1:{number} htb rate {rate}",
                f"tc filter add dev {interface} parent 1: protocol ip prio 1 u32 match ip {match} flowid 1:{number}",
            ]
        return lines

    guests = ("192.168.20.11/32", "192.168.20.12/32")
    answer = {
        "access": limit("eth3", "500kbit", [f"src {guest}" for guest in guests]),
        "border": limit("eth1", "1mbit", [f"dst {guest}" for guest in guests]),
    }
    among = [
        "what a guest sends is held to 500 kbit/s",
        "what a guest receives is held to 1 Mbit/s",
        "two guests share the 1 Mbit/s",
    ]
    assert list(failed_after("qos/rate-limit-per-subnet", answer, among=among)) == among[2:]


def test_marks_may_be_set_as_packets_come_in(failed_after):
    answer = {
        "edge": [
            "nft add table netdev q",
            "nft add chain netdev q in '{ type filter hook ingress device eth1 priority 0; }'",
            "nft add rule netdev q in ip dscp set cs0",
            "nft add rule netdev q in udp dport { 16384-32767 } ip dscp set 46",
            "nft add rule netdev q in udp dport 5060 ip dscp set 24",
            "nft add rule netdev q in tcp dport 8443 ip dscp set 26",
        ],
        "core": [
            "nft add table inet m",
            "nft add chain inet m pre '{ type filter hook prerouting priority -150; }'",
            "nft add rule inet m pre iifname eth3 ip dscp set 0",
        ],
    }
    assert failed_after("qos/dscp-marking", answer) == {}


def test_a_filter_that_blocks_everything_but_ping_is_no_firewall(failed_after):
    answer = {
        "fw": [
            "nft add table inet f",
            "nft add chain inet f forward '{ type filter hook forward priority 0; policy drop; }'",
            "nft add rule inet f forward icmp type { echo-request, echo-reply } accept",
        ]
    }
    among = ["inside opens HTTPS outside", "the outside uses the web server", "the outside does not ping inside"]
    assert set(failed_after("security/zone-stateful-filter", answer, among=among)) == set(among)


def test_a_filter_without_state_lets_nothing_come_back(failed_after):
    answer = {
        "fw": [
            "nft add table inet f",
            "nft add chain inet f forward '{ type filter hook forward priority 0; policy drop; }'",
            "nft add rule inet f forward iifname eth1 oifname eth3 tcp dport 443 accept",
        ]
    }
    assert failed_after("security/zone-stateful-filter", answer, among=["inside opens HTTPS outside"])


def test_addresses_may_be_translated_by_other_rules_in_another_order(failed_after):
    answer = {
        "isp": ["ip route add 198.51.100.8/29 via 203.0.113.2"],
        "gw": [
            "ip address add 198.51.100.10/32 dev eth2",
            TRANSLATION,
        ],
    }
    assert failed_after("security/nat-port-forward", answer) == {}


def test_translating_what_comes_in_as_well_hides_the_client(failed_after):
    answer = {
        "isp": ["ip route add 198.51.100.10/32 via 203.0.113.2"],
        "gw": [
            "ip address add 198.51.100.10/32 dev lo",
            "nft add table ip n",
            "nft add chain ip n pre '{ type nat hook prerouting priority -100; }'",
            "nft add rule ip n pre ip daddr 198.51.100.10 tcp dport 443 dnat to 192.168.10.20:8443",
            "nft add chain ip n post '{ type nat hook postrouting priority 100; }'",
            "nft add rule ip n post oifname eth2 ip saddr 192.168.10.20 snat to 198.51.100.10",
            "nft add rule ip n post masquerade",
        ],
    }
    failed = failed_after("security/nat-port-forward", answer)
    assert list(failed) == ["the web server is reached with the client's address"]
    assert "seen as from 192.168.10.1" in failed["the web server is reached with the client's address"]


def test_forged_sources_may_be_dropped_by_lists_alone(failed_after):
    def chain(*rules: str) -> list[str]:
        return [
            "nft add table inet s",
            "nft add chain inet s forward '{ type filter hook forward priority 0; }'",
            *(f"nft add rule inet s forward {rule} drop" for rule in rules),
        ]

    answer = {
        "edge": chain(
            "iifname eth1 ip saddr != 10.1.1.0/24", "iifname eth2 ip saddr != '{ 10.2.2.0/24, 10.2.7.0/24 }'"
        ),
        "core": chain("iifname eth4 ip saddr '{ 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 }'"),
    }
    assert failed_after("security/anti-spoofing", answer) == {}


def test_a_strict_reverse_path_check_everywhere_cuts_off_the_customer_with_two_lines(failed_after):
    answer = {
        "edge": ["sysctl -w net.ipv4.conf.all.rp_filter=1"],
        "core": ["sysctl -w net.ipv4.conf.eth4.rp_filter=1"],
    }
    cut, private = "customer B is answered on its second line", "the internet cannot use the private 172.16.0.0/12"
    own = "the internet cannot pose as our own network"
    assert set(failed_after("security/anti-spoofing", answer, among=[cut, private, own])) == {cut, private}
