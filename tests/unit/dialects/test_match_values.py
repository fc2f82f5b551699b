"""What configurations of each dialect name that packets can meet."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pytest_netbench import parts
from pytest_netbench.dialects.base import ListsMatchValues
from pytest_netbench.dialects.match_values import MatchValues, Service, Span, span_of


def of(dialect: str, text: str) -> MatchValues:
    known = parts.load("dialects", dialect)()
    assert isinstance(known, ListsMatchValues)
    return known.match_values(dedent(text))


def spans(found: MatchValues) -> list[str]:
    return [str(span) for span in found.spans]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("ip route 10.20.0.0 255.255.0.0 10.0.0.2", ["10.20.0.0/16", "10.0.0.2"]),
        ("ip route 0.0.0.0 0.0.0.0 10.0.0.2", ["10.0.0.2"]),
        ("network 10.1.1.0 0.0.0.127 area 0", ["10.1.1.0/25"]),
        ("network 172.16.0.0", ["172.16.0.0/16"]),
        ("network 10.4.0.0 mask 255.255.252.0", ["10.4.0.0/22"]),
        ("area 1 range 10.8.0.0 255.248.0.0", ["10.8.0.0/13"]),
        ("ip prefix-list P seq 5 permit 10.0.0.0/8 le 24", ["10.0.0.0/8"]),
        ("access-list 7 permit 192.168.0.0 0.0.3.255", ["192.168.0.0/22"]),
        ("access-list 7 permit 192.168.0.4", ["192.168.0.4"]),
        ("access-list 7 permit any", []),
        ("ip nat pool P 203.0.113.8 203.0.113.11 netmask 255.255.255.240", ["203.0.113.8/30"]),
        ("ipv6 route 2001:db8:1::/48 2001:db8::1", ["2001:db8:1::/48", "2001:db8::1"]),
        ("neighbor 10.0.0.9 remote-as 65000", ["10.0.0.9"]),
        ("description see 10.99.0.0/16", []),
        ("no ip route 10.20.0.0 255.255.0.0 10.0.0.2", []),
    ],
)
def test_ios_lines_name_addresses(line, named):
    assert spans(of("cisco_ios", line)) == named


def test_a_wildcard_with_gaps_has_its_lowest_next_and_highest_address():
    found = of("cisco_ios", "access-list 9 permit 10.1.0.0 0.0.254.0")
    assert spans(found) == ["10.1.0.0", "10.1.2.0", "10.1.254.0"]


def test_ios_interfaces_have_addresses_and_subnets():
    found = of("cisco_ios", "interface Gi0/1\n ip address 10.1.2.3 255.255.255.128\n ipv6 address 2001:db8::3/64\n")
    assert [(one.interface, str(one.address), str(one.subnet)) for one in found.attachments] == [
        ("Gi0/1", "10.1.2.3", "10.1.2.0/25"),
        ("Gi0/1", "2001:db8::3", "2001:db8::/64"),
    ]


def test_an_address_that_routers_share_is_nobodys_own():
    found = of("cisco_ios", "interface Gi0/1\n standby 1 ip 10.1.2.1\n vrrp 2 ip 10.1.3.1\n standby 1 priority 110\n")
    assert [str(span) for span in found.shared] == ["10.1.2.1", "10.1.3.1"]
    assert found.attachments == ()


def test_an_access_list_names_sources_targets_and_ports():
    found = of(
        "cisco_ios",
        """\
        object-group network WEB
         host 10.1.1.11
         range 10.1.1.20 10.1.1.24
        object-group service DB
         tcp eq 5432
         udp range 6000 6010
        ip access-list extended IN
         10 permit object-group DB object-group WEB 10.1.2.0 0.0.0.127
         permit tcp any range 1024 2047 host 10.9.0.1 eq www
         deny ip 10.3.0.0 0.0.255.255 any
        access-list 5 permit 10.7.0.0 0.0.255.255
        """,
    )
    by_name = {one.name: one for one in found.filters}
    extended = by_name["access-list IN"]
    assert [str(span) for span in extended.sources] == ["10.1.1.11", "10.1.1.20-10.1.1.24", "10.3.0.0/16"]
    assert [str(span) for span in extended.targets] == ["10.1.2.0/25", "10.9.0.1"]
    assert extended.services == (
        Service("tcp", 5432, 5432),
        Service("udp", 6000, 6010),
        Service("tcp", 1024, 2047),
        Service("tcp", 80, 80),
    )
    assert [str(span) for span in by_name["access-list 5"].sources] == ["10.7.0.0/16"]
    assert by_name["access-list 5"].targets == ()


@pytest.mark.parametrize(
    ("line", "dscp"),
    [
        ("match dscp af41 af42", (34, 36)),
        ("match ip dscp 18 ef", (18, 46)),
        ("set dscp cs3", (24,)),
        ("police cir 8000 conform-action transmit exceed-action set-dscp-transmit af32", (28,)),
        ("permit udp any any dscp af31", (26,)),
        ("set ip precedence critical", (40,)),
        ("priority percent 20", ()),
    ],
)
def test_ios_lines_name_markings(line, dscp):
    assert of("cisco_ios", line).dscp == dscp


def test_translations_of_ios_name_both_sides():
    found = of(
        "cisco_ios",
        """\
        ip nat inside source static tcp 10.1.1.5 8443 203.0.113.5 443
        ip nat inside source static 10.1.1.6 203.0.113.6
        ip nat inside source static udp 10.1.1.7 53 interface GigabitEthernet0/1 53
        ip nat pool P 203.0.113.8 203.0.113.9 netmask 255.255.255.240
        """,
    )
    told = [
        (str(one.outside or one.interface), one.outside_port, str(one.inside), one.inside_port, one.protocol)
        for one in found.forwards
    ]
    assert told == [
        ("203.0.113.5", 443, "10.1.1.5", 8443, "tcp"),
        ("203.0.113.6", None, "10.1.1.6", None, None),
        ("GigabitEthernet0/1", 53, "10.1.1.7", 53, "udp"),
    ]
    assert [str(span) for span in found.translated] == ["203.0.113.8/31"]


def test_frr_names_addresses_and_prefixes():
    found = of(
        "frr",
        """\
        interface lo
         ip address 10.255.0.1/32
        interface eth1
         ip address 10.0.12.1/30
        ip route 10.9.0.0/16 10.0.12.2
        ip prefix-list P seq 5 permit 10.8.0.0/14 le 24
        router bgp 65001
         no bgp default ipv4-unicast
         network 10.10.0.0/24
        """,
    )
    assert [(one.interface, str(one.address), one.is_local) for one in found.attachments] == [
        ("lo", "10.255.0.1", True),
        ("eth1", "10.0.12.1", False),
    ]
    assert {"10.9.0.0/16", "10.8.0.0/14", "10.10.0.0/24", "10.0.12.0/30"} <= set(spans(found))


def test_linux_commands_name_what_packets_meet():
    found = of(
        "linux",
        """\
        ip address add 10.1.1.10/24 dev eth0
        ip -6 address add 2001:db8:eeee::10/128 dev lo
        ip route add 10.7.0.0/16 via 10.1.1.1
        # ip route add 10.66.0.0/16 via 10.1.1.1
        nft add rule inet filter forward ip saddr != '{ 10.2.0.0/16, 10.3.0.4 }' udp dport 6000-6010 drop
        nft add rule inet filter forward ip daddr 10.5.0.9 tcp dport { 80, 443 } accept
        nft add rule ip qos marking udp dport 5060 ip dscp set af31
        nft add rule ip nat prerouting ip daddr 203.0.113.7 tcp dport 443 dnat to 10.1.1.20:8443
        nft add rule ip nat postrouting oifname eth1 snat to 203.0.113.2
        tc filter add dev eth1 parent 1: protocol ip prio 1 u32 match ip tos 0xb8 0xfc flowid 1:10
        """,
    )
    assert [(one.interface, str(one.address), one.is_local) for one in found.attachments] == [
        ("eth0", "10.1.1.10", False),
        ("lo", "2001:db8:eeee::10", True),
    ]
    assert {"10.7.0.0/16", "10.2.0.0/16", "10.3.0.4", "10.5.0.9"} <= set(spans(found))
    assert "10.66.0.0/16" not in spans(found)
    assert {Service("udp", 6000, 6010), Service("tcp", 80, 80), Service("tcp", 443, 443)} <= set(found.services)
    assert found.dscp == (26, 46)
    (forward,) = found.forwards
    assert (str(forward.outside), forward.outside_port, str(forward.inside), forward.inside_port) == (
        ("203.0.113.7", 443, "10.1.1.20", 8443)
    )
    assert [str(span) for span in found.translated] == ["203.0.113.2"]
    (rules,) = [one for one in found.filters if one.name == "filter forward"]
    assert [str(span) for span in rules.sources] == ["10.2.0.0/16", "10.3.0.4"]
    assert [str(span) for span in rules.targets] == ["10.5.0.9"]


@pytest.mark.parametrize("word", ["10.1.2", "10.1.2.300", "tcp", "1.5mbit", "::x", "12:30", ""])
def test_other_words_are_no_addresses(word):
    assert span_of(word) is None


def test_a_span_is_written_as_it_would_be_in_a_config():
    assert str(Span(4, 0x0A000000, 0x0AFFFFFF)) == "10.0.0.0/8"
    assert str(Span(4, 0x0A000001, 0x0A000003)) == "10.0.0.1-10.0.0.3"
    assert str(span_of("2001:db8::/32")) == "2001:db8::/32"
