"""Prefix lists, AS path lists, community lists and route maps: storing and compilation for FRR."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.areas.policy import communities
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper


def lines(device, start):
    return [line for line in device.running_config().splitlines() if line.startswith(start)]


def section(device, head):
    text = device.running_config().splitlines()
    at = text.index(head)
    rest = text[at + 1 :]
    return [line.strip() for line in rest[: next(i for i, line in enumerate(rest) if not line.startswith(" "))]]


def shared(device, daemon="bgpd"):
    plan = compile_state(device.grammar, device.config, device.facts)
    return [" / ".join(line.path) for line in plan.frr.of(daemon)]


def typed(device, *typed_lines):
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in typed_lines]


def test_lines_of_a_prefix_list_are_numbered_by_fives_and_sorted():
    device = paper(
        "ip prefix-list A permit 10.0.0.0/8",
        "ip prefix-list B deny 0.0.0.0/0 le 32",
        "ip prefix-list A permit 11.1.2.3/8",
        "ip prefix-list A seq 7 deny 12.0.0.0/8 ge 16 le 24",
    )
    assert lines(device, "ip prefix-list") == [
        "ip prefix-list A seq 5 permit 10.0.0.0/8",
        "ip prefix-list A seq 7 deny 12.0.0.0/8 ge 16 le 24",
        "ip prefix-list A seq 10 permit 11.0.0.0/8",
        "ip prefix-list B seq 5 deny 0.0.0.0/0 le 32",
    ]


@pytest.mark.parametrize(
    "removal", ["no ip prefix-list A", "no ip prefix-list A seq 5", "no ip prefix-list A permit 10.0.0.0/8"]
)
def test_a_prefix_list_or_one_of_its_lines_is_removed(removal):
    assert lines(paper("ip prefix-list A permit 10.0.0.0/8", removal), "ip prefix-list") == []


@pytest.mark.parametrize("words", ["ge 8", "le 8", "ge 24 le 16"])
def test_lengths_of_a_prefix_list_must_make_sense(words):
    (answer,) = typed(paper(), f"ip prefix-list A permit 10.0.0.0/8 {words}")
    assert answer == "% Invalid prefix range for 10.0.0.0/8, make sure: len < ge-value <= le-value\n"


def test_a_sequence_number_is_not_taken_twice():
    device = paper("ip prefix-list A seq 5 permit 10.0.0.0/8")
    assert typed(device, "ip prefix-list A seq 5 permit 11.0.0.0/8") == [
        "%Insertion failed - seq # exists with different policy: 5\n"
    ]


def test_a_route_map_permits_and_begins_at_ten_unless_told_otherwise():
    device = paper("route-map X", "route-map X deny 5", "description first")
    assert lines(device, "route-map") == ["route-map X deny 5", "route-map X permit 10"]
    assert section(device, "route-map X deny 5") == ["description first"]


def test_values_of_a_match_add_up_and_are_taken_away_one_by_one():
    device = paper(
        "route-map X",
        "match ip address 1 NAMED",
        "match ip address 2",
        "no match ip address 1",
        "match tag 5",
        "match tag 6",
    )
    assert section(device, "route-map X permit 10") == ["match ip address NAMED 2", "match tag 5 6"]


def test_matches_stand_before_settings():
    device = paper("route-map X", "set weight 5", "continue 20", "match as-path 1")
    assert section(device, "route-map X permit 10") == ["match as-path 1", "continue 20", "set weight 5"]


def test_an_entry_with_alternatives_becomes_several_of_frr():
    device = paper(
        "ip as-path access-list 1 permit ^1$",
        "ip as-path access-list 2 permit ^2$",
        "route-map X permit 10",
        "match as-path 1 2",
        "set weight 5",
        "continue 20",
        "route-map X permit 20",
        "router bgp 1",
    )
    assert [line for line in shared(device) if line.startswith("route-map X")] == [
        "route-map X permit 1",
        "route-map X permit 1 / match as-path as-1",
        "route-map X permit 1 / set weight 5",
        "route-map X permit 1 / on-match goto 3",
        "route-map X permit 2",
        "route-map X permit 2 / match as-path as-2",
        "route-map X permit 2 / set weight 5",
        "route-map X permit 2 / on-match goto 3",
        "route-map X permit 3",
    ]


def test_to_continue_leads_onward_only():
    device = paper("route-map X permit 10", "continue 10", "route-map X permit 20", "continue 5", "router bgp 1")
    jumps = [line for line in shared(device) if "goto" in line]
    assert jumps == ["route-map X permit 10 / on-match goto 20"]
    device = paper("route-map X deny 10", "continue 20", "route-map X permit 20", "router bgp 1")
    assert not any("goto" in line for line in shared(device))


def test_a_link_local_next_hop_is_another_attribute_than_a_global_one():
    device = paper("route-map X permit 10", "set ipv6 next-hop FE80::1", "route-map X permit 20", "router bgp 1")
    assert "route-map X permit 10 / set ipv6 next-hop local fe80::1" in shared(device)
    device = paper("route-map X permit 10", "set ipv6 next-hop 2001:DB8::1", "router bgp 1")
    assert "route-map X permit 10 / set ipv6 next-hop global 2001:db8::1" in shared(device)


def test_a_daemon_hears_only_what_it_understands():
    device = paper(
        "route-map X permit 10",
        "match tag 5",
        "set local-preference 200",
        "set metric 5",
        "router ospf 1",
        "router bgp 1",
    )
    assert "route-map X permit 10 / set local-preference 200" in shared(device, "bgpd")
    assert "route-map X permit 10 / set local-preference 200" not in shared(device, "ospfd")
    assert "route-map X permit 10 / set metric 5" in shared(device, "ospfd")


def test_an_entry_that_a_daemon_cannot_judge_matches_nothing_there():
    device = paper("route-map X permit 10", "match as-path 1", "route-map X permit 20", "router ospf 1")
    assert [line for line in shared(device, "ospfd") if line.startswith("route-map X")] == ["route-map X permit 20"]


def test_access_lists_of_routing_have_numbers_of_their_own_and_only_if_used():
    device = paper(
        "ip access-list standard USED",
        "permit 10.0.0.0 0.0.255.255",
        "exit",
        "ip access-list standard OTHER",
        "permit any",
        "exit",
        "route-map X",
        "match ip address USED",
    )
    (listed,) = [line for line in shared(device) if line.startswith("access-list")]
    number = int(listed.split()[1])
    assert 1300 <= number < 2000
    assert listed.endswith("seq 5 permit 10.0.0.0 0.0.255.255")
    assert f"route-map X permit 10 / match ip address {number}" in shared(device)


def test_lists_that_are_not_there_permit_everything():
    device = paper(
        "route-map X",
        "match ip address prefix-list NONE",
        "route-map Y",
        "match ip address 7",
        "route-map Z",
        "match as-path 9",
    )
    told = shared(device)
    assert "ip prefix-list NONE seq 5 permit 0.0.0.0/0 le 32" in told
    assert "access-list 7 seq 5 permit any" in told
    assert "bgp as-path access-list as-9 permit .*" in told


@pytest.mark.parametrize(
    ("typed_text", "read", "frr"),
    [
        ("65001:10", "65001:10", "65001:10"),
        ("4259840010", "4259840010", "65000:10"),
        ("no-exp", "no-export", "no-export"),
        ("local", "local-AS", "local-AS"),
        ("gshut", "gshut", "graceful-shutdown"),
    ],
)
def test_communities_are_read_in_every_form(typed_text, read, frr):
    assert communities.read(typed_text) == read
    assert communities.frr_community(read) == frr


@pytest.mark.parametrize("text", ["70000:1", "x", "no", "1:2:3", "additive"])
def test_what_is_no_community_is_not_taken_for_one(text):
    assert communities.read(text) is None


def test_additive_is_no_community():
    device = paper("route-map X", "set community 65001:1 no-export additive")
    assert section(device, "route-map X permit 10") == ["set community 65001:1 no-export additive"]
    assert "route-map X permit 10 / set community 65001:1 no-export additive" in shared(device)


def test_prefix_lists_are_shown_as_ntc_templates_read_them():
    device = paper("ip prefix-list A permit 10.0.0.0/8 ge 16 le 24", "ip prefix-list A deny 0.0.0.0/0")
    rows = parse_output(
        platform="cisco_ios", command="show ip prefix-list", data=Session(device).enter("show ip prefix-list")
    )
    assert [(row["name"], row["seq"], row["action"], row["network"], row["ge"], row["le"]) for row in rows] == [
        ("A", "5", "permit", "10.0.0.0", "16", "24"),
        ("A", "10", "deny", "0.0.0.0", "", ""),
    ]


@pytest.mark.parametrize("command", ["show ip prefix-list", "show ip as-path-access-list", "show ip community-list"])
def test_nothing_is_shown_where_nothing_is_configured(command):
    assert Session(paper()).enter(command) == ""


def test_lists_of_paths_and_communities_are_shown():
    device = paper(
        "ip as-path access-list 1 permit ^65002_",
        "ip community-list 5 deny 65001:1 no-export",
        "ip community-list expanded E permit 65.*",
    )
    session = Session(device)
    assert session.enter("show ip as-path-access-list") == "AS path access list 1\n    permit ^65002_\n"
    assert session.enter("show ip community-list") == (
        "Community standard list 5\n    deny 65001:1 no-export\nNamed Community expanded list E\n    permit 65.*\n"
    )


def test_behind_the_last_number_a_prefix_list_has_no_place():
    session = Session(paper("ip prefix-list P seq 4294967294 permit 10.0.0.0/8"))
    session.enter("configure terminal")
    assert session.enter("ip prefix-list P permit 10.0.0.0/9").startswith("%Insertion failed")


def test_a_value_that_is_typed_twice_is_stored_once():
    device = paper("route-map X", "match ip address 1 NAMED 1", "match ip address 2 NAMED 2")
    assert section(device, "route-map X permit 10") == ["match ip address 1 NAMED 2"]
