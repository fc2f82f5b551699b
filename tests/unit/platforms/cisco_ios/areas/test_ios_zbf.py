"""The zone-based firewall without a lab."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.zbf.compile import pairs
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

ZONES = ("zone security IN", "zone security OUT", "exit")
POLICY = (
    "class-map type inspect match-any C",
    "match protocol http",
    "policy-map type inspect P",
    "class type inspect C",
    "inspect",
    "exit",
)


def typed(device, *lines):
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in lines]


def section(device, first):
    lines = device.running_config().splitlines()
    at = lines.index(first)
    end = next(n for n in range(at + 1, len(lines)) if not lines[n].startswith(" "))
    return lines[at + 1 : end]


def test_class_default_is_there_from_the_beginning_stays_last_and_drops():
    device = paper(*POLICY)
    assert section(device, "policy-map type inspect P") == [
        " class type inspect C",
        "  inspect",
        " class class-default",
        "  drop",
    ]


def test_a_class_has_one_action():
    device = paper(*POLICY)
    typed(device, "policy-map type inspect P", "class type inspect C", "pass log")
    assert section(device, "policy-map type inspect P")[:2] == [" class type inspect C", "  pass log"]


def test_a_class_map_without_a_word_is_match_all_if_new_and_what_it_is_if_not():
    device = paper(
        "class-map type inspect C", "match protocol http", "class-map type inspect match-any D", "match protocol dns"
    )
    assert typed(device, "class-map type inspect D", "match protocol ssh") == ["", ""]
    assert "class-map type inspect match-all C" in device.running_config()
    assert section(device, "class-map type inspect match-any D") == [" match protocol dns", " match protocol ssh"]


def test_what_is_not_there_is_refused():
    device = paper(*ZONES, *POLICY)
    words = typed(
        device,
        "policy-map type inspect P",
        "class type inspect X",
        "exit",
        "zone-pair security Z source IN destination NOWHERE",
        "zone-pair security Z source IN destination OUT",
        "service-policy type inspect Q",
        "exit",
        "interface gi0/0",
        "zone-member security NOWHERE",
    )
    assert [line.strip() for line in words if line] == [
        "% class map X not configured",
        "% Zone NOWHERE is not configured",
        "% policy map Q not configured",
        "% Zone NOWHERE is not configured",
    ]


def test_what_is_used_stays():
    device = paper(
        *ZONES, *POLICY, "zone-pair security Z source IN destination OUT", "service-policy type inspect P", "exit"
    )
    assert typed(device, "no policy-map type inspect P", "no class-map type inspect match-any C") == [
        "% Policy-map P is being used\n",
        "% Class-map C is being used\n",
    ]
    assert typed(device, "zone-pair security Y source IN destination OUT") == [
        "% Zone-pair Z already exists with the same source and destination\n"
    ]


def test_a_zone_that_goes_takes_its_pairs_and_members():
    device = paper(
        *ZONES,
        "zone-pair security Z source IN destination OUT",
        "interface gi0/0",
        "zone-member security IN",
        "exit",
        "no zone security IN",
    )
    text = device.running_config()
    assert "zone-pair" not in text
    assert "zone-member" not in text


def test_inspection_is_refused_for_class_default():
    device = paper(*POLICY)
    assert (
        "% Inspect action is not allowed"
        in typed(device, "policy-map type inspect P", "class class-default", "inspect")[2]
    )


def test_nothing_is_compiled_while_no_interface_is_in_a_zone():
    device = paper(*ZONES, *POLICY, "zone-pair security Z source IN destination OUT", "service-policy type inspect P")
    assert compile_state(device.grammar, device.config, device.facts).nft.rules == {}


def test_a_pair_without_a_policy_lets_nothing_through():
    device = paper(
        *ZONES,
        "zone-pair security Z source IN destination OUT",
        "interface gi0/0",
        "zone-member security IN",
        "interface gi0/1",
        "zone-member security OUT",
    )
    assert compile_state(device.grammar, device.config, device.facts).nft.rules["inet", "zone_Z"] == ["drop"]


def test_marks_of_classes_differ_and_keep_the_lowest_bits_free():
    device = paper(
        *ZONES,
        *POLICY,
        "zone-pair security A source IN destination OUT",
        "service-policy type inspect P",
        "zone-pair security B source OUT destination IN",
        "service-policy type inspect P",
    )
    marks = {one.mark for pair in pairs(device.config) for one in pair.classes}
    assert len(marks) == 4
    assert all(mark & 0xFFFF == 0 for mark in marks)
