"""Shipped tasks on real labs: right answers that go another way than the ground truth, and plausible wrong ones."""

from __future__ import annotations

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
