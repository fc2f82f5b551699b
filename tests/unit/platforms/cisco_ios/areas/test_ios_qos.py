"""Quality of service without a lab: config text, refusals and compilation."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.areas.qos.shares import guarantees
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.session.session import Session
from tests.support.ios import paper

CLASSES = ("class-map match-any VOICE", "match dscp ef", "class-map DATA", "match dscp af21")


def plan(*lines):
    device = paper(*lines)
    return compile_state(device.grammar, device.config, device.facts)


def said(*lines):
    session = Session(paper(*CLASSES))
    session.enter("configure terminal")
    return [session.enter(line).strip() for line in lines][-1]


@pytest.mark.parametrize(
    "typed",
    [
        ["police 128000 conform-action transmit exceed-action drop"],
        ["police cir 128000"],
        ["police 128000", "conform-action transmit", "exceed-action drop"],
        ["police cir 128000 conform-action transmit"],
    ],
)
def test_a_policer_is_one_thing_however_it_is_typed(typed):
    text = paper(*CLASSES, "policy-map P", "class VOICE", *typed).running_config()
    assert "  police cir 128000\n   conform-action transmit\n   exceed-action drop\n" in text


def test_a_class_map_keeps_its_kind_and_classes_stand_as_typed_with_the_default_last():
    text = paper(
        *CLASSES,
        "policy-map P",
        "class class-default",
        "fair-queue",
        "class DATA",
        "bandwidth 100",
        "class VOICE",
        "priority 64",
        "class-map VOICE",
    ).running_config()
    assert "class-map match-any VOICE" in text
    assert "class-map match-all DATA" in text
    body = text[text.index("policy-map P") :]
    assert body.index("class DATA") < body.index("class VOICE") < body.index("class class-default")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["policy-map P", "class NONE"], "% class map NONE not configured"),
        (["interface gi0/0", "service-policy output NONE"], "% policy map NONE not configured"),
        (
            ["policy-map P", "class VOICE", "priority percent 60", "class DATA", "bandwidth percent 50"],
            "Sum total of class bandwidths exceeds 100 percent",
        ),
        (
            ["policy-map P", "class VOICE", "priority 64", "bandwidth 64"],
            "% bandwidth and priority cannot be configured in the same class",
        ),
        (
            ["policy-map P", "class VOICE", "priority 64", "interface gi0/0", "service-policy input P"],
            "% P: queueing features can be applied to output only",
        ),
        (["policy-map P", "class VOICE", "service-policy P"], "% policy map P would contain itself"),
        (
            [
                "policy-map P",
                "class VOICE",
                "set dscp ef",
                "interface gi0/0",
                "service-policy input P",
                "no policy-map P",
            ],
            "% Policy-map P is being used",
        ),
        (["class-map match-all VOICE"], "% class-map VOICE already exists as match-any"),
    ],
)
def test_what_cannot_be_is_refused(lines, words):
    assert said(*lines) == words


def test_a_nested_policy_becomes_a_tree_whose_leaves_share_what_the_parent_is_shaped_to():
    tc = plan(
        *CLASSES,
        "policy-map C",
        "class VOICE",
        "priority 400",
        "class DATA",
        "bandwidth percent 30",
        "policy-map P",
        "class class-default",
        "shape average 2000000",
        "service-policy C",
        "interface gi0/0",
        "service-policy output P",
    ).tc["gi0-0"]
    rates = {line.split()[7]: (line.split()[10], line.split()[12]) for line in tc if line.startswith("class")}
    assert rates["1:11"] == ("2000000bit", "2000000bit")
    assert rates["1:12"] == ("1600000bit", "2000000bit")
    assert rates["1:13"] == ("400000bit", "2000000bit")
    assert rates["1:14"] == ("600000bit", "2000000bit")
    assert rates["1:15"] == ("1000000bit", "2000000bit")
    assert {line.split()[5] for line in tc if line.startswith("class") and "prio 1" in line} == {"1:12"}
    assert [line for line in tc if "prio 0" in line] == [line for line in tc if "classid 1:13 " in line]


def test_a_policy_without_queueing_builds_no_queues():
    found = plan(*CLASSES, "policy-map P", "class VOICE", "set dscp af41", "interface gi0/0", "service-policy output P")
    assert found.tc == {}
    assert "ip dscp set 34" in found.nft.rules["inet", "qo_gi0_0_0"]


def test_a_class_that_only_marks_shares_the_queue_of_the_default_class():
    found = plan(
        *CLASSES,
        "policy-map P",
        "class VOICE",
        "priority 64",
        "class DATA",
        "set dscp af11",
        "interface gi0/0",
        "service-policy output P",
    )
    chosen = [
        [rule for rule in found.nft.rules["inet", f"qo_gi0_0_{number}"] if rule.startswith("meta priority")]
        for number in (1, 2)
    ]
    assert chosen[0] == chosen[1] != []


def test_remaining_bandwidth_is_shared_by_weight_after_what_is_promised():
    device = paper(
        *CLASSES, "policy-map P", "class VOICE", "priority 200", "class DATA", "bandwidth remaining percent 75"
    )
    bodies = {entry["name"]: body for entry, body in device.config.get("policy-map").body.sections("class")}
    default = paper("policy-map Q", "class class-default").config.get("policy-map").body.entries[0].body
    shares = guarantees({**bodies, "class-default": default}, 1_000_000, 1_000_000)
    assert shares == {"VOICE": 200_000, "DATA": 600_000, "class-default": 200_000}


def test_a_shaped_class_has_no_share_above_its_shape():
    device = paper(*CLASSES, "policy-map P", "class VOICE", "priority percent 20", "class DATA", "shape average 100000")
    bodies = {entry["name"]: body for entry, body in device.config.get("policy-map").body.sections("class")}
    default = paper("policy-map Q", "class class-default").config.get("policy-map").body.entries[0].body
    shares = guarantees({**bodies, "class-default": default}, 1_000_000, 1_000_000)
    assert shares == {"VOICE": 200_000, "DATA": 100_000, "class-default": 700_000}


def test_a_configured_bandwidth_is_the_base_of_percentages_and_no_limit():
    found = plan(
        *CLASSES,
        "policy-map P",
        "class VOICE",
        "bandwidth percent 50",
        "class DATA",
        "shape average percent 10",
        "interface gi0/0",
        "bandwidth 2000",
        "service-policy output P",
    )
    rates = [(line.split()[10], line.split()[12]) for line in found.tc["gi0-0"] if line.startswith("class")]
    assert rates[0] == ("1000000000bit", "1000000000bit")
    assert rates[1] == ("1000000bit", "1000000000bit")
    assert rates[2] == ("200000bit", "200000bit")


def test_remaining_bandwidth_is_also_shared_by_weight_while_nothing_uses_the_promised_rate():
    found = plan(
        *CLASSES,
        "policy-map P",
        "class VOICE",
        "priority 200",
        "class DATA",
        "bandwidth remaining percent 75",
        "interface gi0/0",
        "service-policy output P",
    )
    turns = [line.split("quantum ")[1].split()[0] for line in found.tc["gi0-0"] if "quantum" in line and "prio" in line]
    assert turns == ["1514", str(3 * 1514), "1514"]


def test_what_is_accepted_and_not_done_is_listed():
    listed = dict(
        plan(
            *CLASSES, "policy-map P", "class VOICE", "bandwidth 64", "random-detect dscp-based", "fair-queue"
        ).unsupported
    )
    assert set(listed) == {"random-detect dscp-based", "fair-queue"}


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("match dscp ef cs5", ["ip dscp { 46, 40 } jump x", "ip6 dscp { 46, 40 } jump x"]),
        ("match ip dscp af11", ["ip dscp { 10 } jump x"]),
        ("match protocol http", ["tcp dport 80 jump x", "tcp sport 80 jump x"]),
        ("match ip rtp 16384 100", ["udp dport 16384-16484 udp dport & 1 == 0 jump x"]),
        ("match packet length min 100 max 200", ["meta length >= 100 meta length <= 200 jump x"]),
        ("match input-interface gi0/1", ['iifname "gi0-1" jump x']),
        ("match any", ["jump x"]),
    ],
)
def test_a_match_line_becomes_rules(line, rules):
    found = plan(
        "class-map match-any C",
        line,
        "policy-map P",
        "class C",
        "set dscp ef",
        "interface gi0/0",
        "service-policy output P",
    )
    written = [rule.replace("qo_gi0_0_0", "x") for rule in found.nft.rules["inet", "qo_gi0_0"]]
    assert written[: len(rules)] == rules


def test_a_packet_that_fits_one_line_of_a_class_that_wants_all_comes_back_for_the_next_class():
    found = plan(
        "access-list 100 permit tcp any any",
        "class-map match-all BOTH",
        "match dscp ef",
        "match access-group 100",
        "policy-map P",
        "class BOTH",
        "set dscp af11",
        "interface gi0/0",
        "service-policy output P",
    )
    # a chain entered by goto would end the whole policy for packets that the access list does not permit
    assert found.nft.rules["inet", "qo_gi0_0"][0] == "ip dscp { 46 } jump qo_gi0_0_t1"


@pytest.mark.parametrize("line", ["shape average 1000000", "bandwidth 100", "priority 100"])
def test_a_policy_of_what_arrives_gets_no_queue(line):
    device = paper("policy-map P", "class class-default", "set dscp ef", "interface gi0/0", "service-policy input P")
    session = Session(device)
    said = [session.enter(one) for one in ("configure terminal", "policy-map P", "class class-default", line)]
    assert said[-1] == "% P: queueing features can be applied to output only\n"
