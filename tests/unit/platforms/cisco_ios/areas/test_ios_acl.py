"""Access lists without a lab: storing, printing, numbering, refusals and compilation."""

from __future__ import annotations

import socket
import struct
from datetime import UTC, datetime, timedelta

import pytest

from pytest_netbench.platforms.cisco_ios.areas.acl import times
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ace
from pytest_netbench.platforms.cisco_ios.areas.acl.groups import compile_groups
from pytest_netbench.platforms.cisco_ios.areas.acl.lists import find
from pytest_netbench.platforms.cisco_ios.areas.acl.match import chain, conditions
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.services.programs.messages import acllog
from pytest_netbench.platforms.cisco_ios.services.programs.schedules import times as schedule
from tests.support.access_lists import GROUPS, Chance
from tests.support.ios import Session, paper


def ip4(source, target, protocol, payload):
    """An IPv4 packet without options."""
    return (
        struct.pack(
            "!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0, *map(socket.inet_aton, (source, target))
        )
        + payload
    )


def tcp4(source, target, source_port, target_port):
    """The beginning of a TCP segment."""
    return ip4(source, target, 6, struct.pack("!HH", source_port, target_port))


def printed(device, word="access-list"):
    """Return the access lists of the running config."""
    found, inside = [], False
    for line in device.running_config().splitlines():
        inside = (inside and line.startswith(" ")) or word in line.split()[:3]
        found += [line] if inside else []
    return found


def typed(device, *lines):
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in lines]


@pytest.mark.parametrize(
    ("line", "stored"),
    [
        ("access-list 10 permit 10.0.0.9 0.0.0.255", "access-list 10 permit 10.0.0.0 0.0.0.255"),
        ("access-list 10 permit host 1.1.1.1", "access-list 10 permit 1.1.1.1"),
        ("access-list 1300 deny 0.0.0.0 255.255.255.255 log", "access-list 1300 deny any log"),
        ("access-list 100 perm tcp any host 1.1.1.1 eq 80", "access-list 100 permit tcp any host 1.1.1.1 eq www"),
        ("access-list 100 permit 6 any any eq 22", "^"),
        ("access-list 100 permit 89 any any", "access-list 100 permit ospf any any"),
        (
            "access-list 100 permit tcp any 1.2.3.4 0.0.0.0 est",
            "access-list 100 permit tcp any host 1.2.3.4 established",
        ),
        (
            "access-list 2000 deny udp any range 20 10 any eq snmp 162",
            "access-list 2000 deny udp any range 10 20 any eq snmp snmptrap",
        ),
        ("access-list 100 deny icmp any any 3 13", "access-list 100 deny icmp any any administratively-prohibited"),
        ("access-list 100 deny icmp any any 8", "access-list 100 deny icmp any any echo"),
        ("access-list 100 permit ip any any dscp 46 log-input", "access-list 100 permit ip any any dscp ef log-input"),
        ("access-list 100 permit tcp any any syn ack", "access-list 100 permit tcp any any ack syn"),
        (
            "access-list 100 permit tcp any any match-any +rst -syn",
            "access-list 100 permit tcp any any match-any +rst -syn",
        ),
        ("access-list 100 permit icmp any any ttl gt 5", "access-list 100 permit icmp any any ttl gt 5"),
    ],
)
def test_a_line_is_printed_in_the_words_of_ios(line, stored):
    device = paper()
    [words] = typed(device, line)
    if stored == "^":
        assert "% Invalid input" in words
    else:
        assert words == ""
        assert printed(device) == [stored]
        assert printed(paper(stored)) == [stored]


def test_named_lists_hide_numbers_that_a_reload_would_give_and_show_others():
    device = paper("ip access-list extended X", "remark first", "permit tcp any any", "permit udp any any")
    assert printed(device) == [
        "ip access-list extended X",
        " remark first",
        " permit tcp any any",
        " permit udp any any",
    ]
    typed(device, "ip access-list extended X", "15 deny icmp any any")
    assert printed(device)[1:] == [
        " remark first",
        " 10 permit tcp any any",
        " 15 deny icmp any any",
        " 20 permit udp any any",
    ]
    again = paper(*printed(device))
    assert printed(again) == printed(device)
    typed(device, "ip access-list resequence X 10 10")
    assert printed(device)[3] == " deny icmp any any"
    session = Session(device)
    session.enter("configure terminal")
    assert session.enter("no ip access-list resequence") == "% Incomplete command.\n"


def test_numbered_lists_are_edited_under_their_number_as_well():
    device = paper("access-list 100 permit tcp any any", "access-list 100 permit udp any any")
    typed(device, "ip access-list extended 100", "no 10", "5 deny gre any any")
    assert printed(device) == ["access-list 100 deny gre any any", "access-list 100 permit udp any any"]
    typed(device, "ip access-list extended 100", "no deny gre any any", "no permit udp any any")
    assert printed(device) == ["ip access-list extended 100"]


def test_no_with_a_line_of_a_numbered_list_takes_the_whole_list_away():
    device = paper("access-list 100 permit tcp any any", "access-list 100 permit udp any any")
    typed(device, "no access-list 100 permit udp any any")
    assert printed(device) == []


def test_what_is_said_twice_is_stored_once_and_a_number_cannot_be_taken_twice():
    device = paper("ip access-list extended X", "10 permit tcp any any")
    assert typed(device, "ip access-list extended X", "permit tcp any any", "10 permit udp any any") == [
        "",
        "",
        "% Duplicate sequence number\n",
    ]
    assert printed(device) == ["ip access-list extended X", " permit tcp any any"]


def test_a_name_belongs_to_one_kind_of_list():
    device = paper("ip access-list extended X", "permit ip any any")
    [words] = typed(device, "ip access-list standard X")
    assert (
        words
        == "Access-list type conflicts with prior definition\n% A named Extended IP access list with this name already"
        " exists\n"
    )


def test_an_unfinished_line_and_a_number_out_of_range_are_refused():
    assert "% Incomplete command." in typed(paper(), "access-list 100")[0]
    assert "% Invalid input" in typed(paper(), "access-list 300 permit ip any any")[0]
    assert "% Invalid input" in typed(paper(), "ip access-list extended 10")[0]


def test_ipv6_lines_show_their_numbers_with_a_word():
    device = paper(
        "ipv6 access-list S", "permit tcp 2001:db8::5/32 any eq 80", "sequence 15 deny ipv6 any host 2001:db8::1"
    )
    assert printed(device) == [
        "ipv6 access-list S",
        " sequence 10 permit tcp 2001:DB8::/32 any eq www",
        " sequence 15 deny ipv6 any host 2001:DB8::1",
    ]


def test_a_list_is_found_by_name_with_what_its_lines_say():
    device = paper("access-list 10 deny 10.0.0.0 0.0.0.255", "ip access-list standard N", "permit any")
    found = find(device.config, "10")
    assert found is not None
    assert [(line.number, line.ace.permit, line.ace.source.value) for line in found.lines] == [(10, False, "10.0.0.0")]
    assert find(device.config, "N").standard
    assert find(device.config, "other") is None


def test_a_chain_goes_the_one_way_for_permit_and_the_other_for_deny():
    device = paper("access-list 10 deny 10.0.0.1", "access-list 10 permit 10.0.0.0 0.0.0.255")
    context = device.context()
    name = chain(context, "10", permit="goto yes", deny="goto no")
    rules = context.state.nft.rules["inet", name]
    assert rules[0] == "meta nfproto ipv6 goto no"
    assert rules[1].startswith("ip saddr 10.0.0.1 counter name ")
    assert rules[1].endswith("goto no")
    assert rules[2].endswith("goto yes")
    assert rules[3] == "goto no"
    assert chain(context, "10", permit="goto yes", deny="goto no") == name
    assert len(context.state.nft.rules["inet", name]) == 4
    lost = chain(context, "11", permit="goto yes", deny="goto no", missing="goto yes")
    assert context.state.nft.rules["inet", lost][-1] == "goto yes"


def test_a_port_nothing_can_have_matches_nothing_but_the_rest_of_datagrams():
    device = paper("access-list 100 deny tcp any any lt 0")
    ace = find(device.config, "100").lines[0].ace
    assert conditions(device.context(), ace) == []


def test_counters_stay_with_a_line_whose_number_changes():
    device = paper("access-list 100 permit tcp any any", "interface gi0/0", "ip access-group 100 in")
    before = compile_state(device.grammar, device.config, device.facts).nft.counters
    typed(device, "ip access-list resequence 100 500 7")
    assert compile_state(device.grammar, device.config, device.facts).nft.counters == before


def test_lines_with_log_are_told_of_where_they_filter_and_only_there():
    device = paper(
        "access-list 100 deny tcp any any log",
        "access-list 100 permit ip any any",
        "interface gi0/0",
        "ip access-group 100 in",
    )
    plan = compile_state(device.grammar, device.config, device.facts)
    rules = [rule for name, rules in plan.nft.rules.items() if "acl4_100" in name[1] for rule in rules]
    assert rules[1] == 'meta l4proto 6 limit rate 1000/second log prefix "4|100|0|denied|l" group 31'
    assert plan.services["acllog"] == {
        "group": 31,
        "names": {"gi0-0": "GigabitEthernet0/0", "gi0-1": "GigabitEthernet0/1"},
    }
    context = device.context()
    chain(context, "100", permit="accept")
    assert "acllog" not in context.state.services


@pytest.mark.parametrize(
    ("prefix", "packet", "said"),
    [
        (
            "4|100|10|denied|l",
            tcp4("10.0.0.1", "10.1.1.1", 1234, 80),
            ("SEC", "IPACCESSLOGP", "list 100 denied tcp 10.0.0.1(1234) -> 10.1.1.1(80)"),
        ),
        (
            "4|X|10|permitted|i",
            tcp4("10.0.0.1", "10.1.1.1", 1, 2),
            ("SEC", "IPACCESSLOGP", "list X permitted tcp 10.0.0.1(1) (Gi) -> 10.1.1.1(2)"),
        ),
        ("4|5|10|denied|s", tcp4("10.0.0.1", "10.1.1.1", 1, 2), ("SEC", "IPACCESSLOGS", "list 5 denied 10.0.0.1")),
        (
            "4|X|10|denied|l",
            ip4("10.0.0.1", "10.1.1.1", 1, bytes([8, 0])),
            ("SEC", "IPACCESSLOGDP", "list X denied icmp 10.0.0.1 -> 10.1.1.1 (8/0)"),
        ),
        (
            "4|X|10|denied|l",
            ip4("10.0.0.1", "224.0.0.5", 89, b""),
            ("SEC", "IPACCESSLOGRP", "list X denied ospf 10.0.0.1 -> 224.0.0.5"),
        ),
        (
            "4|X|10|denied|l",
            ip4("10.0.0.1", "10.0.0.2", 200, b""),
            ("SEC", "IPACCESSLOGNP", "list X denied 200 10.0.0.1 -> 10.0.0.2"),
        ),
        ("4|X|10|denied|l", b"E", None),
        (
            "z|IO|class-default|drop|z",
            tcp4("10.0.0.1", "10.1.1.1", 1234, 80),
            (
                "FW",
                "DROP_PKT",
                (
                    "Dropping tcp session 10.0.0.1:1234 10.1.1.1:80 on zone-pair IO class class-default due to  DROP"
                    " action found in policy-map with ip ident 0\tdropped from 10.0.0.1:1234 => 10.1.1.1:80"
                    " (target:class)-(IO:class-default)"
                ),
            ),
        ),
    ],
)
def test_logged_packets_are_told_in_the_words_of_ios(prefix, packet, said):
    assert acllog.describe(prefix.split("|"), packet, "(Gi)") == said


@pytest.mark.parametrize(
    ("line", "inside", "outside"),
    [
        ("periodic weekdays 8:00 to 17:00", datetime(2026, 11, 20, 17, 0, 30), datetime(2026, 11, 21, 12)),
        ("periodic daily 8:00 to 17:00", datetime(2026, 11, 21, 8), datetime(2026, 11, 21, 7, 59)),
        ("periodic fri 20:00 to mon 6:00", datetime(2026, 11, 22, 12), datetime(2026, 11, 24, 5)),
        ("periodic sat sun 1:00 to 2:00", datetime(2026, 11, 22, 1, 30), datetime(2026, 11, 23, 1, 30)),
        ("absolute start 10:00 1 dec 2026", datetime(2027, 1, 1), datetime(2026, 11, 30)),
    ],
)
def test_a_time_range_holds_when_it_says(line, inside, outside):
    device = paper("time-range T", line)
    assert times.holds(device.config, "T", inside.replace(tzinfo=UTC))
    assert not times.holds(device.config, "T", outside.replace(tzinfo=UTC))
    one = service_range(device)
    assert schedule.holds(one, inside.replace(tzinfo=UTC).timestamp())
    assert not schedule.holds(one, outside.replace(tzinfo=UTC).timestamp())


def service_range(device):
    """What the service that fills the set of the range ``T`` is told."""
    context = device.context()
    assert times.time_conditions(context, "T") == ["meta nfproto @during_T"]
    return context.state.services["times"]["ranges"]["during_T"]


def test_the_service_of_time_ranges_says_what_show_says_and_looks_when_it_changes():
    lines = ("absolute start 10:00 2 feb 2026 end 11:30 9 may 2026", "periodic mon wed fri 8:00 to 17:00")
    device = paper("time-range T", *lines, "periodic sat 22:15 to sun 6:00")
    one, began = service_range(device), datetime(2026, 1, 30, tzinfo=UTC)
    before = None
    for minute in range(0, 120 * 24 * 60, 5):
        now = began + timedelta(minutes=minute, seconds=59.5)
        does = times.holds(device.config, "T", now)
        assert schedule.holds(one, now.timestamp()) == does, now
        if before is not None and does != before[1]:
            assert any(before[0] < moment <= now.timestamp() for moment in schedule.boundaries(one, before[0])), now
        before = now.timestamp(), does


def test_a_time_range_that_nobody_defined_holds_always():
    assert times.holds(paper().config, "T", datetime(2026, 1, 1, tzinfo=UTC))
    assert times.time_conditions(paper().context(), "T") == [""]


def test_object_groups_refuse_groups_that_are_not_there():
    device = paper("object-group network A", "host 1.1.1.1", "range 1.1.1.5 1.1.1.9")
    assert typed(device, "object-group network B", "group-object C")[1] == "% object-group C does not exist\n"
    typed(device, "object-group network B", "group-object A", "10.0.0.0 255.0.0.0")
    context = device.context()
    compile_groups(context)
    assert (
        list(context.state.nft.objects["inet"])[1]
        == "set group_B { type ipv4_addr; flags interval; auto-merge; elements = { 1.1.1.1, 1.1.1.5-1.1.1.9, 10.0.0.0/8"
        " }; }"
    )


def test_a_whole_line_can_be_made_by_hand():
    assert Ace(permit=False, protocol="udp").text == "deny udp any any"


def test_numbered_lists_stand_in_the_order_of_their_numbers_without_anything_between():
    text = paper(
        "access-list 100 permit ip any any", "access-list 20 permit any", "access-list 3 permit any"
    ).running_config()
    assert "\naccess-list 3 permit any\naccess-list 20 permit any\naccess-list 100 permit ip any any\n" in text


def test_a_line_with_a_group_that_is_not_there_matches_nothing():
    device = paper("ip access-list extended X", "permit ip object-group G any", "permit object-group S any any")
    assert [conditions(device.context(), line.ace) for line in find(device.config, "X").lines] == [[], []]


def test_a_list_on_a_switch_port_is_told_to_be_without_effect():
    device = paper("access-list 10 permit any", "interface gi0/0", "ip access-group 10 in", role="switch")
    plan = compile_state(device.grammar, device.config, device.facts)
    assert ("inet", "acl_in") not in plan.nft.rules
    assert (
        "ip access-group 10 in",
        "GigabitEthernet0/0 is a switch port: lists only filter on VLAN interfaces",
    ) in plan.unsupported


@pytest.mark.parametrize("seed", range(4))
def test_what_is_printed_of_any_line_is_read_as_the_same_line(seed):
    device = paper(*GROUPS, "ip access-list extended X", *Chance(seed).lines(100))
    aces = [line.ace for line in find(device.config, "X").lines]
    again = paper(*GROUPS, "ip access-list extended X", *(ace.text for ace in aces))
    assert [line.ace for line in find(again.config, "X").lines] == aces
    assert len(aces) > 90
